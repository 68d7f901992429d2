"""The runs that later decisions look at: those of the newest slots, and those of DAGs for which others wait."""

from __future__ import annotations

import itertools
import json
import zlib
from bisect import bisect_left, insort
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import DagRecord, RunRecord, TaskRecord
from gnomon.model.spec import collect_edges
from gnomon.model.states import FINISHED_RUN_STATES, RUN_STATE_CODES, DagRunState, TaskInstanceState
from gnomon.rules.engine.state.task_instance import DagRun, TaskInstance
from gnomon.storage.store.record_codec import encode_plan_state, encode_task_state
from gnomon.storage.store.transaction import Row

MemoryStatement = Callable[..., Any]
"""A statement with named arguments returns rows or the number of changed rows; a batch takes its rows and returns their number."""

KEPT_KEYS = 32
"""The newest slots and run ids of a DAG that a planned run can meet."""
KEPT_SLOTS, KEPT_SLOTS_S = 64, 40 * 86_400
"""Of a DAG for which others wait: so many of its newest slots, and all of so many seconds. Older ones are forgotten once their runs have succeeded: `previous=` looks 30 periods back at most."""
KEPT_ENDS = 1000
"""The newest ended runs of a DAG with deadlines, or with a limit of failed runs."""
_FAILED_CODES = tuple(map(encode_task_state, (TaskInstanceState.FAILED, TaskInstanceState.UPSTREAM_FAILED)))
_SUCCESS_CODE = RUN_STATE_CODES[DagRunState.SUCCESS]
_SUCCESS_TASK_CODE = encode_task_state(TaskInstanceState.SUCCESS)
_REMOVED_CODE = encode_task_state(TaskInstanceState.REMOVED)
"""States that `upstream_dags.task_states` names."""


@dataclass(slots=True)
class _KeptRun:
    """The run of a slot, as `upstream_dags.runs_of_slots` answers."""

    run_pk: int
    run_id: str
    state: int
    clear_number: int = 0


@dataclass(slots=True)
class _DagRuns:
    """What is kept of one DAG."""

    record: DagRecord
    packed: bytes | None = None
    """Its spec without tasks, as the table `dag_version` holds it."""
    holders: OrderedDict[str, Row] = field(default_factory=OrderedDict)
    """By slot key: run_pk, run_id, run_type, run_after."""
    run_ids: OrderedDict[str, Row] = field(default_factory=OrderedDict)
    """By run id: run_pk, run_id, run_type."""
    slots: dict[Instant, list[_KeptRun]] = field(default_factory=dict)
    order: list[Instant] = field(default_factory=list)
    """The keys of `slots`, sorted."""
    ends: deque[tuple[Instant, int, int | None, DagRunState]] = field(default_factory=lambda: deque(maxlen=KEPT_ENDS))
    """(run_after, run_pk, duration, state) of ended runs, if a rule of the DAG reads them."""
    trim_at: int = 2 * KEPT_SLOTS
    """Slots are forgotten when there are so many."""
    watched_tasks: tuple[str, ...] = ()
    """Those of its tasks for which another DAG waits."""


