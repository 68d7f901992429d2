"""The law of every simulation that each slot which planning has passed has a run or a reason."""

from __future__ import annotations

from gnomon.author_code.loading.timetable_loader import rebuild_timetable
from gnomon.model.instants import Instant, iso
from gnomon.queries.report.explanations.unexplained_slots import (
    find_audit_bounds,
    find_audit_obstacle,
    find_unexplained,
)
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.rules.planning.window import list_runs_in_window
from gnomon.storage.store import Database
from gnomon.storage.store.dag_records import dags

_SLOTS_MAX = 20_000


def list_lost_slots(db: Database, since: Instant) -> list[str]:
    """A sentence for each slot since that time with neither a run nor a reason, as `gnomon slots audit` finds them."""
    sentences = []
    with db.read() as tx:
        for dag_id in [row.dag_id for row in dags.list_dags(tx) if row.active]:
            dag = find_dag(tx, dag_id)
            start, end = find_audit_bounds(tx, dag, since)
            if start >= end or find_audit_obstacle(dag) is not None:
                continue
            window = list_runs_in_window(
                rebuild_timetable(dag.spec.timetable, dag.file),
                start=start,
                end=end,
                most=_SLOTS_MAX,
                earliest=dag.spec.start_at,
                latest=dag.spec.end_at,
                last=dag.cursor,
            )
            sentences += [
                f"{dag_id}: the slot due at {iso(slot.run_after)} has neither a run nor a reason"
                for slot in find_unexplained(tx, dag, window.runs)
            ]
    return sentences
