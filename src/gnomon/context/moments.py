"""Instants as authors get them: pendulum DateTimes in UTC, made here and nowhere earlier."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    pass


