"""Imports what DAG files import, once, before anything is forked: a child then finds it there."""

from __future__ import annotations

from importlib import import_module

from gnomon.loading import dialect

OURS = ("gnomon.sdk.dag", "gnomon.sdk.build", "gnomon.sdk.decorators", "gnomon.loading.dagfile", "gnomon.operators")
COMMON = (
    "airflow", "airflow.sdk", "airflow.decorators", "airflow.models", "airflow.operators.python", "airflow.operators.bash",
    "airflow.operators.empty", "airflow.providers.standard.operators.python", "airflow.providers.standard.operators.bash",
    "airflow.providers.standard.operators.empty", "airflow.utils.dates", "airflow.utils.trigger_rule",
    "airflow.utils.task_group", "datetime", "pendulum", "json", "logging", "pathlib", "random",
)
"""What DAG files name most often, and what starts neither threads nor connections."""


def preload() -> list[str]:
    """The packages are imported; returns the names of `COMMON` that are not there, for the log."""
    for name in OURS:
        import_module(name)
    dialect.enable()
    return [name for name in COMMON if not _imported(name)]


def _imported(name: str) -> bool:
    try:
        import_module(name)
    except ImportError:
        return False
    return True
