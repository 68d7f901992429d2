"""The keys of XComs that have a meaning of their own."""

from __future__ import annotations

XCOM_RETURN_KEY = "return_value"
"""The key of what a task returns."""
