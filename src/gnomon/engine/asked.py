"""Who waits for the slots of a DAG: the half of the upstream's owner (OWNERSHIP.md lines 32 and 33).

One thread answers each question and ends each run, so that no wake-up is lost: whoever asks before the end is told at the
end, whoever asks after it is told at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from gnomon.engine.cells import Cell, Dag, Run
from gnomon.engine.turn import Turn
from gnomon.model.instants import Instant
from gnomon.model.records import DagRecord, NewMail
from gnomon.model.runwaits import (
    KEEP_AFTER_ABSENT,
    KEEP_AFTER_BAD,
    NO_SLOT,
    Ask,
    Heard,
    Outcome,
    RunWait,
    SlotFact,
    gone,
)
from gnomon.model.states import FINISHED_RUN_STATES, FINISHED_TASK_STATES, DagRunState
from gnomon.model.states import TaskInstanceState as S


@dataclass(frozen=True, slots=True)
class Listener:
    """One edge of one run that waits for one slot."""

    down_run: int
    edge_no: int
    down_group: int
    task_id: str | None
    keeps: int


Listeners = dict[tuple[int, int], Listener]
"""By (down_run, edge_no)."""
Asked = dict[Instant, Listeners]
"""By slot."""


def listen(turn: Turn, ask: Ask, facts: Iterable[SlotFact]) -> None:
    """Answer what is known, and remember who asked for the rest. `facts`: of the slots, as the store knows them."""
    if ask.over:
        for at in ask.slots:
            _forget(turn, ask.up_dag, at, (ask.down_run, ask.edge_no))
        return
    if ask.down_group in turn.memory.epochs and not _still_asks(turn, ask):
        return
    listener = Listener(ask.down_run, ask.edge_no, ask.down_group, ask.task_id, ask.keeps)
    dag = turn.memory.dag_of(ask.up_dag)
    for fact in facts:
        known = _fact(dag, fact, ask.task_id)
        if known.outcome == "open" and dag is not None and _is_of_older_version(dag, ask, fact.at):
            known = SlotFact(fact.at, "changed")
        _settle(turn, ask.up_dag, listener, known)


def _is_of_older_version(dag: Dag, ask: Ask, at: Instant) -> bool:
    """The slot is to come, and was found before its DAG was edited: who asks has not been told of that."""
    return 0 < ask.version < dag.record.version_pk and at not in dag.by_slot


def _still_asks(turn: Turn, ask: Ask) -> bool:
    """Of an own run: it may have ended, or lost the dependency, in the step that reads what was asked."""
    run = turn.memory.runs.get(ask.down_run)
    return run is not None and ask.edge_no in run.edges


def stop_asking(turn: Turn, waits: Iterable[RunWait]) -> None:
    """Those of these that are open are waited for no longer: the owners of their upstreams forget who asked."""
    by_edge: dict[tuple[int, int, str], list[RunWait]] = {}
    for wait in waits:
        if wait.state.is_open:
            by_edge.setdefault((wait.down_run, wait.edge_no, wait.up_dag), []).append(wait)
    for (down_run, edge_no, up_dag), several in by_edge.items():
        slots = tuple(wait.up_at for wait in several)
        ask = Ask(up_dag, slots, down_run, several[0].down_group, edge_no, over=True)
        if several[0].up_group in turn.memory.epochs:
            listen(turn, ask, ())
        else:
            send_ask(turn, several[0].up_group, ask)


def send_ask(turn: Turn, up_group: int, ask: Ask) -> None:
    """The owner of that group gets the letter with what this step stores."""
    body = msgspec.json.encode(ask).decode()
    turn.changes.mail_sent.append(NewMail(up_group, "wait_registered", body, at=turn.now))


def run_came(turn: Turn, run: Run) -> None:
    """There is a run for a slot that somebody may have been waiting for: if its DAG is in no file, it cannot end for now."""
    if not run.dag.record.active:
        _tell_slot(turn, run, None)


def run_ended(turn: Turn, run: Run) -> None:
    """The run is over: so is every wait for its slot, but for those that hope for a better end."""
    _tell_slot(turn, run, None)


def task_ended(turn: Turn, cell: Cell) -> None:
    """A task instance is over: who waits for this task alone is told, if it was the last of its instances."""
    _tell_slot(turn, cell.run, cell.task.task_id)


def _tell_slot(turn: Turn, run: Run, task_id: str | None) -> None:
    """Tell who waits for this task of the run; `task_id` None: everybody."""
    listeners = _listeners(turn, run)
    if not listeners:
        return
    assert run.record.slot_at is not None
    for listener in list(listeners.values()):
        if task_id is None or listener.task_id == task_id:
            fact = _of_run(run, run.record.slot_at, listener.task_id)
            if fact.outcome != "open":
                _settle(turn, run.dag.record.dag_id, listener, fact)


def run_begins_again(turn: Turn, run: Run, waited_for: Iterable[Ask]) -> None:
    """The run, or tasks of it, were cleared: who was told, and has not started, waits again. `waited_for`: all who have asked."""
    slot = run.record.slot_at
    if slot is None:
        return
    for ask in waited_for:
        if _ended(run, slot, ask.task_id).outcome == "open":
            _tell_anew(turn, run, Listener(ask.down_run, ask.edge_no, ask.down_group, ask.task_id, ask.keeps))


def run_dropped(turn: Turn, run: Run) -> None:
    """The run is deleted: its slot is absent."""
    for listener in list((_listeners(turn, run) or {}).values()):
        assert run.record.slot_at is not None
        _settle(turn, run.dag.record.dag_id, listener, SlotFact(run.record.slot_at, "absent", note=f"run {run.record.run_id} was deleted"))


def cursor_moved(turn: Turn, dag: Dag, before: Instant | None, upto: Instant, facts: Iterable[SlotFact]) -> None:
    """Slots that were decided on and have no run are absent. `facts`: of those that somebody waits for."""
    known = {fact.at: fact for fact in facts}
    asked = turn.memory.asked.get(dag.record.dag_id, {})
    for at in [at for at in asked if at != NO_SLOT and (before is None or before < at) and at <= upto]:
        fact = known.get(at) or SlotFact(at, "absent")
        for listener in list(asked[at].values()):
            _settle(turn, dag.record.dag_id, listener, _fact(dag, fact, listener.task_id))


def dag_changed(turn: Turn, dag: Dag, before: DagRecord | None) -> None:
    """The DAG is new, has another schedule, left its file or came back: slots that are to come are found again, or are bad.

    `before` None: nobody knows what it was; an owner who loaded it has the change in memory before the letter about it.
    """
    record = dag.record
    asked = turn.memory.asked.get(record.dag_id)
    if not asked:
        return
    if not record.active:
        if before is None or before.active:
            for at, listener in _coming(dag, asked):
                _settle(turn, record.dag_id, listener, SlotFact(at, "bad", note=gone(record.dag_id)))
            _tell_under_way(turn, dag, asked)
        return
    if before is None or not before.active or _schedule(before) != _schedule(record):
        for at, listener in _coming(dag, asked):
            _settle(turn, record.dag_id, listener, SlotFact(at, "changed"))
    if before is None or not before.active:
        _tell_under_way(turn, dag, asked)


def _tell_under_way(turn: Turn, dag: Dag, asked: Asked) -> None:
    """Runs that are under way can end again, or cannot for now: who waits for their slots is told."""
    for at in [at for at in asked if at in dag.by_slot]:
        for listener in list(asked[at].values()):
            if _ended(dag.by_slot[at], at, listener.task_id).outcome == "open":
                _tell_anew(turn, dag.by_slot[at], listener)


def _tell_anew(turn: Turn, run: Run, listener: Listener) -> None:
    """Whoever was told of the slot hears that it is open again, or that it cannot end for now."""
    assert run.record.slot_at is not None
    fact = _of_run(run, run.record.slot_at, listener.task_id)
    if fact.outcome == "open":
        _tell(turn, listener, fact)
    _settle(turn, run.dag.record.dag_id, listener, fact)


def dag_gone(turn: Turn, dag_id: str) -> None:
    """The DAG was deleted: it is unknown to all who wait for it."""
    for at, listeners in list(turn.memory.asked.get(dag_id, {}).items()):
        for listener in list(listeners.values()):
            _settle(turn, dag_id, listener, SlotFact(at, "changed"))


def _coming(dag: Dag, asked: Asked) -> list[tuple[Instant, Listener]]:
    """Waits for slots that have no run yet, and for the DAG itself."""
    cursor = dag.record.cursor
    past = None if cursor is None else cursor.run_after
    return [
        (at, listener)
        for at, listeners in asked.items()
        if at == NO_SLOT or (at not in dag.by_slot and (past is None or at > past))
        for listener in listeners.values()
    ]


def _schedule(record: DagRecord) -> tuple[object, ...]:
    spec = record.spec
    return spec.timetable, spec.start_at, spec.end_at, spec.timezone


def _listeners(turn: Turn, run: Run) -> Listeners | None:
    asked = turn.memory.asked.get(run.dag.record.dag_id)
    slot = run.record.slot_at
    return None if asked is None or slot is None else asked.get(slot)


def _fact(dag: Dag | None, fact: SlotFact, task_id: str | None) -> SlotFact:
    """What is known now: of a run in memory what it is, of any other slot what the store said."""
    if fact.at == NO_SLOT:
        return SlotFact(NO_SLOT, "changed" if dag is not None and dag.record.active else "open")
    run = dag.by_slot.get(fact.at) if dag is not None else None
    return fact if run is None else _of_run(run, fact.at, task_id)


def _of_run(run: Run, at: Instant, task_id: str | None) -> SlotFact:
    """What is known of the slot of a run in memory; one that has not ended and whose DAG is in no file is bad."""
    fact = _ended(run, at, task_id)
    if fact.outcome == "open" and not run.dag.record.active:
        return SlotFact(at, "bad", fact.clear_number, gone(run.dag.record.dag_id))
    return fact


def _ended(run: Run, at: Instant, task_id: str | None) -> SlotFact:
    """How the run, or the task of it, ended; open if it has not."""
    record = run.record
    if task_id is not None:
        return _of_task(run, at, task_id)
    if record.state not in FINISHED_RUN_STATES:
        return SlotFact(at, "open", record.clear_number)
    outcome: Outcome = "ok" if record.state is DagRunState.SUCCESS else "bad"
    return SlotFact(at, outcome, record.clear_number, f"run {record.run_id} {_ENDED[outcome]}")


def _of_task(run: Run, at: Instant, task_id: str) -> SlotFact:
    """All instances of the task must have ended; a run that ended without it is bad."""
    record = run.record
    index = run.graph.index.get(task_id)
    states = [] if index is None else [cell.state for cell in run.cells[index].values()]
    ended = record.state in FINISHED_RUN_STATES
    if not ended and (index is None or not states or any(state not in FINISHED_TASK_STATES for state in states)):
        return SlotFact(at, "open", record.clear_number)
    if not states or any(state is None for state in states):
        return SlotFact(at, "bad", record.clear_number, f"run {record.run_id} ended without task {task_id}")
    outcome: Outcome = "ok" if all(state in _GOOD for state in states) else "bad"
    return SlotFact(at, outcome, record.clear_number, f"task {task_id} of run {record.run_id} {_ENDED[outcome]}")


def _settle(turn: Turn, dag_id: str, listener: Listener, fact: SlotFact) -> None:
    """Tell the listener what there is to tell, and keep it if it wants to hear more of this slot."""
    if fact.outcome != "open":
        _tell(turn, listener, fact)
    asked = turn.memory.asked
    key = (listener.down_run, listener.edge_no)
    if fact.outcome == "open" or listener.keeps & _KEEP.get(fact.outcome, 0):
        asked.setdefault(dag_id, {}).setdefault(fact.at, {})[key] = listener
    else:
        _forget(turn, dag_id, fact.at, key)


def _forget(turn: Turn, dag_id: str, at: Instant, key: tuple[int, int]) -> None:
    slots = turn.memory.asked.get(dag_id)
    listeners = None if slots is None else slots.get(at)
    if slots is None or listeners is None or listeners.pop(key, None) is None:
        return
    if not listeners:
        del slots[at]
    if not slots:
        del turn.memory.asked[dag_id]


def _tell(turn: Turn, listener: Listener, fact: SlotFact) -> None:
    """To this owner's own runs within the step, to any other by letter."""
    heard = Heard(listener.down_run, listener.edge_no, fact)
    if listener.down_group in turn.memory.epochs:
        turn.news.append(heard)
    else:
        turn.letters.setdefault(listener.down_group, []).append(heard)


_GOOD = frozenset({S.SUCCESS, S.SKIPPED})
_KEEP: dict[Outcome, int] = {"bad": KEEP_AFTER_BAD, "absent": KEEP_AFTER_ABSENT}
_ENDED: dict[Outcome, str] = {"ok": "succeeded", "bad": "failed"}
