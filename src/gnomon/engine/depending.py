"""Runs that wait for runs of other DAGs: the half of their own owner (OWNERSHIP.md lines 31 and 33)."""

from __future__ import annotations

import heapq
import json
from collections.abc import Collection, Iterable

from gnomon.decide.edges import EdgeVerdict, chooses, keeps, state_after
from gnomon.decide.transitions import Cause
from gnomon.engine.asked import listen, send_ask, stop_asking
from gnomon.engine.cells import Run
from gnomon.engine.edges import EdgeWaits, edges_for, stops_run, waits_for
from gnomon.engine.events import ReleaseRun, SlotsFound
from gnomon.engine.runs import arm_edges, end, stop_tasks
from gnomon.engine.turn import Turn
from gnomon.model.ids import group_of
from gnomon.model.instants import SECOND, Instant
from gnomon.model.runwaits import NO_SLOT, Ask, Heard, RunWait, SlotFact, WaitState
from gnomon.model.states import DagRunState

ANSWER_S = 5.0
"""What was cleared after its `max_wait` has so long to hear that its upstreams are done by now."""


def follow(turn: Turn, run: Run) -> None:
    """The run has the edges of its DAG as it is now: what it no longer has is forgotten, what is new is to be found."""
    before = run.edges
    if not before and not run.graph.edges and not run.stale_waits:
        return
    run.edges = edges_for(run.graph.edges, run.record, (wait for edge in before.values() for wait in edge.waits.values()))
    for number in sorted(before.keys() - run.edges.keys()):
        _forget_rows(turn, run, number, before[number].waits.values())
    for number in sorted({wait.edge_no for wait in run.stale_waits}):
        _forget_rows(turn, run, number, [wait for wait in run.stale_waits if wait.edge_no == number])
    run.stale_waits = ()
    for number, edge in run.edges.items():
        if not edge.waits and _may_wait(run, edge):
            turn.step.unresolved[run.pk, number] = None
    arm_edges(turn.memory, run)
    look(turn, run)


def _may_wait(run: Run, edge: EdgeWaits) -> bool:
    """Whether news of the edge count: the run, or the task with the edge, has not begun."""
    return run.record.state is DagRunState.QUEUED or (edge.edge.task_id is not None and run.active)


def seek(turn: Turn, run: Run, edge: EdgeWaits) -> None:
    """The slots of the edge are to be found, again if they were found before."""
    if edge.waits:
        _forget_rows(turn, run, edge.edge.number, edge.waits.values())
    edge.waits, edge.trouble, edge.expired = {}, None, False
    turn.step.unresolved[run.pk, edge.edge.number] = None


def _forget_rows(turn: Turn, run: Run, edge_no: int, waits: Collection[RunWait]) -> None:
    stop_asking(turn, waits)
    changes = turn.changes
    changes.edges_gone.append((run.pk, edge_no))
    for key in [key for key in changes.run_waits if key[:2] == (run.pk, edge_no)]:
        del changes.run_waits[key]
    turn.step.groups.add(run.dag.record.group_no)


def wait_again(turn: Turn, run: Run, cleared: Collection[str]) -> None:
    """What was cleared waits again: the run as a whole, if it is queued anew, and tasks that have edges of their own."""
    queued = run.record.state is DagRunState.QUEUED
    for edge in run.edges.values():
        if (edge.edge.task_id is None and queued and cleared) or edge.edge.task_id in cleared:
            seek(turn, run, edge)
    arm_edges(turn.memory, run)
    if queued and run.pk not in run.dag.waiting and not stops_run(run):
        heapq.heappush(run.dag.queued, run.order)
        turn.startable[run.dag] = None
    look(turn, run)


def on_slots_found(turn: Turn, event: SlotsFound) -> None:
    """The edge waits for these slots: the rows stand, and the upstream's owner is asked."""
    run = turn.memory.runs.get(event.run_pk)
    edge = run.edges.get(event.edge_no) if run is not None else None
    if run is None or edge is None or edge.waits or not _may_wait(run, edge):
        return
    turn.subject = run.dag
    edge.trouble = event.error
    if event.error is None:
        _note(turn, run, edge, event)
    arm_edges(turn.memory, run, turn.now + int(ANSWER_S * SECOND))
    look(turn, run)


