"""When two DAGs, or two tasks, are equal: they have the same class and the same values of these attributes, as in Airflow."""

from __future__ import annotations

from typing import Any

DAG_PARTS = ("dag_id", "task_ids", "start_date", "end_date", "fileloc", "template_searchpath", "schedule")
TASK_PARTS = (
    "task_id",
    "dag_id",
    "owner",
    "email",
    "email_on_retry",
    "retry_delay",
    "retry_exponential_backoff",
    "max_retry_delay",
    "start_date",
    "end_date",
    "depends_on_past",
    "wait_for_downstream",
    "priority_weight",
    "execution_timeout",
    "has_on_execute_callback",
    "has_on_failure_callback",
    "has_on_success_callback",
    "has_on_retry_callback",
    "has_on_skipped_callback",
    "has_retry_policy",
    "do_xcom_push",
    "multiple_outputs",
    "allow_nested_operators",
    "executor",
)


def are_equal(first: object, other: object, parts: tuple[str, ...]) -> bool:
    """Return whether both have the same class and equal values of `parts`; a missing attribute counts as None."""
    if first is other:
        return True
    return type(first) is type(other) and all(_part(first, name) == _part(other, name) for name in parts)


def _part(node: object, name: str) -> Any:
    if name.startswith("has_"):
        return bool(getattr(node, name.removeprefix("has_"), None))
    return getattr(node, name, None)
