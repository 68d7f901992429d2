"""The runs of upstream slots: their states now, and the command that would let waiting runs start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gnomon.model.instants import Instant, iso
from gnomon.model.records import DagRecord, RunRecord
from gnomon.model.run_waits import NO_SLOT, RunWait
from gnomon.model.sentences import Command, RunName, Sentence, say
from gnomon.model.states import DagRunState
from gnomon.model.upstream_edges import Edge
from gnomon.model.wait_conditions import ReleaseAct, ReleaseTarget
from gnomon.queries.report.explanations.dag_state_conditions import describe_pause
from gnomon.queries.report.explanations.ended_conditions import clause
from gnomon.queries.report.listings.import_problems import find_planning_error
from gnomon.queries.report.listings.run_list import count_states, list_task_instances
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records import dag_runs, dags, upstream_dags
from gnomon.storage.store.ownership import group_state

_SHOWN = 5
_BAD_STATES = ("failed", "upstream_failed", "removed")


class SlotStatus(NamedTuple):
    """What an open wait waits for."""

    sentence: Sentence
    release: ReleaseTarget | None
    """The act that lets the upstream go on: it is paused, or its run has failed."""


def find_upstream(tx: Transaction, edge: Edge) -> DagRecord | None:
    """The DAG that the dependency leads to; None when there is none."""
    row = dags.find_dag_row(tx, edge.dependency.dag_id)
    return next(iter(group_state.load_dags(tx, [row.dag_pk])), None) if row is not None else None


def list_slot_status(
    tx: Transaction, up: DagRecord | None, edge: Edge, wait: RunWait, now: Instant
) -> list[SlotStatus]:
    """The status of each run of the slot of an open wait; one status when there is no run. `up`: as `find_upstream` found it."""
    if up is None:
        return [SlotStatus(say("upstream_does_not_exist", dag=edge.dependency.dag_id), None)]
    paused = ReleaseTarget(ReleaseAct.UNPAUSE_DAG, up.dag_id) if up.paused else None
    if wait.up_at == NO_SLOT:
        return [SlotStatus(say("upstream_exists_now", dag=up.dag_id), paused)]
    run_ids = [
        run_id for run_id, _ in upstream_dags.list_runs_of_slots(tx, up.dag_pk, [wait.up_at]).get(wait.up_at, ())
    ]
    runs = [run for run_id in run_ids if (run := dag_runs.find_stored_run(tx, up.dag_id, run_id)) is not None]
    if not runs:
        return [SlotStatus(_describe_missing_run(up, wait, now), paused)]
    return [
        SlotStatus(
            _describe_run(tx, up, run, edge.dependency.task_id),
            ReleaseTarget(ReleaseAct.CLEAR_RUN, up.dag_id, run.run_id) if run.state is DagRunState.FAILED else paused,
        )
        for run in runs
    ]


def list_later_clears(
    tx: Transaction, dag: DagRecord, run: RunRecord, edge: Edge, waits: Sequence[RunWait]
) -> list[Sentence]:
    """Sentences on upstream runs that were cleared after this run had started, which therefore did not wait for them again."""
    row = dags.find_dag_row(tx, edge.dependency.dag_id)
    if row is None or run.started_at is None:
        return []
    clear_numbers = {wait.up_at: wait.clear_number for wait in waits}
    by_slot = upstream_dags.list_runs_of_slots(tx, row.dag_pk, clear_numbers)
    cleared = [
        run_id for at, runs in sorted(by_slot.items()) for run_id, clears in runs if clears > max(clear_numbers[at], 0)
    ]
    sentences = []
    for run_id in cleared:
        up = dag_runs.find_stored_run(tx, edge.dependency.dag_id, run_id)
        if up is not None and up.queued_at > run.started_at:
            name = RunName(edge.dependency.dag_id, run_id)
            sentences.append(
                say("run_was_cleared_later", run=name, dag=name.dag_id, at=up.queued_at, state=up.state.value)
            )
    if not sentences:
        return []
    more = len(sentences) - _SHOWN
    again = say("run_again_after_them", command=Command("runs clear", (dag.dag_id, run.run_id)))
    return [*sentences[:_SHOWN], *([say("more_were_cleared", count=more)] if more > 0 else []), again]


def _describe_run(tx: Transaction, up: DagRecord, run: RunRecord, task_id: str | None) -> Sentence:
    name = RunName(up.dag_id, run.run_id)
    if task_id is not None and run.state is not DagRunState.QUEUED:
        return _describe_task(tx, up, run, task_id)
    paused = say("and_also", why=describe_pause(up)) if up.paused else None
    match run.state:
        case DagRunState.QUEUED:
            why = clause("because", run.reason)
            return say("upstream_run_is_queued", run=name, dag=up.dag_id, stored=why, paused=paused)
        case DagRunState.RUNNING:
            return say("upstream_run_runs", run=name, dag=up.dag_id, since=run.started_at, paused=paused)
        case DagRunState.FAILED:
            return say(
                "upstream_run_failed",
                run=name,
                dag=up.dag_id,
                at=run.ended_at,
                stored=clause("in_brackets", run.reason),
                command=_clear_command(up, run),
            )
        case _:
            return say("upstream_run_succeeded", run=name, dag=up.dag_id, at=run.ended_at)


def _describe_task(tx: Transaction, up: DagRecord, run: RunRecord, task_id: str) -> Sentence:
    subject = say("task_of_run", task_id=task_id, run=RunName(up.dag_id, run.run_id), dag=up.dag_id)
    rows = list_task_instances(tx, up, run, task_id)
    rows = [row for row in rows if row.state != "removed"] or rows
    counts = count_states(rows)
    if not counts:
        if run.ended_at is None:
            return say("task_does_not_exist_in_run", subject=subject)
        return say("task_did_not_exist_in_run", subject=subject, command=_clear_command(up, run))
    clear = Command("tasks clear", (up.dag_id, run.run_id, task_id), ("--downstream",))
    again = say("run_it_again", command=clear) if any(state in _BAD_STATES for state in counts) else None
    if len(rows) > 1:
        states = ", ".join(f"{count} {state}" for state, count in counts.items())
        return say("task_has_states", subject=subject, states=states, again=again)
    if rows[0].state is None:
        return say("task_has_no_status_yet", subject=subject)
    return say("task_is_in_state", subject=subject, state=rows[0].state, again=again)


def _describe_missing_run(up: DagRecord, wait: RunWait, now: Instant) -> Sentence:
    at = wait.up_at
    create = Command("dags trigger", (up.dag_id,), ("--slot", iso(at) or ""))
    if up.cursor is not None and at <= up.cursor.run_after:
        note = clause("in_brackets", wait.note)
        return say("slot_has_no_run", dag=up.dag_id, at=at, stored=note, command=create)
    due = say("its_run_was_due" if at <= now else "its_run_is_due", dag=up.dag_id, at=at)
    error = find_planning_error(up)
    if error is not None:
        return say("due_run_is_not_planned", due=due, error=error)
    if up.paused:
        return say("due_run_waits", due=due, why=describe_pause(up))
    if up.next_run is None or up.next_run.run_after <= max(at, now):
        return due
    return say("due_run_has_passed", due=due, at=up.next_run.run_after, command=create)


def describe_deleted_upstream(up: DagRecord) -> list[Sentence]:
    """That no file defines the upstream DAG any more; [] for one that a file defines."""
    return [] if up.active else [say("upstream_is_deleted", dag=up.dag_id, file=up.file)]


def _clear_command(up: DagRecord, run: RunRecord) -> Command:
    return Command("runs clear", (up.dag_id, run.run_id))
