"""The system clock for `next_dagrun_info` of built-in timetables: Airflow's signature, which authors call, has no `now`.

No other module of the pure packages reads a clock; planning and the engine pass `now` as an argument.
"""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> datetime:
    """The present instant of this machine."""
    return datetime.now(UTC)
