"""The moves of one task instance: judged, ready, finished, taken back. Every change of state goes through here."""

from __future__ import annotations

import bisect

from gnomon.decide.edges import EdgeVerdict
from gnomon.decide.past import judge_first, judge_past
from gnomon.decide.skips import skipper, still_holds
from gnomon.decide.transitions import Cause, next_state
from gnomon.decide.trigger_rules import judge
from gnomon.engine.asked import task_ended
from gnomon.engine.cells import Cell, Run
from gnomon.engine.turn import Turn
from gnomon.engine.waits import begin, drop
from gnomon.model.facts import AttemptResult
from gnomon.model.instants import Instant
from gnomon.model.states import FINISHED_RUN_STATES, FINISHED_TASK_STATES
from gnomon.model.states import TaskInstanceState as S
from gnomon.model.verdict import Outcome, Verdict


def drain(turn: Turn) -> None:
    """Judge everything on the worklist, and what that releases, until nothing is left."""
    while turn.work:
        run, index = turn.work.popleft()
        if run.active and run.dag.runs.get(run.pk) is run:
            turn.subject = run.dag
            for cell in run.cells[index].values():
                if cell.state is None and not cell.ready:
                    judge_cell(turn, cell)


def judge_cell(turn: Turn, cell: Cell) -> None:
    """Let the cell's rules decide: ready, skipped, upstream_failed, or wait as it is."""
    verdict = verdict_of(cell)
    if verdict.outcome is Outcome.RUN:
        make_ready(turn, cell)
    elif verdict.outcome is Outcome.SKIP:
        finish(turn, cell, Cause.RULE_SKIP, verdict.reason)
    elif verdict.outcome is Outcome.UPSTREAM_FAILED:
        finish(turn, cell, Cause.RULE_UPSTREAM_FAILED, verdict.reason)


def verdict_of(cell: Cell) -> Verdict:
    """What an earlier decision of a branch, the trigger rule and the past say of it now."""
    if cell.reason is not None and skip_holds(cell):
        return Verdict(Outcome.SKIP, cell.reason)
    verdict = judge(cell.task.trigger_rule, cell.run.tallies[cell.index])
    if verdict.outcome is Outcome.RUN and cell.run.graph.uses_past:
        verdict = past_verdict(cell)
    if verdict.outcome is Outcome.RUN and cell.run.edges:
        return edge_verdict(cell, verdict)
    return verdict


def edge_verdict(cell: Cell, verdict: Verdict) -> Verdict:
    """What its own dependencies on other DAGs say; `verdict` where they say nothing against it."""
    mine = [edge for edge in cell.run.edges.values() if edge.edge.task_id == cell.task.task_id]
    found = {edge.verdict: edge for edge in mine}
    if EdgeVerdict.CANCEL in found:
        return Verdict(Outcome.UPSTREAM_FAILED, found[EdgeVerdict.CANCEL].cancels)
    if EdgeVerdict.WAIT in found:
        names = ", ".join(edge.sentence() for edge in mine if edge.verdict is EdgeVerdict.WAIT)
        return Verdict(Outcome.WAIT, f"waits for {names}")
    return verdict


def skip_holds(cell: Cell) -> bool:
    """Whether a direct upstream skipped this cell, and its decision stands."""
    run = cell.run
    by = skipper(cell.reason)
    if by is None or by not in cell.task.upstream:
        return False
    return any(still_holds(other.state) for other in run.cells[run.graph.index[by]].values())


def past_verdict(cell: Cell) -> Verdict:
    """What the run before says of it."""
    task = cell.task
    before = run_before(cell.run)
    if before is None:
        return judge_past(task, None, None, ())
    index = before.graph.index.get(task.task_id)
    previous = None if index is None else before.cell(index, cell.map_index)
    if index is None or (previous is not None and previous.state is None and before.record.state in FINISHED_RUN_STATES):
        return judge_first(task, before.record.run_id)  # an ended run that is read again has the tasks of today
    downstream = [
        (other.name(), other.state) for d in before.graph.downstream[index] for other in before.cells[d].values()
    ]
    return judge_past(task, before.record.run_id, previous.state if previous else S.SUCCESS, downstream)


