"""DAGs whose runs fail one after the other are paused: `max_consecutive_failed_dag_runs` (airflow-surface.md A.2)."""

from __future__ import annotations

from collections.abc import Collection

from gnomon import log
from gnomon.engine import events as e
from gnomon.engine.state.engine_state import EngineState
from gnomon.model.instants import Instant
from gnomon.model.records import Changes, EventRecord
from gnomon.model.states import DagRunState
from gnomon.scheduler.event_translation import read_dags
from gnomon.store import Database, Transaction
from gnomon.store.dag_records import dag_runs
from gnomon.store.ownership import commit

_log = log.get_logger("scheduler.failing")


def pause_failing_dags(db: Database, scheduler_id: str, memory: EngineState, dag_pks: Collection[int], now: Instant) -> list[e.EngineEvent]:
    """Each of these DAGs is paused if its newest ended runs, as many as it allows, all failed; the paused ones as read again.

    The reason stands on the DAG. A run that fails after unpausing pauses it again, until one succeeds or is cleared.
    """
    if not dag_pks:
        return []
    changes = Changes()
    with db.read() as tx:
        for dag_pk in sorted(dag_pks):
            dag = memory.dags.get(dag_pk)
            if dag is None or dag.record.paused:
                continue
            most = dag.graph.spec.max_consecutive_failed_dag_runs
            if _all_failed(tx, dag_pk, most):
                reason = (
                    f"paused: its last {most} runs failed (max_consecutive_failed_dag_runs={most}); "
                    f"see to them, then `gnomon dags unpause {dag.record.dag_id}`"
                )
                _log.warning("dag_paused", dag_id=dag.record.dag_id, failed_runs=most)
                changes.dag_paused.append((dag_pk, reason))
                changes.events.append(EventRecord(now, "dag_paused", dag_pk=dag_pk, body=reason))
    if not changes.dag_paused:
        return []
    with db.scheduler_write(scheduler_id) as tx:
        commit.apply_changes(tx, changes)
        return read_dags(tx, [dag_pk for dag_pk, _ in changes.dag_paused], memory)


def _all_failed(tx: Transaction, dag_pk: int, most: int) -> bool:
    newest = dag_runs.list_newest_ended_runs(tx, dag_pk, most)
    return len(newest) == most and all(run.state is DagRunState.FAILED for run in newest)
