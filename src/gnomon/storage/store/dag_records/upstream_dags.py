"""An upstream DAG as its downstream DAGs see it: its timetable, its slots, and the outcome of each slot (docs/reference/dependencies.md)."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from gnomon.model.instants import Instant
from gnomon.model.run_waits import NO_SLOT, SlotFact, SubscriptionMessage, missing_dag_note
from gnomon.model.sentences import render, say
from gnomon.model.slots import Cursor, PlannedRun, SkippedSlots
from gnomon.model.spec import DagSpec
from gnomon.model.states import FIRST_FINAL_CODE, RUN_STATE_CODES, RUN_STATES_BY_CODE, TASK_STATES_BY_CODE, DagRunState
from gnomon.rules.planning import compute_decided_until
from gnomon.storage.store.dag_records import backfills, event_log
from gnomon.storage.store.record_codec import decode_cursor, decode_planned_run, decode_spec_without_tasks
from gnomon.storage.store.transaction import Transaction

SLOTS_PER_STATEMENT = 5000
"""The largest number of slots in one statement."""
_Key = TypeVar("_Key", str, tuple[int, Instant], tuple[int, int, str])
_SlotKey = tuple[str, Instant, str | None]
"""DAG id, planned time, and the upstream task (None: the whole run)."""


@dataclass(frozen=True, slots=True)
class UpstreamDag:
    """One DAG with everything that its slots are computed from."""

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
    backfilled_from: Instant | None = None
    """Start of the range of its earliest backfill, which may be before the start date."""

    @property
    def decided_until(self) -> Instant | None:
        """The instant up to which planning has decided on its slots."""
        return compute_decided_until(self.cursor, self.next_run, self.fingerprint, self.spec)


@dataclass(frozen=True, slots=True)
class _PlanningProgress:
    """How far a DAG was planned."""

    dag_pk: int
    active: bool
    upto: Instant | None
    next_at: Instant | None


@dataclass(frozen=True, slots=True)
class _SlotRun:
    """The run of a slot."""

    run_pk: int
    run_id: str
    state: int
    clear_number: int


def find_upstream_dag(tx: Transaction, dag_id: str) -> UpstreamDag | None:
    """The DAG, active or not; None when it does not exist."""
    row = tx.one("upstream_dags.find", dag_id=dag_id)
    if row is None:
        return None
    (
        dag_pk,
        dag_id,
        group_no,
        active,
        paused,
        cursor,
        next_body,
        spec,
        path,
        input_hash,
        live_at,
        fingerprint,
        version_pk,
        backfilled_from,
    ) = row
    return UpstreamDag(
        dag_pk,
        dag_id,
        group_no,
        bool(active),
        bool(paused),
        decode_cursor(cursor),
        decode_planned_run(next_body),
        decode_spec_without_tasks(spec),
        path,
        input_hash,
        live_at,
        fingerprint,
        version_pk,
        backfilled_from,
    )


def list_slots_with_runs(tx: Transaction, dag_pk: int, start: Instant, end: Instant) -> list[Instant]:
    """The planned times in [start, end) that have a run of the DAG, ascending."""
    return [at for (at,) in tx.all("upstream_dags.slots", dag_pk=dag_pk, start=start, end=end)]


def list_runs_in_slots(
    tx: Transaction, dag_pk: int, start: Instant, end: Instant, limit: int
) -> list[tuple[Instant, str, DagRunState]]:
    """(planned time, run_id, state) of the runs in the slots in [start, end), ascending; at most `limit`."""
    rows = tx.all("upstream_dags.runs_in_slots", dag_pk=dag_pk, start=start, end=end, limit=limit)
    return [(at, run_id, RUN_STATES_BY_CODE[state]) for at, run_id, state in rows]


def list_slots_before(tx: Transaction, dag_pk: int, before: Instant, n: int) -> list[Instant]:
    """The newest `n` planned times before an instant that have a run of the DAG, ascending."""
    return [at for (at,) in reversed(tx.all("upstream_dags.slots_before", dag_pk=dag_pk, before=before, limit=n))]


def list_runs_of_slots(tx: Transaction, dag_pk: int, slots: Iterable[Instant]) -> dict[Instant, list[tuple[str, int]]]:
    """The runs (run_id, clear_number) of each slot; slots without a run are left out."""
    runs_of_slots = _load_runs(tx, {(dag_pk, at) for at in slots})
    return {at: [(run.run_id, run.clear_number) for run in several] for (_, at), several in runs_of_slots.items()}


def load_slot_facts(
    tx: Transaction, up_dag: str, slots: Sequence[Instant], task_id: str | None = None
) -> tuple[SlotFact, ...]:
    """The facts of these slots of a DAG, in order; with `task_id` those of the task in the runs of the slots.

    The outcome of a slot is that of its run. A slot without a run is absent if planning has skipped it and open if planning has
    not reached it. If no file defines the DAG, a slot that is not planned and a run that has not ended are bad. If the DAG does not
    exist, all slots are open. NO_SLOT is `changed` as soon as the DAG is active.
    """
    facts = _load_facts(tx, {(up_dag, at, task_id) for at in slots})
    return tuple(facts[up_dag, at, task_id] for at in slots)


def attach_slot_facts(
    tx: Transaction, subscriptions: Sequence[SubscriptionMessage]
) -> list[tuple[SubscriptionMessage, tuple[SlotFact, ...]]]:
    """Each subscription with the facts of its slots, which are read together."""
    facts = _load_facts(tx, {(each.up_dag, at, each.task_id) for each in subscriptions for at in each.slots})
    return [(each, tuple(facts[each.up_dag, at, each.task_id] for at in each.slots)) for each in subscriptions]


def _load_facts(tx: Transaction, slots: set[_SlotKey]) -> dict[_SlotKey, SlotFact]:
    dags = _load_progress(tx, {up_dag for up_dag, _, _ in slots})
    runs = _load_runs(tx, {(dags[up_dag].dag_pk, at) for up_dag, at, _ in slots if up_dag in dags and at != NO_SLOT})
    tasks = _load_task_states(tx, slots, dags, runs)
    notes, decided, filling = _SkippedSlotNotes(tx), _DecidedSlots(tx), _BackfilledSlots(tx)
    facts = {}
    for slot in slots:
        up_dag, at, task_id = slot
        dag = dags.get(up_dag)
        slot_runs = [] if dag is None else runs.get((dag.dag_pk, at), [])
        if slot_runs:
            candidates = [
                _fact_of_run(at, run) if task_id is None else _fact_of_task(at, run, task_id, tasks)
                for run in slot_runs
            ]
            fact = min(candidates, key=lambda fact: ("open", "bad", "ok").index(fact.outcome))
            is_stuck = fact.outcome == "open" and dag is not None and not dag.active
            facts[slot] = SlotFact(at, "bad", fact.clear_number, missing_dag_note(up_dag)) if is_stuck else fact
        else:
            fact = _fact_without_run(up_dag, dag, at, notes, decided)
            is_coming = fact.outcome == "absent" and dag is not None and filling.may_have(dag.dag_pk, at)
            facts[slot] = SlotFact(at, "open") if is_coming else fact
    return facts


def _fact_without_run(
    up_dag: str, dag: _PlanningProgress | None, at: Instant, notes: _SkippedSlotNotes, decided: _DecidedSlots
) -> SlotFact:
    if dag is None:
        return SlotFact(at, "open")
    if at == NO_SLOT:
        return SlotFact(at, "changed" if dag.active else "open")
    if (dag.upto is not None and at <= dag.upto) or (
        dag.next_at is not None and at < dag.next_at and decided.on(up_dag, at)
    ):
        return SlotFact(at, "absent", note=notes.on(dag.dag_pk, at))
    return SlotFact(at, "open") if dag.active else SlotFact(at, "bad", note=missing_dag_note(up_dag))


def _fact_of_run(at: Instant, run: _SlotRun) -> SlotFact:
    if run.state < FIRST_FINAL_CODE:
        return SlotFact(at, "open", run.clear_number)
    if run.state == RUN_STATE_CODES[DagRunState.SUCCESS]:
        return SlotFact(at, "ok", run.clear_number)
    return SlotFact(at, "bad", run.clear_number, f"run {run.run_id} failed")


def _fact_of_task(
    at: Instant, run: _SlotRun, task_id: str, tasks: dict[tuple[int, str], tuple[int, int | None]]
) -> SlotFact:
    """The fact of one task over all its map indexes; it may have ended before its run."""
    least, worst = tasks.get((run.run_pk, task_id), (None, None))
    has_ended = run.state >= FIRST_FINAL_CODE
    if least is None or least < FIRST_FINAL_CODE:
        if not has_ended:
            return SlotFact(at, "open", run.clear_number)
        return SlotFact(at, "bad", run.clear_number, f"run {run.run_id} ended without task {task_id}")
    if worst is None:
        return SlotFact(at, "ok", run.clear_number)
    return SlotFact(at, "bad", run.clear_number, f"task {task_id} of run {run.run_id}: {TASK_STATES_BY_CODE[worst]}")


def _load_progress(tx: Transaction, dag_ids: set[str]) -> dict[str, _PlanningProgress]:
    progress: dict[str, _PlanningProgress] = {}
    for part in _split_keys(dag_ids):
        for dag_id, dag_pk, active, packed, next_at in tx.all("upstream_dags.planning_progress", dag_ids=part):
            cursor = decode_cursor(packed)
            progress[dag_id] = _PlanningProgress(
                dag_pk, bool(active), None if cursor is None else cursor.run_after, next_at
            )
    return progress


def _load_runs(tx: Transaction, slots: set[tuple[int, Instant]]) -> dict[tuple[int, Instant], list[_SlotRun]]:
    """The runs by DAG and slot. A slot has several runs where a timetable has two slots at the same instant."""
    runs_by_slot: dict[tuple[int, Instant], list[_SlotRun]] = defaultdict(list)
    for part in _split_keys(slots):
        for dag_pk, at, *run in tx.all("upstream_dags.runs_of_slots", keys=json.dumps(part)):
            runs_by_slot[dag_pk, at].append(_SlotRun(*run))
    return runs_by_slot


def _load_task_states(
    tx: Transaction,
    slots: set[_SlotKey],
    dags: dict[str, _PlanningProgress],
    runs: dict[tuple[int, Instant], list[_SlotRun]],
) -> dict[tuple[int, str], tuple[int, int | None]]:
    """By run and task: the least state code over its map indexes, and the greatest code that counts as bad."""
    wanted_tasks = {
        (run.run_pk, dags[up_dag].dag_pk, task_id)
        for up_dag, at, task_id in slots
        if task_id is not None and up_dag in dags
        for run in runs.get((dags[up_dag].dag_pk, at), [])
    }
    return {
        (run_pk, task_id): (least, worst)
        for part in _split_keys(wanted_tasks)
        for run_pk, task_id, least, worst in tx.all("upstream_dags.task_states", keys=json.dumps(part))
    }


class _DecidedSlots:
    """Whether planning has decided on slots before a stored next run; each DAG is read at most once."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx
        self._upto: dict[str, Instant | None] = {}

    def on(self, dag_id: str, at: Instant) -> bool:
        if dag_id not in self._upto:
            up = find_upstream_dag(self._tx, dag_id)
            self._upto[dag_id] = None if up is None else up.decided_until
        upto = self._upto[dag_id]
        return upto is not None and at <= upto