def run_before(run: Run) -> Run | None:
    """The run of the same DAG before this one, by `run_after`, or None."""
    past = run.dag.past
    place = bisect.bisect_left(past, run.order, key=_order)
    return past[place - 1] if place else None


def run_after(run: Run) -> Run | None:
    """The run of the same DAG after this one, or None."""
    past = run.dag.past
    place = bisect.bisect_right(past, run.order, key=_order)
    return past[place] if place < len(past) else None


def _order(run: Run) -> tuple[Instant, int]:
    return run.order


def make_ready(turn: Turn, cell: Cell) -> None:
    """The cell may run: one without code is done at once, any other waits for a slot."""
    if cell.begins_waiting:
        _begin_waiting(turn, cell)
        return
    if not cell.task.runs_code:
        cell.try_number += 1
        cell.started_at = cell.ended_at = turn.now
        finish(turn, cell, Cause.NOTHING_TO_RUN, None)
        return
    place(turn, cell)


def _begin_waiting(turn: Turn, cell: Cell) -> None:
    """At once, unless its DAG is held, or its pool counts it from now on: then admission says when."""
    if cell.run.dag.held is not None:
        cell.ready = True
        cell.run.dag.parked.append((cell.ticket, cell))
        turn.placed[cell] = None
    elif turn.memory.pool(cell.task.pool).include_deferred:
        place(turn, cell)
    else:
        start_waiting(turn, cell)


def start_waiting(turn: Turn, cell: Cell) -> list[AttemptResult] | None:
    """A task that starts from its trigger begins its try with the wait; what an earlier try pushed is gone.

    Returns what `forget_xcoms` returned; None when there was no earlier try.
    """
    assert cell.task.start_wait is not None
    cell.try_number += 1
    forgotten = turn.forget_xcoms(cell) if cell.try_number > 1 else None
    cell.started_at = turn.now
    cell.pool = cell.task.pool
    turn.placed.pop(cell, None)
    begin(turn, cell, cell.task.start_wait, Cause.START_WAIT)
    return forgotten


def place(turn: Turn, cell: Cell) -> None:
    """Put a cell that may run where admission finds it."""
    cell.ready = True
    cell.pool = cell.task.pool
    turn.memory.pool(cell.pool).push(cell)
    turn.placed[cell] = None


def withdraw(cell: Cell) -> None:
    """Take a waiting cell out of wherever it waits."""
    cell.ready = False
    cell.ticket += 1


def step_aside(cell: Cell) -> None:
    """Leave the queue that it stands in, and wait elsewhere."""
    cell.ticket += 1


def finish(turn: Turn, cell: Cell, cause: Cause, reason: str | None, at: Instant | None = None) -> None:
    """Move the cell to a final state and tell everything downstream."""
    withdraw(cell)
    drop(turn, cell, killed=True)
    cell.state = next_state(cell.state, cause)
    cell.reason = reason
    cell.resume_at = None
    if cell.ended_at is None:
        cell.ended_at = at if at is not None else turn.now
    turn.touch(cell)
    run = cell.run
    run.unfinished -= 1
    if run.unfinished == 0:
        turn.emptied[run] = None
    count(turn, cell, 1)
    if run.graph.uses_past:
        _tell_next_run(turn, cell)
    if turn.memory.asked:
        task_ended(turn, cell)


def take_back(turn: Turn, cell: Cell) -> None:
    """A finished cell counts as unfinished again."""
    count(turn, cell, -1)
    cell.run.unfinished += 1


def count(turn: Turn, cell: Cell, by: int) -> None:
    """Add the cell's final state to, or take it from, the tallies downstream."""
    run = cell.run
    is_setup = cell.task.is_setup
    for d in run.graph.downstream[cell.index]:
        run.tallies[d].add(cell.state, by, is_setup)
        turn.judge_later(run, d)


def _tell_next_run(turn: Turn, cell: Cell) -> None:
    later = run_after(cell.run)
    if later is None:
        return
    task = cell.task
    for task_id in (task.task_id, *task.upstream):
        index = later.graph.index.get(task_id)
        if index is not None:
            turn.judge_later(later, index)


def is_finished(cell: Cell) -> bool:
    return cell.state in FINISHED_TASK_STATES
