"""Tells schedulers and the audit log which priorities baselines raise and restore, when that changes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

import msgspec

from gnomon.ground import log
from gnomon.model.baseline_specs import BaselineSpec
from gnomon.model.baselines import BaselineRecord
from gnomon.model.ids import group_of
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import EventRecord, NewMail, RaisedPriority
from gnomon.rules.baselines.raised_priorities import collect_raised
from gnomon.storage.store import Transaction, notify_on_commit
from gnomon.storage.store.alert_records import baseline_states
from gnomon.storage.store.coordination import mailbox
from gnomon.storage.store.dag_records.event_log import log_event

RAISED_FOR_S = 2 * 86_400
"""So long after a due time that was broken its tasks keep their priority, if it is never done: forecasts follow it no longer."""
_log = log.get_logger("monitor")
_Raised = dict[str, dict[tuple[str, str], RaisedPriority]]


class RaisedPriorities:
    """What is raised before a forecast is stored; `store` tells what is different afterwards."""

    def __init__(self, records: Iterable[BaselineRecord]) -> None:
        self._before = _collect(records)

    def store(
        self,
        tx: Transaction,
        records: dict[tuple[str, Instant], BaselineRecord],
        specs: Mapping[str, BaselineSpec],
        now: Instant,
    ) -> None:
        """Restore what belongs to baselines that no longer raise any and to due times of long ago, and send the owner of each DAG that is different what is raised of it now."""
        for key, record in list(records.items()):
            spec = specs.get(record.baseline)
            is_over = record.due_at < now - RAISED_FOR_S * SECOND
            if record.forecast.raised and (is_over or spec is None or spec.priority is None):
                records[key] = _restore(record)
                baseline_states.put_state(tx, records[key])
        after = _collect(records.values())
        for dag_id in sorted(self._before.keys() | after.keys()):
            before_of_dag, of_dag = self._before.get(dag_id, {}), after.get(dag_id, {})
            if before_of_dag != of_dag:
                mailbox.send_messages(tx, [_build_mail(dag_id, of_dag, now)])
                notify_on_commit(tx)
                _log_change(tx, "priority_raised", dag_id, _subtract(of_dag, before_of_dag), now)
                _log_change(tx, "priority_restored", dag_id, _subtract(before_of_dag, of_dag), now)


def _restore(record: BaselineRecord) -> BaselineRecord:
    """The record without raised priorities."""
    forecast = msgspec.structs.replace(record.forecast, raised=())
    return BaselineRecord(record.baseline, record.due_at, record.level, record.changed_at, forecast)


def _collect(records: Iterable[BaselineRecord]) -> _Raised:
    return collect_raised((record.baseline, record.forecast.raised) for record in records)


def _build_mail(dag_id: str, raised: Mapping[tuple[str, str], RaisedPriority], now: Instant) -> NewMail:
    tasks = [(run_id, task_id, each.weight, each.baseline) for (run_id, task_id), each in sorted(raised.items())]
    return NewMail(group_of(dag_id), "priorities_raised", json.dumps({"dag_id": dag_id, "tasks": tasks}), at=now)


def _subtract(
    tasks: Mapping[tuple[str, str], RaisedPriority], others: Mapping[tuple[str, str], RaisedPriority]
) -> dict[str, list[tuple[str, str, int]]]:
    """By baseline: the run, the task and the weight of those that are not among the others. Another weight is no entry of the audit log."""
    by_baseline: dict[str, list[tuple[str, str, int]]] = {}
    for (run_id, task_id), raised in sorted(tasks.items()):
        if (run_id, task_id) not in others:
            by_baseline.setdefault(raised.baseline, []).append((run_id, task_id, raised.weight))
    return by_baseline


def _log_change(
    tx: Transaction, kind: str, dag_id: str, by_baseline: Mapping[str, list[tuple[str, str, int]]], now: Instant
) -> None:
    for baseline, tasks in by_baseline.items():
        details = {
            "baseline": baseline,
            "dag_id": dag_id,
            "tasks": [{"run_id": run_id, "task_id": task_id, "priority": weight} for run_id, task_id, weight in tasks],
        }
        log_event(tx, EventRecord(now, kind, by="monitor", body=json.dumps(details, ensure_ascii=False)))
        _log.info(kind, baseline=baseline, dag_id=dag_id, tasks=len(tasks))
