"""Baselines: how they stand, and what is known of one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gnomon.changes.operations.operation import operation
from gnomon.changes.operations.operation_scope import OperationScope
from gnomon.model.accounts import Role
from gnomon.model.baselines import BaselineRecord, split_subject
from gnomon.model.instants import iso
from gnomon.model.sentences import render
from gnomon.queries.report.activity.baseline_list import (
    IsVisible,
    StandingBaseline,
    find_baseline,
    list_baselines,
)
from gnomon.queries.report.activity.baseline_sentences import describe_costly_step, list_acts
from gnomon.storage.store import Transaction
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
    samples: int
    costly: str | None
    acts: list[str]
    key_path: list[KeyStepRow]
    history: list[DueRow]
    assumptions: list[str]


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
        by=f"{spec.by} +{spec.days} day{'' if spec.days == 1 else 's'}" if spec.days else spec.by,
        timezone=spec.timezone,
        margin_s=spec.margin_s,
        at_risk=spec.at_risk,
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
            spec.name, list(spec.of), None, None, None, None, None, None, None, spec.owner, sentence, standing.is_stale
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
    )


def _build_due(record: BaselineRecord) -> DueRow:
    forecast = record.forecast
    return DueRow(
        iso(record.due_at), record.level.value, forecast.breach, iso(forecast.end_p50), iso(forecast.ended_at)
    )
