"""An upstream DAG as those who depend on it see it: its timetable, its slots, and what is known of each (DEPENDENCIES.md)."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from gnomon.model.instants import Instant
from gnomon.model.runwaits import NO_SLOT, Ask, SlotFact, gone
from gnomon.model.slots import Cursor, Passed, PlannedRun
from gnomon.model.spec import DagSpec
from gnomon.model.states import FIRST_FINAL_CODE, RUN_STATE_CODES, TASK_STATES_BY_CODE, DagRunState
from gnomon.planning import decided_upto
from gnomon.store import events
from gnomon.store.rows import unpack_cursor, unpack_planned
from gnomon.store.specs import unpack_bare
from gnomon.store.transaction import Transaction

BATCH = 5000
"""Slots that one statement is given."""
_Key = TypeVar("_Key", str, tuple[int, Instant], tuple[int, int, str])
_Slot = tuple[str, Instant, str | None]
"""A DAG id, the planned time, and the task that is waited for (None: the whole run)."""


@dataclass(frozen=True, slots=True)
class Upstream:
    """One DAG with what its slots are found from."""

    dag_pk: int
    dag_id: str
    group_no: int
    active: bool
    paused: bool
    cursor: Cursor | None
    next_run: PlannedRun | None
    spec: DagSpec
    """Without tasks."""
    file: str
    input_hash: str
    live_at: Instant | None
    fingerprint: str | None
    version_pk: int

    @property
    def decided(self) -> Instant | None:
        """The instant up to which its slots are decided on."""
        return decided_upto(self.cursor, self.next_run, self.fingerprint, self.spec)


@dataclass(frozen=True, slots=True)
class _Dag:
    """How far a DAG is planned."""

    dag_pk: int
    active: bool
    upto: Instant | None
    next_at: Instant | None


@dataclass(frozen=True, slots=True)
class _Run:
    """The run that stands for a slot."""

    run_pk: int
    run_id: str
    state: int
    clear_number: int


def find(tx: Transaction, dag_id: str) -> Upstream | None:
    """The DAG, in a file or not; None when there is none."""
    row = tx.one("upstream.find", dag_id=dag_id)
    if row is None:
        return None
    dag_pk, dag_id, group_no, active, paused, cursor, next_body, spec, path, input_hash, live_at, fingerprint, version_pk = row
    return Upstream(
        dag_pk, dag_id, group_no, bool(active), bool(paused), unpack_cursor(cursor), unpack_planned(next_body),
        unpack_bare(spec), path, input_hash, live_at, fingerprint, version_pk,
    )


def slots_with_runs(tx: Transaction, dag_pk: int, start: Instant, end: Instant) -> list[Instant]:
    """The planned times in [start, end) that a run of the DAG stands for, ascending."""
    return [at for (at,) in tx.all("upstream.slots", dag_pk=dag_pk, start=start, end=end)]


def slots_before(tx: Transaction, dag_pk: int, before: Instant, n: int) -> list[Instant]:
    """The newest `n` planned times before an instant that a run of the DAG stands for, ascending."""
    return [at for (at,) in reversed(tx.all("upstream.slots_before", dag_pk=dag_pk, before=before, most=n))]


def runs_of_slots(tx: Transaction, dag_pk: int, slots: Iterable[Instant]) -> dict[Instant, list[tuple[str, int]]]:
    """By slot the runs (run_id, clear_number) that stand for it; slots without one are left out."""
    found = _runs(tx, {(dag_pk, at) for at in slots})
    return {at: [(run.run_id, run.clear_number) for run in several] for (_, at), several in found.items()}


def slot_facts(tx: Transaction, up_dag: str, slots: Sequence[Instant], task_id: str | None = None) -> tuple[SlotFact, ...]:
    """What is known of these slots of a DAG, in their order; with a task, of that task of their runs.

    A slot has its outcome from its run. Without one it is absent if planning passed it, open if planning is not there yet,
    bad if the DAG is in no file; so is one whose run has not ended then. A DAG that is not known leaves all open. NO_SLOT is
    `changed` once there is such a DAG.
    """
    facts = _facts(tx, {(up_dag, at, task_id) for at in slots})
    return tuple(facts[up_dag, at, task_id] for at in slots)


def with_facts(tx: Transaction, asks: Sequence[Ask]) -> list[tuple[Ask, tuple[SlotFact, ...]]]:
    """Each ask with what is known of its slots, all found together."""
    facts = _facts(tx, {(ask.up_dag, at, ask.task_id) for ask in asks for at in ask.slots})
    return [(ask, tuple(facts[ask.up_dag, at, ask.task_id] for at in ask.slots)) for ask in asks]


def _facts(tx: Transaction, wanted: set[_Slot]) -> dict[_Slot, SlotFact]:
    dags = _dags(tx, {up_dag for up_dag, _, _ in wanted})
    runs = _runs(tx, {(dags[up_dag].dag_pk, at) for up_dag, at, _ in wanted if up_dag in dags and at != NO_SLOT})
    tasks = _tasks(tx, wanted, dags, runs)
    notes, decided = _Notes(tx), _Decided(tx)
    facts = {}
    for slot in wanted:
        up_dag, at, task_id = slot
        dag = dags.get(up_dag)
        stands = [] if dag is None else runs.get((dag.dag_pk, at), [])
        if stands:
            heard = [_of_run(at, run) if task_id is None else _of_task(at, run, task_id, tasks) for run in stands]
            fact = min(heard, key=lambda fact: ("open", "bad", "ok").index(fact.outcome))
            is_stuck = fact.outcome == "open" and dag is not None and not dag.active
            facts[slot] = SlotFact(at, "bad", fact.clear_number, gone(up_dag)) if is_stuck else fact
        else:
            facts[slot] = _without_run(up_dag, dag, at, notes, decided)
    return facts


def _without_run(up_dag: str, dag: _Dag | None, at: Instant, notes: _Notes, decided: _Decided) -> SlotFact:
    if dag is None:
        return SlotFact(at, "open")
    if at == NO_SLOT:
        return SlotFact(at, "changed" if dag.active else "open")
    if (dag.upto is not None and at <= dag.upto) or (dag.next_at is not None and at < dag.next_at and decided.on(up_dag, at)):
        return SlotFact(at, "absent", note=notes.on(dag.dag_pk, at))
    return SlotFact(at, "open") if dag.active else SlotFact(at, "bad", note=gone(up_dag))


def _of_run(at: Instant, run: _Run) -> SlotFact:
    if run.state < FIRST_FINAL_CODE:
        return SlotFact(at, "open", run.clear_number)
    if run.state == RUN_STATE_CODES[DagRunState.SUCCESS]:
        return SlotFact(at, "ok", run.clear_number)
    return SlotFact(at, "bad", run.clear_number, f"run {run.run_id} failed")


def _of_task(at: Instant, run: _Run, task_id: str, tasks: dict[tuple[int, str], tuple[int, int | None]]) -> SlotFact:
    """Of one task, over all its map indices; it may have ended though its run has not."""
    least, worst = tasks.get((run.run_pk, task_id), (None, None))
    has_ended = run.state >= FIRST_FINAL_CODE
    if least is None or least < FIRST_FINAL_CODE:
        if not has_ended:
            return SlotFact(at, "open", run.clear_number)
        return SlotFact(at, "bad", run.clear_number, f"run {run.run_id} ended without task {task_id}")
    if worst is None:
        return SlotFact(at, "ok", run.clear_number)
    return SlotFact(at, "bad", run.clear_number, f"task {task_id} of run {run.run_id}: {TASK_STATES_BY_CODE[worst]}")


def _dags(tx: Transaction, dag_ids: set[str]) -> dict[str, _Dag]:
    found: dict[str, _Dag] = {}
    for part in _batches(dag_ids):
        for dag_id, dag_pk, active, packed, next_at in tx.all("upstream.dags", dag_ids=part):
            cursor = unpack_cursor(packed)
            found[dag_id] = _Dag(dag_pk, bool(active), None if cursor is None else cursor.run_after, next_at)
    return found


def _runs(tx: Transaction, wanted: set[tuple[int, Instant]]) -> dict[tuple[int, Instant], list[_Run]]:
    """By DAG and slot. Several runs stand for one slot where a timetable has two slots at one instant."""
    found: dict[tuple[int, Instant], list[_Run]] = defaultdict(list)
    for part in _batches(wanted):
        for dag_pk, at, *run in tx.all("upstream.runs", asked=json.dumps(part)):
            found[dag_pk, at].append(_Run(*run))
    return found


def _tasks(
    tx: Transaction, wanted: set[_Slot], dags: dict[str, _Dag], runs: dict[tuple[int, Instant], list[_Run]]
) -> dict[tuple[int, str], tuple[int, int | None]]:
    """By run and task: the least state code over its map indices, and the worst one that is bad."""
    asked = {
        (run.run_pk, dags[up_dag].dag_pk, task_id)
        for up_dag, at, task_id in wanted if task_id is not None and up_dag in dags
        for run in runs.get((dags[up_dag].dag_pk, at), [])
    }
    return {
        (run_pk, task_id): (least, worst)
        for part in _batches(asked)
        for run_pk, task_id, least, worst in tx.all("upstream.tasks", asked=json.dumps(part))
    }


class _Decided:
    """Which slots before a stored next run are decided on; the DAG is read for it once, and only then."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx
        self._upto: dict[str, Instant | None] = {}

    def on(self, dag_id: str, at: Instant) -> bool:
        if dag_id not in self._upto:
            up = find(self._tx, dag_id)
            self._upto[dag_id] = None if up is None else up.decided
        upto = self._upto[dag_id]
        return upto is not None and at <= upto


class _Notes:
    """Why slots were passed, read once for each DAG of which somebody asks."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx
        self._passed: dict[int, list[Passed]] = {}

    def on(self, dag_pk: int, at: Instant) -> str | None:
        passed = self._passed.get(dag_pk)
        if passed is None:
            lines = events.passed(self._tx, dag_pk)
            passed = [msgspec.json.decode(line.body, type=Passed) for line in lines if line.kind == "slots_passed"]
            self._passed[dag_pk] = passed
        return next((f"no run was made: {note.reason}" for note in passed if note.first <= at < note.until), None)


def _batches(keys: Iterable[_Key]) -> list[list[_Key]]:
    """In the order of the indexes, so that neighbours are read from one page."""
    ordered = sorted(keys)
    return [ordered[start : start + BATCH] for start in range(0, len(ordered), BATCH)]
