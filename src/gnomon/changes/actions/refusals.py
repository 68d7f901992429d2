"""The errors of acts whose class decides how they are answered: the API gives each its status."""

from __future__ import annotations

from gnomon.model.errors.product import UserError


class RequestRefused(UserError):
    """The owner refused a request; the message is the owner's reason."""


class BackfillRefused(UserError):
    """The DAG or the range cannot be backfilled; the message says why."""


class BackfillEnded(UserError):
    """The backfill has ended or was cancelled: nothing of it can be changed."""


class StateValueRefused(UserError):
    """A key or a value that no state store can hold."""


class BaselineRefused(UserError):
    """The name is that of another baseline, the baseline stands in a file, or somebody has changed it meanwhile."""
