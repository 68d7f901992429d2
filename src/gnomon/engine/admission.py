"""Who gets a worker: pools in turn, best first within a pool, every limit a gate.

Fairness. Pools are asked one after the other, one task each, until nobody can take more; a full pool costs one look.
A task stopped by a limit waits at that gate and is looked at again when somebody leaves it, so that no admission reads a
queue it cannot serve (airflow-surface.md D.5 and section I, 15).
"""

from __future__ import annotations

from collections import deque

from gnomon.decide.transitions import Cause, next_state
from gnomon.engine.cells import Cell, Run
from gnomon.engine.gates import Lane, Pool, key_of
from gnomon.engine.holding import closed_gate, hold, let_go
from gnomon.engine.memory import Memory, Worker
from gnomon.engine.moves import start_waiting, step_aside, withdraw
from gnomon.engine.turn import Admitted, Step, Turn
from gnomon.engine.waits import deadline_of, unbegin
from gnomon.model.deferral import Resume
from gnomon.model.facts import Attempt, AttemptResult, RunFacts
from gnomon.model.logs import attempt_log
from gnomon.model.records import Changes
from gnomon.model.states import TaskInstanceState as S

LOOKED_FURTHER_S = 300.0
"""A file that read a Variable, the environment or the network is imported anew after so long."""


def admit(turn: Turn) -> None:
    """Give workers and pool slots to ready cells, at most `per_admission` of them; `turn.again` when more could follow."""
    memory = turn.memory
    budget = memory.limits.per_admission
    pools = deque(pool for _, pool in sorted(memory.pools.items()) if pool.ready)
    while pools:
        worker = free_worker(memory)
        if worker is None:
            return
        pool = pools.popleft()
        cell = _next_admissible(pool)
        if cell is None:
            continue
        if budget == 0:
            turn.again = True
            return
        budget -= 1
        _enter(turn, cell, pool, worker)
        pools.append(pool)


def free_worker(memory: Memory) -> Worker | None:
    """The reachable worker with the most free slots, or None when nobody may take another attempt."""
    parallelism = memory.limits.parallelism
    if parallelism is not None and memory.live >= parallelism:
        return None
    best: Worker | None = None
    for worker in memory.workers.values():
        if worker.reachable and worker.used < worker.slots and (
            best is None or (worker.slots - worker.used, worker.worker_id) > (best.slots - best.used, best.worker_id)
        ):
            best = worker
    return best


def _next_admissible(pool: Pool) -> Cell | None:
    while (cell := _first(pool)) is not None:
        if cell.run.dag.held is not None:
            step_aside(cell)
            cell.run.dag.parked.append((cell.ticket, cell))
        elif pool.is_too_small(cell.pool_slots):
            step_aside(cell)
            pool.oversized.push(key_of(cell), cell)
        elif (gate := closed_gate(cell)) is not None:
            step_aside(cell)
            gate.park(cell, pool)
        else:
            return cell if pool.has_room(cell.pool_slots) else None
    return None


def _first(pool: Pool) -> Cell | None:
    """The cell whose turn it is: itself in the queue, or the best of a lane that stands there."""
    while (found := pool.ready.best()) is not None:
        if not isinstance(found, Lane):
            return found
        key = found.cells.first_key()
        if key == found.place and not found.gate.closed:
            return found.cells.best()
        found.step_out()
        if not found.gate.closed:
            found.step_in()
    return None


def _enter(turn: Turn, cell: Cell, pool: Pool, worker: Worker) -> None:
    """Make an attempt of the cell on this worker; who starts from its trigger takes its slots alone."""
    turn.subject = cell.run.dag
    before = (cell.state, cell.try_number, cell.reason, cell.resume_at, cell.started_at)
    forgotten = start_waiting(turn, cell) if cell.begins_waiting else _begin_attempt(turn, cell, pool, worker)
    turn.step.admitted.append(Admitted(cell, *before, forgotten))


def _begin_attempt(turn: Turn, cell: Cell, pool: Pool, worker: Worker) -> list[AttemptResult] | None:
    """Returns what `forget_xcoms` returned; None when there was no earlier attempt, or this one goes on after a wait."""
    withdraw(cell)
    resumes = cell.resumes
    if cell.state is not S.UP_FOR_RESCHEDULE and not resumes:
        cell.try_number += 1
    cell.state = next_state(cell.state, Cause.ADMIT)
    cell.seq += 1
    cell.attempt = turn.new_id()
    cell.worker = worker.worker_id
    cell.entered = False
    cell.reason = cell.resume_at = cell.ended_at = None
    if not resumes:
        cell.started_at = None
    forgotten = turn.forget_xcoms(cell) if cell.seq > 1 and not resumes else None
    hold(turn.memory, cell)
    turn.changes.pool_used[pool.name] = turn.changes.pool_used.get(pool.name, 0) + cell.pool_slots
    turn.placed.pop(cell, None)
    turn.touch(cell)
    turn.step.submits.setdefault(worker.worker_id, []).append(attempt_of(turn.memory, cell))
    return forgotten


