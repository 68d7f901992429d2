"""The clock for the author-facing protocol of built-in timetables, which has no argument for it.

The one place in the rules that reads it; planning and the engine pass `now` instead.
"""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> datetime:
    """The present instant of this machine."""
    return datetime.now(UTC)
