"""A store of dictionaries and a few DAGs: what the engine needs around it in a test."""

from __future__ import annotations

import copy
import itertools
import pickle
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from tests.unit.rules.engine.queues import check_queues

from gnomon.model.attempts import Attempt, AttemptResult
from gnomon.model.ids import UNMAPPED, TaskKey
from gnomon.model.instance_mutation import MutationQuestion
from gnomon.model.records import DagRecord, DeferralRecord, GroupState, NewMail, PoolRecord, RunRecord, TaskRecord
from gnomon.model.run_callbacks import CallbackRecord, DeadlineRecord, DeadlineState
from gnomon.model.run_waits import RunWait
from gnomon.model.slots import TimetableRef
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.model.states import FINISHED_RUN_STATES, DagRunState, DagRunType
from gnomon.rules.engine import events as e
from gnomon.rules.engine.handlers.group_loading import load_groups
from gnomon.rules.engine.state.engine_state import EngineLimits, EngineState
from gnomon.rules.engine.step import step
from gnomon.rules.engine.step_context import StepResult

GROUP = 5
Record = TypeVar("Record")


def read_again(record: Record) -> Record:
    """The record as another read of its rows gives it: equal, and another object. A tenth of the time of `copy.deepcopy`.

    Only what is frozen is shared: the spec of a DAG, with all its tasks.
    """
    if isinstance(record, DagRecord):
        return replace(record, task_numbers=dict(record.task_numbers))
    copied: Record = pickle.loads(pickle.dumps(record, pickle.HIGHEST_PROTOCOL))
    return copied


def dag_record(
    tasks: Sequence[TaskSpec],
    dag_pk: int = 1,
    version: int = 1,
    numbers: dict[str, int] | None = None,
    **fields: object,
) -> DagRecord:
    spec = DagSpec(dag_id=f"dag{dag_pk}", timetable=TimetableRef(path="none"), tasks=tuple(tasks), **fields)  # type: ignore[arg-type]
    numbers = numbers if numbers is not None else {task.task_id: i for i, task in enumerate(tasks)}
    return DagRecord(
        dag_pk=dag_pk,
        dag_id=spec.dag_id,
        group_no=GROUP,
        paused=False,
        active=True,
        plan_seq=0,
        cursor=None,
        next_run=None,
        fingerprint=None,
        version_pk=version,
        spec=spec,
        task_numbers=numbers,
        file="f.py",
        input_hash="h",
    )


def chain(*task_ids: str, **fields: object) -> list[TaskSpec]:
    return [
        TaskSpec(task_id=task_id, upstream=(task_ids[i - 1],) if i else (), **fields)  # type: ignore[arg-type]
        for i, task_id in enumerate(task_ids)
    ]


