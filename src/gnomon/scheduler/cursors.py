"""What planning has decided on, for those who wait for its slots (OWNERSHIP.md line 32)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from gnomon.engine import events as e
from gnomon.engine.memory import Memory
from gnomon.model.instants import Instant
from gnomon.model.records import PlanOutcome
from gnomon.model.runwaits import NO_SLOT
from gnomon.planning import decided_upto
from gnomon.store import Database, upstream


class Moved(NamedTuple):
    """A DAG's cursor before a plan and after it."""

    dag_pk: int
    before: Instant | None
    after: Instant | None


def cursor_of(memory: Memory, dag_pk: int) -> Instant | None:
    """Up to which instant the slots of the DAG are decided on; None when it is at its first. Not asked where nobody waits."""
    dag = memory.dags.get(dag_pk)
    if dag is None or dag.record.dag_id not in memory.asked:
        return None
    record = dag.record
    return decided_upto(record.cursor, record.next_run, record.fingerprint, dag.graph.spec)


def stand_for(memory: Memory, outcome: PlanOutcome) -> None:
    """Runs by hand that were found in the place of planned ones stand for their slots, in memory as in the store."""
    for run_pk, slot in outcome.standing.items():
        run = memory.runs.get(run_pk)
        if run is not None:
            run.record.stands_for = slot
            run.dag.by_slot[slot] = run


def slots_decided(db: Database, moved: Iterable[Moved], memory: Memory) -> list[e.Event]:
    """The cursors that moved over slots which somebody waits for, with what is known of these."""
    asked = [
        (one.dag_pk, one.before, one.after, slots)
        for one in moved if one.after is not None and (slots := _asked(one, memory))
    ]
    if not asked:
        return []
    with db.read() as tx:
        return [
            e.CursorMoved(dag_pk, before, after, upstream.slot_facts(tx, memory.dags[dag_pk].record.dag_id, slots))
            for dag_pk, before, after, slots in asked
        ]


def _asked(moved: Moved, memory: Memory) -> list[Instant]:
    dag_pk, before, after = moved
    if after is None or after == before:
        return []
    slots = memory.asked.get(memory.dags[dag_pk].record.dag_id, {})
    return [at for at in slots if at != NO_SLOT and (before is None or before < at) and at <= after]
