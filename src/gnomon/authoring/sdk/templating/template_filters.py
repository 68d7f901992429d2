"""Jinja filters of Airflow: formats of a moment. Each docstring shows the format."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable


def ds(value: dt.date | None) -> str | None:
    """2026-01-31"""
    return None if value is None else value.strftime("%Y-%m-%d")


def ds_nodash(value: dt.date | None) -> str | None:
    """20260131"""
    return None if value is None else value.strftime("%Y%m%d")


def ts(value: dt.date | None) -> str | None:
    """2026-01-31T00:00:00+00:00"""
    return None if value is None else value.isoformat()


def ts_nodash(value: dt.date | None) -> str | None:
    """20260131T000000"""
    return None if value is None else value.strftime("%Y%m%dT%H%M%S")


def ts_nodash_with_tz(value: dt.date | None) -> str | None:
    """20260131T000000+0000"""
    return None if value is None else value.isoformat().replace("-", "").replace(":", "")


FILTERS: dict[str, Callable[..., str | None]] = {
    "ds": ds,
    "ds_nodash": ds_nodash,
    "ts": ts,
    "ts_nodash": ts_nodash,
    "ts_nodash_with_tz": ts_nodash_with_tz,
}
