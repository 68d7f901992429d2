"""Instants as authors get them: pendulum DateTimes in UTC, made here and nowhere earlier."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.model.instants import Instant, to_datetime
from gnomon.sdk.timezone import coerce_datetime

if TYPE_CHECKING:
    import pendulum


def moment(instant: Instant | None) -> pendulum.DateTime | None:
    """The instant as a pendulum DateTime in UTC; None stays None."""
    return None if instant is None else coerce_datetime(to_datetime(instant))
