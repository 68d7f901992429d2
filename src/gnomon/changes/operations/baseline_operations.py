"""Baselines: how they stand, and what is known of one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gnomon.changes.actions.baseline_changes import BaselineChanges, describe_definition
from gnomon.changes.actions.baseline_fields import BaselineFields
from gnomon.changes.operations.operation import operation
from gnomon.changes.operations.operation_scope import OperationScope
from gnomon.ground.config import run_folder
from gnomon.ground.wakeups.service_mark import MONITOR_FOLDER, ServiceMark
from gnomon.model.accounts import Role
from gnomon.model.baseline_specs import WEEKDAYS
from gnomon.model.baselines import BaselineRecord, split_subject
from gnomon.model.instants import iso
from gnomon.model.sentences import render
from gnomon.queries.report.activity.baseline_list import (
    IsVisible,
    StandingBaseline,
    find_baseline,
    list_baselines,
    list_versions,
)
from gnomon.queries.report.activity.baseline_sentences import describe_costly_step, list_acts
from gnomon.storage.store import Transaction, notify_on_commit
from gnomon.storage.store.cross_dag import dag_edges


@dataclass(frozen=True, slots=True)
class BaselineRow:
    """One baseline; instants are None while there is no prediction."""

    name: str
    of: list[str]
    level: str | None
    due_at: str | None
    breach: float | None
    end_p50: str | None
    end_p90: str | None
    ended_at: str | None
    slack_s: float | None
    owner: str
    sentence: str
    is_stale: bool
    """No monitor judges it now: it may stand otherwise."""
    place: str
    """Where it is written, or the command that changes it."""


@dataclass(frozen=True, slots=True)
class KeyStepRow:
    """One step of the key path."""

    dag_id: str
    run_id: str
    task: str
    start: str | None
    end: str | None
    waited_s: float
    usual_s: float | None
    latest_start: str | None
    trouble: str


@dataclass(frozen=True, slots=True)
class DueRow:
    """An earlier or coming due time."""

    due_at: str | None
    level: str
    breach: float
    end_p50: str | None
    ended_at: str | None


@dataclass(frozen=True, slots=True)
class BaselineTable:
    """All that is known of one baseline."""

    baseline: BaselineRow
    by: str
    timezone: str
    margin_s: float
    at_risk: float
    weekdays: list[str]
    calendar: str
    to: list[str]
    priority: list[int]
    samples: int
    costly: str | None
    acts: list[str]
    key_path: list[KeyStepRow]
    history: list[DueRow]
    assumptions: list[str]


@dataclass(frozen=True, slots=True)
class BaselineVersionRow:
    """One version of the definition of a stored baseline."""

    version: int
    at: str | None
    by: str
    definition: dict[str, Any] | None
    """None: it was deleted."""


@operation("baselines.list", "read", "DAG")
def list_all(scope: OperationScope) -> list[BaselineRow]:
    """The baselines whose DAGs the account may read, in the order of gnomon.toml."""
    with scope.db.read() as tx:
        standing = list_baselines(tx, scope.actor.cfg, scope.actor.clock.now(), _build_filter(scope, tx))
        hide = scope.dags.build_name_filter(tx)
    return [_build_row(each, hide) for each in standing]


@operation("baselines.show", "read", "DAG")
def show(scope: OperationScope, name: str) -> BaselineTable:
    """One baseline with its key path and its due times."""
    with scope.db.read() as tx:
        visible = scope.dags.find_dag_ids(tx, Role.VIEWER)
        history = find_baseline(tx, scope.actor.cfg, name, scope.actor.clock.now(), _build_filter(scope, tx))
        hide = scope.dags.build_name_filter(tx)
    spec, record = history.standing.spec, history.standing.record
    forecast = None if record is None else record.forecast
    costly = None if forecast is None else describe_costly_step(forecast)
    steps = () if forecast is None else forecast.key_path
    return BaselineTable(
        baseline=_build_row(history.standing, hide),
        by=spec.due_text,
        timezone=spec.timezone,
        margin_s=spec.margin_s,
        at_risk=spec.at_risk,
        weekdays=[WEEKDAYS[day] for day in spec.weekdays],
        calendar=spec.calendar,
        to=list(spec.to),
        priority=list(spec.priority or ()),
        samples=0 if forecast is None else forecast.samples,
        costly=None if costly is None else hide(render(costly)),
        acts=[] if forecast is None else [hide(str(act)) for act in list_acts(forecast)],
        key_path=[
            KeyStepRow(
                hide(step.dag_id),
                step.run_id if visible is None or step.dag_id in visible else "",
                step.task if visible is None or step.dag_id in visible else "",
                iso(step.start),
                iso(step.end),
                step.waited_s,
                step.usual_s,
                iso(step.latest_start),
                step.trouble,
            )
            for step in steps
        ],
        history=[_build_due(each) for each in history.records],
        assumptions=[] if forecast is None else [hide(text) for text in forecast.assumptions],
    )


@operation("baselines.history", "read", "DAG")
def list_history(scope: OperationScope, name: str) -> list[BaselineVersionRow]:
    """Who changed the definition of a baseline, and what it was, newest first; none of one that stands in a file."""
    with scope.db.read() as tx:
        versions = list_versions(tx, scope.actor.cfg, name, _build_filter(scope, tx))
    return [
        BaselineVersionRow(each.version, iso(each.changed_at), each.changed_by, describe_definition(each.spec))
        for each in versions
    ]


@operation("baselines.create", "create", "baseline")
def create(scope: OperationScope, name: str, fields: BaselineFields) -> str:
    """Make a baseline. The account must be permitted to change each DAG that it names. Returns when it is due, in words."""
    with scope.db.write() as tx:
        spec = _open_changes(scope, tx).create(name, fields)
        notify_on_commit(tx)
    _wake_monitor(scope)
    return f"{spec.due_text} {spec.timezone}"


@operation("baselines.edit", "edit", "baseline")
def edit(scope: OperationScope, name: str, fields: BaselineFields, version: int | None = None) -> str:
    """Change fields of a baseline. `version`: refused if it is not the newest. Returns when it is due, in words."""
    with scope.db.write() as tx:
        spec = _open_changes(scope, tx).edit(name, fields, version)
        notify_on_commit(tx)
    _wake_monitor(scope)
    return f"{spec.due_text} {spec.timezone}"


@operation("baselines.delete", "delete", "baseline")
def delete(scope: OperationScope, name: str) -> None:
    """Delete a baseline. Coming due times go with it; those that were met or broken stay as long as others."""
    with scope.db.write() as tx:
        _open_changes(scope, tx).delete(name)
        notify_on_commit(tx)
    _wake_monitor(scope)


def _open_changes(scope: OperationScope, tx: Transaction) -> BaselineChanges:
    def check_dag(dag_id: str) -> None:
        scope.dags.require_role(tx, dag_id, Role.USER)

    return BaselineChanges(tx, scope.actor, check_dag, _build_filter(scope, tx))


def _wake_monitor(scope: OperationScope) -> None:
    """A standalone starts it with the first baseline."""
    ServiceMark(run_folder(scope.actor.cfg.home), MONITOR_FOLDER).notify()


def _build_filter(scope: OperationScope, tx: Transaction) -> IsVisible:
    visible = scope.dags.find_dag_ids(tx, Role.VIEWER)
    if visible is None:
        return lambda _: True

    def is_visible(text: str) -> bool:
        parts = text.split(".")
        names = [".".join(parts[:count]) for count in range(1, len(parts) + 1)]
        known = dag_edges.list_active_versions(tx, names)  # hidden DAGs too: their ids may have dots
        return split_subject(text, known)[0] in visible

    return is_visible


def _build_row(standing: StandingBaseline, hide: Callable[[str], str]) -> BaselineRow:
    spec, record = standing.spec, standing.record
    sentence = hide(render(standing.sentence))
    if record is None:
        return BaselineRow(
            spec.name,
            list(spec.of),
            None,
            None,
            None,
            None,
            None,
            None,
            None,
            spec.owner,
            sentence,
            standing.is_stale,
            spec.shown_place,
        )
    forecast = record.forecast
    return BaselineRow(
        spec.name,
        list(spec.of),
        record.level.value,
        iso(record.due_at),
        forecast.breach,
        iso(forecast.end_p50),
        iso(forecast.end_p90),
        iso(forecast.ended_at),
        forecast.slack_s,
        spec.owner,
        sentence,
        standing.is_stale,
        spec.shown_place,
    )


def _build_due(record: BaselineRecord) -> DueRow:
    forecast = record.forecast
    return DueRow(
        iso(record.due_at), record.level.value, forecast.breach, iso(forecast.end_p50), iso(forecast.ended_at)
    )