class World:
    """Memory, and the rows that its steps have written."""

    def __init__(
        self, *dags: DagRecord, pools: Iterable[PoolRecord] = (), slots: int = 32, limits: EngineLimits | None = None
    ) -> None:
        self.limits = limits or EngineLimits()
        given = (PoolRecord("default_pool", 128, 0), *pools)
        self.pools = {pool.name: [pool.slots, 0] for pool in given}
        self.counts_deferred = {pool.name for pool in given if pool.include_deferred}
        self.dags = {dag.dag_pk: dag for dag in dags}
        self.all_tasks = dags[0].spec.tasks
        self.runs: dict[int, RunRecord] = {}
        self.rows: dict[TaskKey, TaskRecord] = {}
        self.waits: dict[TaskKey, DeferralRecord] = {}
        self.killed_waits: list[TaskKey] = []
        self.attempts: dict[str, str] = {}
        self.attempt_keys: set[tuple[TaskKey, int]] = set()
        self.sent: dict[str, Attempt] = {}
        self.answers: list[tuple[int, str, str]] = []
        self.run_waits: dict[tuple[int, int, str, int], RunWait] = {}
        self.callbacks: dict[str, CallbackRecord] = {}
        self.deadlines: dict[tuple[int, int], DeadlineRecord] = {}
        self.mail: list[NewMail] = []
        self.questions: list[MutationQuestion] = []
        """To `task_instance_mutation_hook`, without an answer."""
        self.now = 1_000_000
        self._ids = itertools.count()
        self._run_pks = itertools.count(1)
        self.slots = slots
        self.engine_state = self.fresh_engine_state()
        self.step(e.WorkerJoined("w", slots))

    def pool_records(self) -> tuple[PoolRecord, ...]:
        return tuple(
            PoolRecord(name, slots, used, include_deferred=name in self.counts_deferred)
            for name, (slots, used) in sorted(self.pools.items())
        )

    def fresh_engine_state(self) -> EngineState:
        """Memory as a take-over reads it."""
        engine_state = EngineState(self.limits)
        unfinished = [
            run for run in self.runs.values() if run.dag_pk in self.dags and run.state not in FINISHED_RUN_STATES
        ]
        tails = {}
        for dag_pk, dag in self.dags.items():
            if any(task.depends_on_past for task in dag.spec.tasks):
                ended = [run for run in self.runs.values() if run.dag_pk == dag_pk and run.state in FINISHED_RUN_STATES]
                tails[dag_pk] = [(read_again(run), self._rows_of(run.run_pk)) for run in ended]
        state = GroupState(
            dags=[read_again(dag) for dag in self.dags.values()],
            runs=[read_again(run) for run in unfinished],
            tasks=[row for run in unfinished for row in self._rows_of(run.run_pk)],
            previous_runs=tails,
            run_waits={run.run_pk: self.waits_of(run.run_pk) for run in unfinished},
            callbacks=[
                (copy.copy(callback), read_again(self.runs[callback.run_pk]))
                for callback in self.callbacks.values()
                if callback.ended_at is None
            ],
            deadlines={run.run_pk: self.deadlines_of(run.run_pk) for run in unfinished},
        )
        self.loaded = load_groups(engine_state, state, dict.fromkeys(self.groups(), 1))
        engine_state.update_pools(self.pool_records())
        return engine_state

    def groups(self) -> set[int]:
        """The groups that this owner has."""
        return {dag.group_no for dag in self.dags.values()}

    def waits_of(self, run_pk: int) -> list[RunWait]:
        return [copy.copy(wait) for key, wait in sorted(self.run_waits.items()) if key[0] == run_pk]

    def deadlines_of(self, run_pk: int) -> list[DeadlineRecord]:
        return [copy.copy(deadline) for key, deadline in sorted(self.deadlines.items()) if key[0] == run_pk]

    def _rows_of(self, run_pk: int) -> list[TaskRecord]:
        rows = [read_again(row) for key, row in sorted(self.rows.items()) if key.run_pk == run_pk]
        for row in rows:
            row.deferral = read_again(self.waits.get(row.key))
        return rows

    def step(self, *events: e.EngineEvent, seconds: float = 0) -> StepResult:
        """One step; its changes are written, its submissions kept in `sent`."""
        self.now += int(seconds * 1_000_000)
        loaded, self.loaded = self.loaded, []
        decided = step(self.engine_state, events, self.now, lambda: f"a{next(self._ids)}", loaded)
        check_queues(self.engine_state)
        self.questions += decided.mutation_questions
        self.write(decided)
        return decided

    def write(self, decided: StepResult) -> None:
        changes = decided.changes
        for run in changes.runs:
            self.runs[run.run_pk] = read_again(run)
        for key in changes.tasks_deleted:
            del self.rows[key]
        for row in changes.tasks:
            self.rows[row.key] = copy.copy(row)
            self.rows[row.key].deferral = None
        for key, killed in changes.deferrals_deleted:
            del self.waits[key]
            self.killed_waits += [key] if killed else []
        for key, wait in changes.deferrals.items():
            assert key not in self.waits, f"{key} waits already"
            self.waits[key] = read_again(wait)
        for key, wait in changes.deferrals_ended.items():
            self.waits[key].result = wait.result
            self.waits[key].held_slots = wait.held_slots
        for record in changes.attempts:
            assert record.attempt not in self.attempts, f"attempt {record.attempt} was recorded twice"
            self.attempts[record.attempt] = record.state
            key = (TaskKey(record.run_pk, record.task_no, record.map_index), record.seq)
            assert key not in self.attempt_keys, f"attempt number {record.seq} of {key[0]} was used twice"
            self.attempt_keys.add(key)
        for gone in changes.edge_waits_deleted:
            for key in [key for key in self.run_waits if key[:2] == gone]:
                del self.run_waits[key]
        self.run_waits.update((key, copy.copy(wait)) for key, wait in changes.run_waits.items())
        for callback_id in changes.callbacks_deleted:
            del self.callbacks[callback_id]
        self.callbacks.update((callback_id, copy.copy(callback)) for callback_id, callback in changes.callbacks.items())
        for run_pk in changes.deadlines_deleted:
            for key in [
                key for key, one in self.deadlines.items() if key[0] == run_pk and one.state is not DeadlineState.MISSED
            ]:
                del self.deadlines[key]
        self.deadlines.update((key, copy.copy(deadline)) for key, deadline in changes.deadlines.items())
        self.mail += changes.mail_sent
        for run_pk in decided.deleted_runs:
            del self.runs[run_pk]
            assert not [key for key in self.waits if key.run_pk == run_pk], f"a wait of run {run_pk} is left"
            for rows in (self.rows, self.run_waits):
                for key in [key for key in rows if key[0] == run_pk]:
                    del rows[key]  # type: ignore[attr-defined]
        for name, count in changes.pool_used.items():
            self.pools[name][1] += count
            slots, used = self.pools[name]
            assert 0 <= used and (slots < 0 or used <= slots), f"pool {name}: {used} of {slots}"
        self.answers += changes.answers
        for attempts in decided.submits.values():
            for attempt in attempts:
                self.sent[attempt.attempt_id] = attempt

    def new_run(self, dag_pk: int = 1, run_after: int | None = None) -> RunRecord:
        run_pk = next(self._run_pks)
        at = self.now if run_after is None else run_after
        run = RunRecord(
            run_pk=run_pk,
            dag_pk=dag_pk,
            run_id=f"run{run_pk}",
            run_type=DagRunType.MANUAL,
            state=DagRunState.QUEUED,
            run_after=at,
            logical_at=None,
            interval_start=None,
            interval_end=None,
            version_pk=None,
            conf={},
            queued_at=self.now,
        )
        self.runs[run_pk] = read_again(run)
        return run

    def start(self, dag_pk: int = 1, **fields: int) -> RunRecord:
        """A new run, read by the engine."""
        run = self.new_run(dag_pk, **fields)
        self.step(e.RunRead(run))
        return run

    def live(self, task_id: str | None = None) -> list[Attempt]:
        """Attempts that are under way, in the order of their submission."""
        return [a for i, a in self.sent.items() if i in self.engine_state.attempts and task_id in (None, a.task_id)]

    def end(self, task_id: str, outcome: str = "success", seconds: float = 1, **fields: object) -> StepResult:
        """The live attempt of that task ends."""
        (attempt,) = self.live(task_id)
        return self.step(self.result(attempt, outcome, **fields), seconds=seconds)

    def result(self, attempt: Attempt, outcome: str = "success", **fields: object) -> e.ResultReceived:
        return e.ResultReceived(
            AttemptResult(
                attempt_id=attempt.attempt_id,
                group_no=GROUP,
                run_pk=attempt.run.run_pk,
                task_no=attempt.task_no,
                map_index=attempt.map_index,
                outcome=outcome,
                started_at=self.now,
                ended_at=self.now,
                **fields,
            ),  # type: ignore[arg-type]
            "w",
        )

    def states(self, run: RunRecord) -> dict[str, str | None]:
        """Task id to state, from the rows; tasks without a row are left out."""
        names = {number: task_id for task_id, number in self.dags[run.dag_pk].task_numbers.items()}
        return {
            names[k.task_no]: str(r.state) if r.state else None
            for k, r in sorted(self.rows.items())
            if k.run_pk == run.run_pk
        }

    def state(self, run: RunRecord) -> str:
        return str(self.runs[run.run_pk].state)

    def key(self, run: RunRecord, task_id: str, map_index: int = UNMAPPED) -> TaskKey:
        return TaskKey(run.run_pk, self.dags[run.dag_pk].task_numbers[task_id], map_index)

    def states_of(self, run: RunRecord, task_id: str) -> dict[int, str | None]:
        """Map index to state, from the rows."""
        number = self.dags[run.dag_pk].task_numbers[task_id]
        return {
            k.map_index: str(r.state) if r.state else None
            for k, r in sorted(self.rows.items())
            if (k.run_pk, k.task_no) == (run.run_pk, number)
        }

    def indices_of(self, run: RunRecord, task_id: str) -> dict[int, str | None]:
        """Map index to state, from the memory."""
        run_in_memory = self.engine_state.runs[run.run_pk]
        instances = run_in_memory.task_instances[run_in_memory.graph.index_of[task_id]]
        return {i: str(ti.state) if ti.state else None for i, ti in sorted(instances.items())}

    def end_all(self, task_id: str, outcome: str = "success", **fields: object) -> StepResult:
        """All live attempts of that task end in one step."""
        return self.step(*(self.result(attempt, outcome, **fields) for attempt in self.live(task_id)), seconds=1)

    def take_over(self) -> None:
        """Another scheduler reads the rows; the workers still have their attempts."""
        self.engine_state = self.fresh_engine_state()
        self.step(e.WorkerJoined("w", self.slots))
        self.step(e.InventoryRead("w", dict.fromkeys((a.attempt_id for a in self.live()), False), groups=(GROUP,)))