class MemoryRuns:
    """Runs and planning state by DAG, and the statements of `upstream_dags`, `commit` and `dag_runs` over them."""

    def __init__(self) -> None:
        self._dags: dict[int, _DagRuns] = {}
        self._dag_pks: dict[str, int] = {}
        self._run_pks = itertools.count(1)
        self._watched: set[str] = set()
        """The DAGs for which others wait: only their slots are kept."""
        self.watched_tasks: dict[tuple[int, int], str] = {}
        """(dag_pk, task number) to the id of each task for which another DAG waits."""
        self._watched_ids: set[tuple[str, str]] = set()
        self._task_states: dict[tuple[int, str], dict[int, int]] = {}
        """By run_pk and task: the code of the state by map index."""
        self._dag_of_run: dict[int, int] = {}
        """The unfinished runs of DAGs with watched tasks."""

    def statements(self) -> Mapping[str, MemoryStatement]:
        """By the names in `storage/store/sql`."""
        return {
            "upstream_dags.find": self.find_dag,
            "upstream_dags.slots": self.list_slots,
            "upstream_dags.slots_before": self.list_slots_before,
            "upstream_dags.planning_progress": self.read_progress,
            "upstream_dags.runs_of_slots": self.list_runs_of_slots,
            "upstream_dags.task_states": self.list_task_states,
            "commit.move_cursor": self.move_cursor,
            "commit.insert_planned_run": self.insert_planned_run,
            "commit.set_stands_for": lambda **_: 0,
            "commit.set_dag_error": self.set_dag_error,
            "commit.reject_plan": self.reject_plan,
            "dag_runs.add": self.add_run,
            "dag_runs.slot_holder": self.find_slot_holder,
            "dag_runs.run_id_holder": self.find_run_id_holder,
            "run_callbacks.durations": self.list_durations,
        }

    # ---- what the projector tells --------------------------------------------------------------------------------------
    def put_dag(self, record: DagRecord) -> None:
        """Add the DAG, or replace its record by that of another version."""
        kept = self._dags.get(record.dag_pk)
        if kept is None:
            self._dags[record.dag_pk] = _DagRuns(record)
            self._dag_pks[record.dag_id] = record.dag_pk
        else:
            kept.record, kept.packed = record, None
        for edge in collect_edges(record.spec):
            self._watched.add(edge.dependency.dag_id)
            if edge.dependency.task_id is not None:
                self._watched_ids.add((edge.dependency.dag_id, edge.dependency.task_id))
        self.watched_tasks = {
            (pk, self._dags[pk].record.task_numbers[task_id]): task_id
            for dag_id, task_id in self._watched_ids
            if (pk := self._dag_pks.get(dag_id)) is not None and task_id in self._dags[pk].record.task_numbers
        }
        by_dag: dict[int, list[str]] = defaultdict(list)
        for (dag_pk, _), task_id in self.watched_tasks.items():
            by_dag[dag_pk].append(task_id)
        for dag_pk, task_ids in by_dag.items():
            self._dags[dag_pk].watched_tasks = tuple(task_ids)

    def list_watched_tasks(self, dag_pk: int) -> Collection[str]:
        """The tasks of the DAG for which other DAGs wait."""
        return self._dags[dag_pk].watched_tasks

    def put_past_slots(self, dag_pk: int, slots: Iterable[tuple[Instant, str, DagRunState, frozenset[str]]]) -> None:
        """Slots before the projection, with the ends of their runs and the tasks that did not succeed; kept if another DAG may ask for them."""
        dag = self._dags[dag_pk]
        if dag.record.dag_id not in self._watched:
            return
        for at, run_id, state, failed_tasks in slots:
            run = _KeptRun(next(self._run_pks), run_id, RUN_STATE_CODES[state])
            dag.slots.setdefault(at, []).append(run)
            for task_id in dag.watched_tasks:
                is_failed = task_id in failed_tasks
                task_state = TaskInstanceState.FAILED if is_failed else TaskInstanceState.SUCCESS
                self._task_states[run.run_pk, task_id] = {UNMAPPED: encode_task_state(task_state)}
        dag.order = sorted(dag.slots)

    def put_unfinished(self, runs: Iterable[RunRecord], tasks: Iterable[TaskRecord]) -> None:
        """The runs that a snapshot begins with. New runs get later keys."""
        records = list(runs)
        self._run_pks = itertools.count(max([run.run_pk for run in records], default=0) + 1)
        for run in records:
            dag = self._dags.get(run.dag_pk)
            if dag is None:
                continue
            dag.run_ids[run.run_id] = (run.run_pk, run.run_id, run.run_type.value, run.run_after)
            if dag.watched_tasks:
                self._dag_of_run[run.run_pk] = run.dag_pk
            slot_at = run.slot_at
            if slot_at is None:
                continue
            key = str(run.run_after if run.interval_start is None else run.interval_start)
            dag.holders[key] = (run.run_pk, run.run_id, run.run_type.value, run.run_after)
            if dag.record.dag_id in self._watched:
                slot_run = _KeptRun(run.run_pk, run.run_id, RUN_STATE_CODES[run.state], run.clear_number)
                dag.slots.setdefault(slot_at, []).append(slot_run)
                dag.order = sorted(dag.slots)
        self.update_tasks(tasks, ())

    def put_ended(self, dag_pk: int, runs: Sequence[RunRecord]) -> None:
        """Runs that ended before the projection, newest first, of a DAG whose rules read them."""
        for run in reversed(runs):
            self._add_end(self._dags[dag_pk], run)

    def get_record(self, dag_pk: int) -> DagRecord:
        """The present record of the DAG."""
        return self._dags[dag_pk].record

    def update_run(self, run: RunRecord) -> None:
        """Keep the state of a run that ended or was cleared."""
        dag = self._dags[run.dag_pk]
        slot_at, is_ended = run.slot_at, run.state in FINISHED_RUN_STATES
        if slot_at is not None and dag.record.dag_id in self._watched:
            for slot_run in dag.slots.get(slot_at, ()):
                if slot_run.run_pk == run.run_pk:
                    slot_run.state, slot_run.clear_number = RUN_STATE_CODES[run.state], run.clear_number
        if is_ended:
            self._dag_of_run.pop(run.run_pk, None)
            spec = dag.record.spec
            if spec.deadlines or spec.max_consecutive_failed_dag_runs:
                self._add_end(dag, run)

    def _add_end(self, dag: _DagRuns, run: RunRecord) -> None:
        ended_at, started_at = run.ended_at, run.started_at
        duration = None if ended_at is None or started_at is None else ended_at - started_at
        dag.ends.append((run.run_after, run.run_pk, duration, run.state))

    def update_tasks(self, tasks: Iterable[TaskRecord], deleted: Iterable[tuple[int, int, int]]) -> None:
        """Keep the states of tasks for which other DAGs wait."""
        for run_pk, task_no, map_index in deleted:
            task_id = self._find_watched(run_pk, task_no)
            if task_id is not None:
                self._task_states.get((run_pk, task_id), {}).pop(map_index, None)
        for task in tasks:
            task_id = self._find_watched(task.run_pk, task.task_no)
            if task_id is not None:
                states = self._task_states.setdefault((task.run_pk, task_id), {})
                states[task.map_index] = encode_task_state(task.state)

    def update_instances(self, instances: Iterable[TaskInstance]) -> None:
        """Keep the states of task instances for which other DAGs wait."""
        for ti in instances:
            run = ti.run
            if run.pk in self._dag_of_run:
                task_id = self.watched_tasks.get((run.record.dag_pk, run.graph.numbers[ti.index]))
                if task_id is not None:
                    states = self._task_states.setdefault((run.pk, task_id), {})
                    states[ti.map_index] = encode_task_state(ti.state)

    def update_followed(self, tasks: Iterable[tuple[DagRun, str]]) -> None:
        """Keep that these tasks, given by their ids, have succeeded."""
        for run, task_id in tasks:
            if run.pk in self._dag_of_run:
                self._task_states[run.pk, task_id] = {UNMAPPED: _SUCCESS_TASK_CODE}

    def list_newest_ends(self, dag_pk: int, limit: int) -> list[DagRunState]:
        """The states of the newest ended runs of a DAG with `max_consecutive_failed_dag_runs`, newest first."""
        return [end[3] for end in sorted(self._dags[dag_pk].ends, key=lambda end: end[:2], reverse=True)[:limit]]

    def _find_watched(self, run_pk: int, task_no: int) -> str | None:
        dag_pk = self._dag_of_run.get(run_pk)
        return None if dag_pk is None else self.watched_tasks.get((dag_pk, task_no))

    # ---- runs ----------------------------------------------------------------------------------------------------------
    def insert_planned_run(
        self, *, dag_pk: int, run_id: str, slot_key: str, run_type: str, run_after: Instant, **_rest: object
    ) -> list[Row]:
        """The key of the new run; no row when its slot or its run id is taken."""
        dag = self._dags[dag_pk]
        if slot_key in dag.holders or run_id in dag.run_ids:
            return []
        run_pk = self._add(dag, run_id, run_type, run_after)
        dag.holders[slot_key] = dag.run_ids[run_id]
        if len(dag.holders) > KEPT_KEYS:
            dag.holders.popitem(last=False)
        if dag.record.dag_id in self._watched:
            if run_after not in dag.slots:
                insort(dag.order, run_after)
            dag.slots.setdefault(run_after, []).append(_KeptRun(run_pk, run_id, RUN_STATE_CODES[DagRunState.QUEUED]))
            if len(dag.order) >= dag.trim_at:
                self._forget_slots(dag)
        return [(run_pk,)]

    def _forget_slots(self, dag: _DagRuns) -> None:
        """Forget what no later run asks for."""
        order = dag.order
        before = min(order[-KEPT_SLOTS], order[-1] - KEPT_SLOTS_S * SECOND)
        for at in order[: bisect_left(order, before)]:
            if all(run.state == _SUCCESS_CODE for run in dag.slots[at]):
                for run in dag.slots.pop(at):
                    for task_id in dag.watched_tasks:
                        self._task_states.pop((run.run_pk, task_id), None)
        dag.order = sorted(dag.slots)
        dag.trim_at = len(dag.order) + KEPT_SLOTS

    def add_run(self, *, dag_pk: int, run_id: str, run_type: str, run_after: Instant, **_rest: object) -> list[Row]:
        """The key of a new run without a slot; no row when its run id is taken."""
        dag = self._dags[dag_pk]
        return [] if run_id in dag.run_ids else [(self._add(dag, run_id, run_type, run_after),)]

    def _add(self, dag: _DagRuns, run_id: str, run_type: str, run_after: Instant) -> int:
        run_pk = next(self._run_pks)
        dag.run_ids[run_id] = (run_pk, run_id, run_type, run_after)
        if len(dag.run_ids) > KEPT_KEYS:
            dag.run_ids.popitem(last=False)
        if dag.watched_tasks:
            self._dag_of_run[run_pk] = dag.record.dag_pk
        return run_pk

    def find_slot_holder(self, *, dag_pk: int, slot_key: str) -> list[Row]:
        """The run that has the slot."""
        holder = self._dags[dag_pk].holders.get(slot_key)
        return [] if holder is None else [holder]

    def find_run_id_holder(self, *, dag_pk: int, run_id: str) -> list[Row]:
        """The run that has the run id."""
        holder = self._dags[dag_pk].run_ids.get(run_id)
        return [] if holder is None else [holder[:3]]

    def list_durations(self, *, dag_pk: int, limit: int) -> list[Row]:
        """The durations of the newest ended runs that have started."""
        newest = sorted(self._dags[dag_pk].ends, key=lambda end: end[:2], reverse=True)
        return [(end[2],) for end in newest if end[2] is not None][:limit]

    # ---- planning ------------------------------------------------------------------------------------------------------
    def move_cursor(self, *, dag_pk: int, expected: int, **_rest: object) -> int:
        """1 if the DAG was not changed since it was read. Planner.apply_outcome writes the record, which is also the engine's."""
        record = self._dags[dag_pk].record
        return int(record.plan_seq == expected and not record.paused)

    def reject_plan(self, *, dag_pk: int, expected: int, **_rest: object) -> int:
        """As `move_cursor`: the record is written by its owner."""
        return self.move_cursor(dag_pk=dag_pk, expected=expected)

    def set_dag_error(self, *, dag_pk: int, error: str | None) -> int:
        """Show an error on the DAG."""
        self._dags[dag_pk].record.error = error
        return 1

    # ---- slots of DAGs for which others wait -----------------------------------------------------------------------------
    def find_dag(self, *, dag_id: str) -> list[Row]:
        """The DAG as far as its slots depend on it."""
        dag_pk = self._dag_pks.get(dag_id)
        if dag_pk is None:
            return []
        dag = self._dags[dag_pk]
        record = dag.record
        if dag.packed is None:
            dag.packed = zlib.compress(
                msgspec.json.encode(msgspec.structs.replace(record.spec, tasks=(), asset_watchers=())), 1
            )
        return [
            (
                dag_pk,
                dag_id,
                record.group_no,
                record.active,
                record.paused,
                encode_plan_state(record.cursor),
                encode_plan_state(record.next_run),
                dag.packed,
                record.file,
                record.input_hash,
                record.live_at,
                record.fingerprint,
                record.version_pk,
                None,
            )
        ]

    def list_slots(self, *, dag_pk: int, start: Instant, end: Instant) -> list[Row]:
        """The slots with a run in [start, end)."""
        order = self._dags[dag_pk].order
        return [(at,) for at in order[bisect_left(order, start) : bisect_left(order, end)]]

    def list_slots_before(self, *, dag_pk: int, before: Instant, limit: int) -> list[Row]:
        """The newest slots with a run before an instant, newest first."""
        order = self._dags[dag_pk].order
        end = bisect_left(order, before)
        return [(at,) for at in reversed(order[max(0, end - limit) : end])]

    def read_progress(self, *, dag_ids: Sequence[str]) -> list[Row]:
        """How far some DAGs are planned."""
        rows: list[Row] = []
        for dag_id in dag_ids:
            dag_pk = self._dag_pks.get(dag_id)
            if dag_pk is not None:
                record = self._dags[dag_pk].record
                next_at = None if record.next_run is None else record.next_run.run_after
                rows.append((dag_id, dag_pk, record.active, encode_plan_state(record.cursor), next_at))
        return rows

    def list_runs_of_slots(self, *, keys: str) -> list[Row]:
        """The runs of slots, given as pairs of DAG and slot."""
        return [
            (dag_pk, at, run.run_pk, run.run_id, run.state, run.clear_number)
            for dag_pk, at in json.loads(keys)
            for run in self._dags[dag_pk].slots.get(at, ())
        ]

    def list_task_states(self, *, keys: str) -> list[Row]:
        """The least state of each task over its map indexes, and the worst that counts as failed."""
        rows: list[Row] = []
        for run_pk, _, task_id in json.loads(keys):
            states = self._task_states.get((run_pk, task_id), {}).values()
            if states:
                least = min(states)
                failed = [state for state in states if state in _FAILED_CODES]
                removed = _REMOVED_CODE if least == _REMOVED_CODE else None
                rows.append((run_pk, task_id, least, max(failed, default=removed)))
        return rows