def _note(turn: Turn, run: Run, edge: EdgeWaits, event: SlotsFound) -> None:
    after = edge.edge.after
    facts = event.facts
    if event.unknown:
        facts = (SlotFact(NO_SLOT, "open"),)
    group = group_of(after.dag_id)
    for fact in event.absent:
        _add(turn, run, edge, event.rule, fact, state_after(after, "absent"))
    for fact in facts:
        _add(turn, run, edge, event.rule, SlotFact(fact.at, "open"), WaitState.OPEN)
    if not edge.waits:
        _add(turn, run, edge, event.rule, SlotFact(NO_SLOT, "ok"), WaitState.MET)
    if not facts:
        return
    ask = _ask(run, edge, (fact.at for fact in facts), event.version)
    if group in turn.memory.epochs:
        listen(turn, ask, facts)
    else:
        send_ask(turn, group, ask)


def _ask(run: Run, edge: EdgeWaits, slots: Iterable[Instant], version: int = 0) -> Ask:
    after = edge.edge.after
    return Ask(
        up_dag=after.dag_id, slots=tuple(slots), down_run=run.pk, down_group=run.dag.record.group_no,
        edge_no=edge.edge.number, task_id=after.task_id, keeps=keeps(after), version=version,
    )


def _add(turn: Turn, run: Run, edge: EdgeWaits, rule: str, fact: SlotFact, state: WaitState) -> None:
    after = edge.edge.after
    wait = edge.waits[fact.at] = RunWait(
        down_run=run.pk, edge_no=edge.edge.number, up_dag=after.dag_id, up_at=fact.at, down_group=run.dag.record.group_no,
        up_group=group_of(after.dag_id), task_id=after.task_id, state=state, keeps=keeps(after), rule=rule, since=turn.now,
        clear_number=fact.clear_number, note=fact.note,
    )
    _write(turn, run, wait)


def _write(turn: Turn, run: Run, wait: RunWait) -> None:
    turn.changes.run_waits[wait.down_run, wait.edge_no, wait.up_dag, wait.up_at] = wait
    turn.step.groups.add(run.dag.record.group_no)


def hear(turn: Turn, heard: Heard) -> None:
    """News of one slot. They count while the run, or the task with the edge, has not begun; older than known ones never."""
    run = turn.memory.runs.get(heard.down_run)
    edge = run.edges.get(heard.edge_no) if run is not None else None
    if run is None or edge is None or not edge.waits:
        return
    wait = edge.waits.get(heard.fact.at)
    if not _may_wait(run, edge) or wait is None or wait.state in (WaitState.RELEASED, WaitState.CLOSED):
        return
    turn.subject = run.dag
    fact, after = heard.fact, edge.edge.after
    if fact.outcome == "changed" or (fact.outcome == "absent" and chooses(after)):
        if wait.state.is_open:
            seek(turn, run, edge)
            look(turn, run)
        return
    if 0 <= fact.clear_number < wait.clear_number:
        return
    state = state_after(after, fact.outcome)
    if (state, fact.note, fact.clear_number) == (wait.state, wait.note, wait.clear_number):
        return
    if state is not wait.state:
        wait.since = turn.now
    if state.is_open and not wait.state.is_open and wait.up_group not in turn.memory.epochs:
        # Whoever has taken the upstream over since it was cleared found no open wait in the store.
        send_ask(turn, wait.up_group, _ask(run, edge, [wait.up_at]))
    wait.state, wait.note, wait.clear_number = state, fact.note, fact.clear_number
    _write(turn, run, wait)
    look(turn, run, edge)


