"""Tells the engine how far planning has decided the slots of a DAG: CROSS_DAG in docs/contributing/ownership.md."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from gnomon.model.instants import Instant
from gnomon.model.records import PlanOutcome
from gnomon.model.run_waits import NO_SLOT
from gnomon.rules.engine import events as e
from gnomon.rules.engine.state.engine_state import EngineState
from gnomon.rules.planning import compute_decided_until
from gnomon.storage.store import Database
from gnomon.storage.store.dag_records import upstream_dags


class CursorMove(NamedTuple):
    """The cursor of a DAG before and after a plan."""

    dag_pk: int
    before: Instant | None
    after: Instant | None


def read_cursor(engine_state: EngineState, dag_pk: int) -> Instant | None:
    """The instant up to which the slots of the DAG are decided; None before the first, or if no run waits for the DAG."""
    dag = engine_state.dags.get(dag_pk)
    if dag is None or dag.record.dag_id not in engine_state.subscriptions:
        return None
    record = dag.record
    return compute_decided_until(record.cursor, record.next_run, record.fingerprint, dag.graph.spec)


def record_manual_runs(engine_state: EngineState, outcome: PlanOutcome) -> None:
    """Assigns slots to manual runs that the store found in the place of planned runs."""
    for run_pk, slot in outcome.standing.items():
        run = engine_state.runs.get(run_pk)
        if run is not None:
            run.record.stands_for = slot
            run.dag.by_slot[slot] = run


def build_cursor_events(db: Database, moved: Iterable[CursorMove], engine_state: EngineState) -> list[e.EngineEvent]:
    """A CursorMoved for each cursor that passed subscribed slots, with the facts of these slots."""
    moves = [
        (move.dag_pk, move.before, move.after, slots)
        for move in moved
        if move.after is not None and (slots := _subscribed_slots(move, engine_state))
    ]
    if not moves:
        return []
    with db.read() as tx:
        return [
            e.CursorMoved(
                dag_pk, before, after, upstream_dags.load_slot_facts(tx, engine_state.dags[dag_pk].record.dag_id, slots)
            )
            for dag_pk, before, after, slots in moves
        ]


def _subscribed_slots(moved: CursorMove, engine_state: EngineState) -> list[Instant]:
    dag_pk, before, after = moved
    if after is None or after == before:
        return []
    slots = engine_state.subscriptions.get(engine_state.dags[dag_pk].record.dag_id, {})
    return [at for at in slots if at != NO_SLOT and (before is None or before < at) and at <= after]
