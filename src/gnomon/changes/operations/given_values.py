"""Checks of arguments that a client of the API can give and a command line cannot."""

from __future__ import annotations

from gnomon.model.errors.product import UserError
from gnomon.model.instants import iso


def check_instants(*instants: int | None) -> None:
    """Raise UserError for an instant outside the years 1 to 9999. Instants are microseconds since 1970."""
    for instant in instants:
        try:
            iso(instant)
        except (OverflowError, ValueError):
            raise UserError(
                f"{instant} is no instant in the years 1 to 9999; give microseconds since 1970-01-01T00:00Z"
            ) from None


def check_limit(limit: int | None) -> None:
    """Raise UserError for a limit below 1."""
    if limit is not None and limit < 1:
        raise UserError(f"the limit is {limit}; give a number from 1 on")
