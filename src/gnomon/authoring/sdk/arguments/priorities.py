"""The range of priorities that the database can store."""

from __future__ import annotations

DB_SAFE_MINIMUM = -(2**31)
DB_SAFE_MAXIMUM = 2**31 - 1


def db_safe_priority(priority: int) -> int:
    """Return the priority, or the nearest one that the database can store."""
    return max(DB_SAFE_MINIMUM, min(priority, DB_SAFE_MAXIMUM))
