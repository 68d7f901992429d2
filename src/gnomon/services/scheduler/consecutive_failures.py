"""Pauses DAGs after consecutive failed runs: `max_consecutive_failed_dag_runs` (airflow-surface.md A.2)."""

from __future__ import annotations

from collections.abc import Collection

from gnomon.ground import log
from gnomon.model.instants import Instant
from gnomon.model.records import Changes, EventRecord
from gnomon.model.sentences import Command, render, say
from gnomon.model.states import DagRunState
from gnomon.rules.engine import events as e
from gnomon.rules.engine.state.engine_state import EngineState
from gnomon.services.scheduler.event_translation import read_dags
from gnomon.storage.store import Database, Transaction
from gnomon.storage.store.dag_records import dag_runs
from gnomon.storage.store.ownership import commit

_log = log.get_logger("scheduler.consecutive_failures")


def pause_failing_dags(
    db: Database, scheduler_id: str, engine_state: EngineState, dag_pks: Collection[int], now: Instant
) -> list[e.EngineEvent]:
    """Pauses each of these DAGs whose newest finished runs, as many as its limit, all failed.

    Stores the reason with the DAG and returns the events that reload the paused DAGs. After the DAG is unpaused, one more
    failed run pauses it again, until a run succeeds or a failed run is cleared. Raises FencedError.
    """
    if not dag_pks:
        return []
    changes = Changes()
    with db.read() as tx:
        for dag_pk in sorted(dag_pks):
            dag = engine_state.dags.get(dag_pk)
            if dag is None or dag.record.paused:
                continue
            most = dag.graph.spec.max_consecutive_failed_dag_runs
            if _all_failed(tx, dag_pk, most):
                unpause = Command("dags unpause", (dag.record.dag_id,))
                reason = render(say("dag_was_paused_after_failures", most=most, command=unpause))
                _log.warning("dag_paused", dag_id=dag.record.dag_id, failed_runs=most)
                changes.dag_paused.append((dag_pk, reason))
                changes.events.append(EventRecord(now, "dag_paused", dag_pk=dag_pk, body=reason))
    if not changes.dag_paused:
        return []
    with db.scheduler_write(scheduler_id) as tx:
        commit.apply_changes(tx, changes)
        return read_dags(tx, [dag_pk for dag_pk, _ in changes.dag_paused], engine_state)


def _all_failed(tx: Transaction, dag_pk: int, most: int) -> bool:
    newest = dag_runs.list_newest_ended_runs(tx, dag_pk, most)
    return len(newest) == most and all(run.state is DagRunState.FAILED for run in newest)
