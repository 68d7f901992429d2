"""`step`: events in, decision out. The one entrance to the engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from gnomon.decide.transitions import Cause, next_state
from gnomon.engine import events as e
from gnomon.engine.actions import clear, drop_dag, drop_run, mark_run, mark_tasks
from gnomon.engine.admission import admit
from gnomon.engine.asked import cursor_moved, listen, run_came
from gnomon.engine.cells import Run
from gnomon.engine.deferral import on_wait_ended, on_wait_timer
from gnomon.engine.depending import follow, hear, look_at_limits, on_slots_found, release
from gnomon.engine.memory import Memory
from gnomon.engine.moves import drain, make_ready
from gnomon.engine.rebase import catch_up, forget_dag, read_dag
from gnomon.engine.results import on_ended, on_entered, on_inventory, on_worker_joined, on_worker_lost
from gnomon.engine.runs import attach, attach_past, end_if_done, forget_ended, judge_all, on_timer, start_queued
from gnomon.engine.turn import Step, Turn
from gnomon.errors.engine import StepFailed
from gnomon.model.instants import Instant
from gnomon.model.records import NewMail
from gnomon.model.states import FINISHED_RUN_STATES
from gnomon.model.states import TaskInstanceState as S

TIMERS_MAX = 2000
"""Times that one step answers. What comes due together goes in several steps: the lease is kept, and others are heard, between."""
READY_MAX = 256
"""Tasks that the times of one step make ready: workers begin with these while the next ones are fired."""


def step(
    memory: Memory, events: Iterable[e.Event], now: Instant, new_id: Callable[[], str], judge_first: Iterable[Run] = ()
) -> Step:
    """Apply `events`, then everything that follows from them: one transaction's worth of changes and what to do after.

    `judge_first`: runs that were just loaded. Memory is changed in place; drop it if the changes are not committed.
    StepFailed: a fault of ours, with the DAG that it was at; drop the memory then too.
    """
    turn = Turn(memory, now, new_id)
    try:
        return _step(turn, events, judge_first)
    except Exception as error:
        dag = turn.subject
        raise StepFailed(error, dag.record.group_no if dag else None, dag.record.dag_id if dag else None) from error


def _step(turn: Turn, events: Iterable[e.Event], judge_first: Iterable[Run]) -> Step:
    for run in judge_first:
        turn.subject = run.dag
        turn.startable[run.dag] = None
        catch_up(turn, run)
        follow(turn, run)
        if run.active:
            judge_all(turn, run)
    for event in events:
        turn.subject = None
        _HANDLERS[type(event)](turn, event)
    _fire_timers(turn)
    _settle(turn)
    admit(turn)
    assert not turn.unsettled, "admission left something to settle: nothing may rest on the admissions of its own step"
    return _close(turn)


def _settle(turn: Turn) -> None:
    """Judge, end and start until nothing changes any more."""
    while turn.unsettled:
        while turn.news:
            hear(turn, turn.news.popleft())
        drain(turn)
        while turn.emptied:
            run, _ = turn.emptied.popitem()
            end_if_done(turn, run)
        while turn.startable:
            dag, _ = turn.startable.popitem()
            turn.subject = dag
            start_queued(turn, dag)


def _fire_timers(turn: Turn) -> None:
    timers, placed = turn.memory.timers, len(turn.placed)
    for _ in range(TIMERS_MAX):
        at = timers.first_key()
        if at is None or at > turn.now:
            return
        subject = timers.best()
        timers.pop()
        if isinstance(subject, Run):
            turn.subject = subject.dag
            on_timer(turn, subject)
            look_at_limits(turn, subject)
        elif subject is not None and subject.state in (S.UP_FOR_RETRY, S.UP_FOR_RESCHEDULE):
            make_ready(turn, subject)
        elif subject is not None and subject.state is S.DEFERRED:
            on_wait_timer(turn, subject)
        if len(turn.placed) - placed >= READY_MAX:
            break
    turn.again = True


def _close(turn: Turn) -> Step:
    """Write down what is left to write: waiting cells, touched rows, the next time to step."""
    for cell in turn.placed:
        if cell.ready and cell.state in (None, S.DEFERRED):
            cell.state = next_state(cell.state, Cause.WAIT)
            turn.touch(cell)
    changes, step_ = turn.changes, turn.step
    for cell in turn.dirty:
        cell.written = True
        changes.tasks.append(cell.record())
        step_.groups.add(cell.run.dag.record.group_no)
    for run in turn.dirty_runs:
        changes.runs.append(run.record)
        step_.groups.add(run.dag.record.group_no)
        if run.record.state in FINISHED_RUN_STATES:
            forget_ended(turn, run)
    for group_no, heard in turn.letters.items():
        changes.mail_sent.append(NewMail(group_no, "upstream_ended", msgspec.json.encode(heard).decode(), at=turn.now))
    step_.wake_at = turn.now if turn.again else turn.memory.next_timer()
    return step_


def _on_dag_read(turn: Turn, event: e.DagRead) -> None:
    turn.step.groups.add(event.dag.group_no)
    read_dag(turn, event.dag)


def _on_run_read(turn: Turn, event: e.RunRead) -> None:
    dag = turn.subject = turn.memory.dags.get(event.run.dag_pk)
    if dag is None or event.run.run_pk in turn.memory.runs or event.run.run_pk in turn.step.deleted_runs:
        return  # what was read before the step is no news of a run that the step deletes
    turn.step.groups.add(dag.record.group_no)
    if event.before is not None:
        attach_past(turn.memory, dag, *event.before)
    run = attach(turn.memory, dag, event.run, event.tasks, event.run_waits)
    catch_up(turn, run)
    if event.run.state not in FINISHED_RUN_STATES:
        follow(turn, run)
        run_came(turn, run)
    turn.startable[dag] = None
    if run.active:
        judge_all(turn, run)
    if event.run.state in FINISHED_RUN_STATES:
        turn.dirty_runs[run] = None


def _on_past_read(turn: Turn, event: e.PastRead) -> None:
    dag = turn.subject = turn.memory.dags.get(event.dag_pk)
    if dag is not None:
        for record, rows in event.runs:
            attach_past(turn.memory, dag, record, rows)


def _on_cursor_moved(turn: Turn, event: e.CursorMoved) -> None:
    dag = turn.subject = turn.memory.dags.get(event.dag_pk)
    if dag is not None:
        cursor_moved(turn, dag, event.before, event.upto, event.facts)


def _on_upstream_heard(turn: Turn, event: e.UpstreamHeard) -> None:
    turn.news.extend(event.news)


def _on_pools_read(turn: Turn, event: e.PoolsRead) -> None:
    turn.memory.set_pools(event.pools)


def _on_worker_away(turn: Turn, event: e.WorkerAway) -> None:
    worker = turn.memory.workers.get(event.worker_id)
    if worker is not None:
        worker.reachable = False


def _on_refuse(turn: Turn, event: e.Refuse) -> None:
    turn.changes.answers.append((event.request_pk, "refused", event.reason))


_HANDLERS: dict[type, Callable[[Turn, Any], None]] = {
    e.DagRead: _on_dag_read,
    e.DagGone: lambda turn, event: forget_dag(turn, event.dag_pk),
    e.RunRead: _on_run_read,
    e.PastRead: _on_past_read,
    e.PoolsRead: _on_pools_read,
    e.SlotsFound: on_slots_found,
    e.WaitsAsked: lambda turn, event: listen(turn, event.ask, event.facts),
    e.UpstreamHeard: _on_upstream_heard,
    e.CursorMoved: _on_cursor_moved,
    e.ReleaseRun: release,
    e.WaitEnded: on_wait_ended,
    e.WorkerJoined: lambda turn, event: on_worker_joined(turn, event.worker_id, event.slots),
    e.WorkerAway: _on_worker_away,
    e.WorkerLost: lambda turn, event: on_worker_lost(turn, event.worker_id),
    e.Entered: on_entered,
    e.Ended: on_ended,
    e.InventoryRead: on_inventory,
    e.ClearTasks: clear,
    e.MarkTasks: mark_tasks,
    e.MarkRun: mark_run,
    e.DropRun: drop_run,
    e.DropDag: drop_dag,
    e.Refuse: _on_refuse,
}

