"""What planning has decided on, for those who wait for its slots (OWNERSHIP.md line 32)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from gnomon.engine import events as e
from gnomon.engine.state.engine_state import EngineState
from gnomon.model.instants import Instant
from gnomon.model.records import PlanOutcome
from gnomon.model.run_waits import NO_SLOT
from gnomon.planning import compute_decided_until
from gnomon.store import Database
from gnomon.store.cross_dag import upstream_dags


class CursorMove(NamedTuple):
    """A DAG's cursor before a plan and after it."""

    dag_pk: int
    before: Instant | None
    after: Instant | None


def read_cursor(memory: EngineState, dag_pk: int) -> Instant | None:
    """Up to which instant the slots of the DAG are decided on; None when it is at its first. Not asked where nobody waits."""
    dag = memory.dags.get(dag_pk)
    if dag is None or dag.record.dag_id not in memory.subscriptions:
        return None
    record = dag.record
    return compute_decided_until(record.cursor, record.next_run, record.fingerprint, dag.graph.spec)


def record_manual_runs(memory: EngineState, outcome: PlanOutcome) -> None:
    """Runs by hand that were found in the place of planned ones stand for their slots, in memory as in the store."""
    for run_pk, slot in outcome.standing.items():
        run = memory.runs.get(run_pk)
        if run is not None:
            run.record.stands_for = slot
            run.dag.by_slot[slot] = run


def build_cursor_events(db: Database, moved: Iterable[CursorMove], memory: EngineState) -> list[e.EngineEvent]:
    """The cursors that moved over slots which somebody waits for, with what is known of these."""
    asked = [
        (one.dag_pk, one.before, one.after, slots)
        for one in moved if one.after is not None and (slots := _subscribed_slots(one, memory))
    ]
    if not asked:
        return []
    with db.read() as tx:
        return [
            e.CursorMoved(dag_pk, before, after, upstream_dags.load_slot_facts(tx, memory.dags[dag_pk].record.dag_id, slots))
            for dag_pk, before, after, slots in asked
        ]


def _subscribed_slots(moved: CursorMove, memory: EngineState) -> list[Instant]:
    dag_pk, before, after = moved
    if after is None or after == before:
        return []
    slots = memory.subscriptions.get(memory.dags[dag_pk].record.dag_id, {})
    return [at for at in slots if at != NO_SLOT and (before is None or before < at) and at <= after]
