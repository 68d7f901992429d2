"""The DAGs that a file makes: `DAG(...)` and `@dag(...)`, with the arguments as they are written."""

from __future__ import annotations

import ast
import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from gnomon.airflow_compat.migration.repository.findings import Finding, Severity
from gnomon.airflow_compat.migration.repository.literal_values import UNKNOWN, LiteralReader
from gnomon.authoring.sdk.signatures.fields import (
    AIRFLOW_2_ARGUMENTS,
    DAG_FIELDS,
    IGNORED_BY_DAG,
    IGNORED_BY_OPERATOR,
    OPERATOR_FIELDS,
)
from gnomon.authoring.sdk.signatures.old_arguments import suggest_dag_argument
from gnomon.model.sentences import render, say

_DAG_CLASSES = frozenset(
    {
        "airflow.DAG",
        "airflow.models.DAG",
        "airflow.models.dag.DAG",
        "airflow.sdk.DAG",
        "airflow.sdk.definitions.dag.DAG",
        "airflow.providers.common.compat.sdk.DAG",
    }
)
_DAG_DECORATORS = frozenset(
    {"airflow.decorators.dag", "airflow.sdk.dag", "airflow.models.dag.dag", "airflow.providers.common.compat.sdk.dag"}
)
_POSITIONAL = ("dag_id", "description", "schedule", "start_date", "end_date")
_KNOWN = frozenset({row.name for row in DAG_FIELDS} | set(AIRFLOW_2_ARGUMENTS) | IGNORED_BY_DAG)
_IDLE_OF_DAG = {row.name: render(say(row.no_effect_reason)) for row in DAG_FIELDS if row.no_effect_reason}
_IDLE_OF_TASK = {
    **{
        row.name: render(say(row.no_effect_reason))
        for row in OPERATOR_FIELDS
        if row.no_effect_reason and not row.name.startswith("doc")
    },
    **{name: render(say(code)) for name, code in IGNORED_BY_OPERATOR.items() if code},
}
ABSENT = object()
"""The DAG does not give the argument."""


@dataclass(slots=True)
class DagCall:
    """One DAG of a file."""

    dag_id: str
    """`?` when it is computed."""
    line: int
    schedule: Any = ABSENT
    """The value, UNKNOWN, or ABSENT."""
    start_date: dt.datetime | None = None
    gives_catchup: bool = False
    old_arguments: list[str] = field(default_factory=list)
    """The arguments that only Airflow 2 takes."""
    has_unknown_arguments: bool = False
    """It takes `**arguments`, which are not known here."""


def read_dag_calls(tree: ast.Module, reader: LiteralReader) -> tuple[list[DagCall], list[Finding]]:
    """Return the DAGs of the file in the order of their lines, and what their arguments show."""
    calls: list[DagCall] = []
    findings: list[Finding] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for decorator in node.decorator_list:
                called = decorator.func if isinstance(decorator, ast.Call) else decorator
                if reader.find_path(called) in _DAG_DECORATORS:
                    call = (
                        decorator if isinstance(decorator, ast.Call) else ast.Call(func=decorator, args=[], keywords=[])
                    )
                    calls.append(_read_call(call, decorator.lineno, node.name, reader, findings))
        elif isinstance(node, ast.Call) and reader.find_path(node.func) in _DAG_CLASSES:
            calls.append(_read_call(node, node.lineno, "?", reader, findings))
        elif isinstance(node, ast.Call):
            findings += _find_idle_task_arguments(node, reader)
    return sorted(calls, key=lambda call: call.line), findings


def _read_call(node: ast.Call, line: int, name: str, reader: LiteralReader, findings: list[Finding]) -> DagCall:
    words = {word.arg: word.value for word in node.keywords if word.arg is not None}
    arguments: dict[str, ast.expr] = {**dict(zip(_POSITIONAL, node.args, strict=False)), **words}
    dag_id = reader.read(arguments.get("dag_id")) if "dag_id" in arguments else name
    call = DagCall(dag_id if isinstance(dag_id, str) else "?", line)
    call.has_unknown_arguments = any(word.arg is None for word in node.keywords)
    call.old_arguments = [argument for argument in AIRFLOW_2_ARGUMENTS if argument in words]
    call.gives_catchup = "catchup" in arguments
    for spelling in ("schedule", "schedule_interval", "timetable"):
        if spelling in arguments:
            call.schedule = reader.read(arguments[spelling])
    defaults = reader.read_mapping(arguments.get("default_args"))
    start = reader.read(arguments.get("start_date", defaults.get("start_date")))
    call.start_date = start if isinstance(start, dt.datetime) else None
    for word, value in words.items():
        if word not in _KNOWN:
            findings.append(
                Finding(
                    value.lineno,
                    Severity.MISSING,
                    "unknown-argument",
                    f"DAG {call.dag_id!r}: DAG has no argument {word}={suggest_dag_argument(word)}",
                )
            )
        elif word in _IDLE_OF_DAG and not _is_empty(value):
            findings.append(
                Finding(value.lineno, Severity.NOTE, "no-effect", f"DAG {call.dag_id!r}: {word}= {_IDLE_OF_DAG[word]}")
            )
    for key, value in defaults.items():
        if key in _IDLE_OF_TASK and not _is_empty(value):
            findings.append(
                Finding(
                    value.lineno,
                    Severity.NOTE,
                    "no-effect",
                    f"DAG {call.dag_id!r}: {key} in default_args {_IDLE_OF_TASK[key]}",
                )
            )
    return call


def _is_empty(node: ast.expr) -> bool:
    return (isinstance(node, ast.Constant) and not node.value) or (isinstance(node, ast.Dict) and not node.keys)


def _find_idle_task_arguments(node: ast.Call, reader: LiteralReader) -> Iterator[Finding]:
    """Yield a finding for each argument without effect of a call of an operator or sensor of Airflow."""
    path = reader.find_path(node.func) or ""
    kind = path.rpartition(".")[2]
    if not path.startswith("airflow.") or not kind.endswith(("Operator", "Sensor", "SensorAsync")):
        return
    words = {word.arg: word.value for word in node.keywords if word.arg is not None}
    task = reader.read(words["task_id"]) if "task_id" in words else "?"
    for name in words.keys() & _IDLE_OF_TASK.keys():
        if not _is_empty(words[name]):
            yield Finding(
                words[name].lineno,
                Severity.NOTE,
                "no-effect",
                f"task {task if isinstance(task, str) else '?'!r}: {name}= {_IDLE_OF_TASK[name]}",
            )


def is_known(value: Any) -> bool:
    """Whether a schedule was read from the source."""
    return value is not UNKNOWN and value is not ABSENT
