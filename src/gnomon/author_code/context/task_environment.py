"""The environment variables that tell the programs of a task to which run and task they belong."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, cast

from gnomon.model.attempts import Attempt
from gnomon.model.instants import to_datetime

_PREFIXES = ("AIRFLOW_CTX_", "GNOMON_CTX_")
TRACE_VARIABLE = "TRACEPARENT"
"""The environment variable of OpenTelemetry from which a program takes the span that it belongs to."""

_former: dict[str, str | None] = {}
"""Each variable that an attempt of this process, or of the one that it was forked from, has set: its value before, None where it was not set."""
_names: tuple[str, ...] = ()
"""The variables of the attempt that was run last."""


def set_task_environment(variables: Mapping[str, str]) -> None:
    """Give this process the variables of an attempt; those that only the attempt before had are again what they were before it."""
    global _names
    environ = os.environ  # noqa: TID251 - written for the task; what is read is written again
    for name in _names:
        if name not in variables:
            former = _former[name]
            if former is None:
                environ.pop(name, None)
            else:
                environ[name] = former
    for name, value in variables.items():
        if name not in _former:
            _former[name] = environ.get(name)
        environ[name] = value
    _names = tuple(variables)


def build_task_environment(context: Mapping[str, Any]) -> dict[str, str]:
    """Return AIRFLOW_CTX_* and GNOMON_CTX_* of the attempt (airflow-surface.md A.6), without those that have no value; with traces also TRACEPARENT."""
    values = collect_environment_values(context)
    variables = {prefix + key: value for prefix in _PREFIXES for key, value in values.items()}
    traceparent = context["ti"].context_carrier.get("traceparent")
    return variables if traceparent is None else {**variables, TRACE_VARIABLE: traceparent}


def collect_environment_values(context: Mapping[str, Any]) -> dict[str, str]:
    """Return the same values under their short names: DAG_ID, TASK_ID, LOGICAL_DATE, ...

    The values are read from the attempt and not from the context, because every child process calls this function.
    """
    task, attempt = context["task"], cast(Attempt, context["ti"]._attempt)
    run = attempt.run
    date = "" if run.logical_at is None else to_datetime(run.logical_at).isoformat()
    values = {
        "DAG_ID": run.dag_id,
        "TASK_ID": attempt.task_id,
        "LOGICAL_DATE": date,
        "EXECUTION_DATE": date,
        "TRY_NUMBER": str(attempt.try_number),
        "DAG_RUN_ID": run.run_id,
        "DAG_OWNER": _join_texts(getattr(task, "owner", None)),
        "DAG_EMAIL": _join_texts(getattr(task, "email", None)),
    }
    return {key: value for key, value in values.items() if value}


def _join_texts(value: Any) -> str:
    if not value:
        return ""
    return value if isinstance(value, str) else ",".join(map(str, value))