class _BackfilledSlots:
    """Whether a backfill that is still finding its slots may create a run for a slot; each DAG is read at most once."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx
        self._ranges: dict[int, tuple[Instant, Instant] | None] = {}

    def may_have(self, dag_pk: int, at: Instant) -> bool:
        if dag_pk not in self._ranges:
            self._ranges[dag_pk] = backfills.find_uncovered_range(self._tx, dag_pk)
        uncovered = self._ranges[dag_pk]
        return uncovered is not None and uncovered[0] < at <= uncovered[1]


class _SkippedSlotNotes:
    """Why slots were skipped; each DAG is read at most once."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx
        self._passed: dict[int, list[SkippedSlots]] = {}

    def on(self, dag_pk: int, at: Instant) -> str | None:
        notes = self._passed.get(dag_pk)
        if notes is None:
            lines = event_log.list_skipped_slots(self._tx, dag_pk)
            notes = [msgspec.json.decode(line.body, type=SkippedSlots) for line in lines if line.kind == "slots_passed"]
            self._passed[dag_pk] = notes
        reason = next((note.reason for note in notes if note.first <= at < note.until), None)
        return None if reason is None else render(say("no_run_was_made", reason=reason))


def _split_keys(keys: Iterable[_Key]) -> list[list[_Key]]:
    """Sorted as the indexes are, so that neighbours are read from the same page."""
    ordered = sorted(keys)
    return [ordered[start : start + SLOTS_PER_STATEMENT] for start in range(0, len(ordered), SLOTS_PER_STATEMENT)]
