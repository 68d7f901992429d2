"""`IntegerRange`: the click type of every number on the command line."""

from __future__ import annotations

from typing import Any

import click

INTEGER_MAX = 2**31 - 1
"""The largest number of an INTEGER column of PostgreSQL."""
KEY_MAX = 2**63 - 1
"""The largest key of a row."""


class IntegerRange(click.IntRange):
    """An integer of a range; anything else is refused with the range."""

    def __init__(self, min: int, max: int = INTEGER_MAX) -> None:
        super().__init__(min, max)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The integer; fails with a usage error that names the parameter, the value and the range."""
        try:
            number: int = super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"{value!r} is not an integer from {self.min} to {self.max}", param, ctx)
        return number

    def _describe_range(self) -> str:
        return f"x>={self.min}" if self.max in (INTEGER_MAX, KEY_MAX) else super()._describe_range()