def look(turn: Turn, run: Run, changed: EdgeWaits | None = None) -> None:
    """Let the run start, go on or end, as its edges have it. `changed`: the edge that there is news of; None: any."""
    if run.active:
        for edge in run.edges.values() if changed is None else (changed,):
            index = run.graph.index.get(edge.edge.task_id) if edge.edge.task_id is not None else None
            if index is not None:
                turn.judge_later(run, index)
        return
    if run.record.state is not DagRunState.QUEUED:
        return
    ending = next((edge for edge in run.edges.values() if edge.edge.task_id is None and edge.verdict is EdgeVerdict.CANCEL), None)
    if ending is not None:
        cancel(turn, run, ending.cancels)
    elif stops_run(run):
        run.dag.waiting[run.pk] = None
        _say(turn, run)
    elif run.pk in run.dag.waiting:
        del run.dag.waiting[run.pk]
        _say(turn, run)
        heapq.heappush(run.dag.queued, run.order)
        turn.startable[run.dag] = None


def _say(turn: Turn, run: Run) -> None:
    """The record of a waiting run says what it waits for."""
    reason = waits_for(run)
    if run.record.reason != reason:
        run.record.reason = reason
        turn.touch_run(run)


def cancel(turn: Turn, run: Run, reason: str) -> None:
    """A waiting run ends: failed, its tasks skipped."""
    run.dag.waiting.pop(run.pk, None)
    stop_tasks(turn, run, live=Cause.MARK_FAILED, waiting=Cause.MARK_SKIPPED, reason=reason)
    end(turn, run, DagRunState.FAILED, reason)


def look_at_limits(turn: Turn, run: Run) -> None:
    """A time of the run has come: edges that have waited for their `max_wait` end what waits."""
    late = False
    for edge in run.edges.values():
        at = edge.expires_at(run.record)
        is_found = bool(edge.waits) or edge.trouble is not None
        if at is not None and at <= turn.now and is_found and edge.verdict is EdgeVerdict.WAIT:
            edge.expired = late = True
    if late:
        look(turn, run)


def release(turn: Turn, event: ReleaseRun) -> None:
    """The run, and its tasks, wait for that DAG no longer; it is recorded who let them go on, and why."""
    run = turn.memory.runs.get(event.run_pk)
    if run is None:
        _refuse(turn, event, "the run is over, or no longer exists")
        return
    turn.subject = run.dag
    mine = [edge for edge in run.edges.values() if event.up_dag in (None, edge.edge.after.dag_id)]
    held = [edge for edge in mine if edge.verdict is not EdgeVerdict.PASS and (edge.edge.task_id is not None or not run.active)]
    if not held:
        known = sorted({edge.edge.after.dag_id for edge in run.edges.values()})
        of = f"it waits for {', '.join(known)}" if known else "it waits for no other DAG"
        _refuse(turn, event, f"the run does not wait for {event.up_dag}: {of}" if event.up_dag and not mine else "the run waits for nothing that could be released")
        return
    why = f"released by {event.by}" + (f": {event.reason}" if event.reason else "")
    for edge in held:
        _let_go(turn, run, edge, why)
    names = sorted({edge.edge.label for edge in held})
    turn.log("released", run=run, by=event.by, body=", ".join(names) + (f": {event.reason}" if event.reason else ""))
    look(turn, run)
    if event.request_pk is not None:
        turn.changes.answers.append((event.request_pk, "done", json.dumps({"released": names})))


def _let_go(turn: Turn, run: Run, edge: EdgeWaits, why: str) -> None:
    turn.step.unresolved.pop((run.pk, edge.edge.number), None)
    edge.trouble, edge.expired = None, False
    if not edge.waits:
        _add(turn, run, edge, "none", SlotFact(NO_SLOT, "ok", note=why), WaitState.RELEASED)
    stop_asking(turn, edge.waits.values())
    for wait in edge.open():
        wait.state, wait.since, wait.note = WaitState.RELEASED, turn.now, why
        _write(turn, run, wait)


def _refuse(turn: Turn, event: ReleaseRun, why: str) -> None:
    if event.request_pk is not None:
        turn.changes.answers.append((event.request_pk, "refused", json.dumps({"error": why})))