def retract(memory: Memory, decided: Step, pool_name: str) -> bool:
    """The step no longer admits anything to this pool; False when it did not.

    For a pool whose slots another scheduler has taken meanwhile: nothing else of a step rests on its admissions, so the
    rest may be written as it is. The pool counts as full here until it is read again.
    """
    refused = [admitted for admitted in decided.admitted if _takes_of(pool_name, admitted.cell)]
    if not refused:
        return False
    changes = decided.changes
    decided.admitted = [admitted for admitted in decided.admitted if not _takes_of(pool_name, admitted.cell)]
    gone = {admitted.cell.attempt for admitted in refused}
    for worker_id, attempts in list(decided.submits.items()):
        decided.submits[worker_id] = [attempt for attempt in attempts if attempt.attempt_id not in gone]
    changes.pool_used[pool_name] -= sum(admitted.cell.pool_slots for admitted in refused)
    for admitted in refused:
        _wait_again(memory, changes, admitted)
    rows = {admitted.cell.key(): admitted.cell.record() for admitted in refused}
    changes.tasks = [rows.get(row.key, row) for row in changes.tasks]
    pool = memory.pool(pool_name)
    if pool.slots is not None:
        pool.used = max(pool.used, pool.slots)
    return True


def _takes_of(pool_name: str, cell: Cell) -> bool:
    """Whether its attempt, or the wait that it began with, has slots of that pool."""
    return cell.pool == pool_name and (cell.live or (cell.waiting is not None and cell.waiting.held_slots > 0))


def _wait_again(memory: Memory, changes: Changes, admitted: Admitted) -> None:
    cell = admitted.cell
    if cell.live:
        let_go(memory, cell)
        cell.attempt = cell.worker = None
        cell.seq -= 1
    else:
        unbegin(memory, changes, cell)
    cell.try_number, cell.reason, cell.resume_at = admitted.try_number, admitted.reason, admitted.resume_at
    cell.started_at = admitted.started_at
    if admitted.xcoms is not None:
        changes.xcom_clears.remove(cell.key())  # once: what a clear deletes in the same step stays deleted
        changes.results += admitted.xcoms
    cell.state = admitted.state if admitted.state not in (None, S.DEFERRED) else next_state(admitted.state, Cause.WAIT)
    cell.ready = True
    memory.pool(cell.pool or cell.task.pool).push(cell)


def attempt_of(memory: Memory, cell: Cell) -> Attempt:
    """What a worker is told to run."""
    run, task = cell.run, cell.task
    dag = run.dag.record
    assert cell.attempt is not None
    return Attempt(
        attempt_id=cell.attempt, group_no=dag.group_no, epoch=memory.epochs.get(dag.group_no, 0), run=_facts(run),
        task_id=task.task_id, task_no=run.graph.numbers[cell.index], map_index=cell.map_index,
        try_number=cell.try_number, max_tries=cell.max_tries, seq=cell.seq, file=dag.file, input_hash=dag.input_hash,
        fresh=dag.fresh is not None or run.graph.spec.fresh_import, attempts_per_child=run.graph.spec.attempts_per_child,
        timeout_s=task.execution_timeout_s, zygote_max_age_s=LOOKED_FURTHER_S if dag.looked_further else None,
        log=attempt_log(dag.dag_id, run.record.run_id, task.task_id, cell.map_index, cell.seq),
        resume=_resume(cell), started_at=cell.started_at if cell.resumes else None,
        deadline_at=deadline_of(cell) if cell.goes_on else None,
    )


def _resume(cell: Cell) -> Resume | None:
    waiting = cell.waiting
    if waiting is None or waiting.fired is None:
        return None
    return Resume(next_method=waiting.wait.next_method or "", next_kwargs=waiting.wait.next_kwargs, fired=waiting.fired)


def _facts(run: Run) -> RunFacts:
    if run.facts is None:
        record = run.record
        run.facts = RunFacts(
            run_pk=run.pk, dag_id=run.dag.record.dag_id, run_id=record.run_id, run_type=record.run_type.value,
            run_after=record.run_after, logical_at=record.logical_at, interval_start=record.interval_start,
            interval_end=record.interval_end, queued_at=record.queued_at, started_at=record.started_at,
            state=record.state.value, conf=record.conf, clear_number=record.clear_number,
        )
    return run.facts
