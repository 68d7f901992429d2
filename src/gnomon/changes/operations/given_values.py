"""Checks of arguments that a client of the API can give and a command line cannot."""

from __future__ import annotations

from gnomon.model.errors.product import UserError
from gnomon.model.instants import iso
from gnomon.model.sentences import say


def check_instants(*instants: int | None) -> None:
    """Raise UserError for an instant outside the years 1 to 9999. Instants are microseconds since 1970."""
    for instant in instants:
        try:
            iso(instant)
        except (OverflowError, ValueError):
            raise UserError(say("instant_is_outside_years", number=instant)) from None


def check_limit(limit: int | None) -> None:
    """Raise UserError for a limit below 1."""
    if limit is not None and limit < 1:
        raise UserError(say("limit_is_too_low", number=limit))
