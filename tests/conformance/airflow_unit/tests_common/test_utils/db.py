"""Airflow's tables are emptied between tests: there are none."""

from __future__ import annotations


def __getattr__(name: str) -> object:
    if not name.startswith("clear_"):
        raise AttributeError(name)
    return lambda *_, **__: None
