"""Shared by the store tests: a database with a scheduler that owns every group, and builders of DAGs, runs and changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gnomon.model.ids import GROUPS
from gnomon.model.records import AttemptRecord, Changes, DagRecord, GroupState, PlanChange, RunRecord, TaskRecord
from gnomon.model.slots import Cursor, PlannedRun, TimetableRef
from gnomon.model.spec import DagSpec, FileInputs, ParsedDag, ParsedFile, ParseFailure, TaskSpec
from gnomon.model.states import TaskInstanceState
from gnomon.storage.store import Database, Transaction
from gnomon.storage.store.coordination import leases
from gnomon.storage.store.dag_records import dag_runs
from gnomon.storage.store.ownership import commit, group_state
from gnomon.storage.store.parsed_files import dag_files
from gnomon.storage.store.parsed_files.dag_files import FileRecordResult

AT = 1_700_000_000_000_000
DAY = 86_400_000_000


def spec(dag_id: str, tasks: Sequence[TaskSpec | str] = ("a", "b"), **options: object) -> DagSpec:
    """A DAG of these tasks."""
    built = tuple(TaskSpec(task_id=task) if isinstance(task, str) else task for task in tasks)
    return DagSpec(dag_id=dag_id, timetable=TimetableRef(path="gnomon.timetables.Null"), tasks=built, **options)  # type: ignore[arg-type]


def parsed(path: str, *specs: DagSpec, input_hash: str = "1", failures: Sequence[ParseFailure] = ()) -> ParsedFile:
    """A parse of a file that found these DAGs; a spec's hash is its text."""
    return ParsedFile(
        path=path,
        inputs=FileInputs(input_hash=input_hash, paths=((path, input_hash),)),
        failures=tuple(failures),
        dags=tuple(ParsedDag(spec=one, spec_hash=repr(one)) for one in specs),
    )


def slot(day: int, run_id: str | None = None) -> PlannedRun:
    """The run of a day, about the day itself."""
    at = AT + day * DAY
    return PlannedRun(
        run_id=run_id or f"scheduled__{day}", run_after=at + DAY, interval_start=at, interval_end=at + DAY
    )


class World:
    """A database, and a scheduler `me` that owns every group."""

    def __init__(self, db: Database, me: str = "scheduler-1") -> None:
        self.db = db
        self.me = me
        with db.write() as tx:
            leases.register_scheduler(tx, me, "host")
            leases.claim_groups(tx, me)

    def record(self, *parsed_files: ParsedFile, paused: bool = False) -> list[FileRecordResult]:
        """What the dag-processor does with parses."""
        with self.db.write() as tx:
            return dag_files.record_parsed_files(tx, parsed_files, at=AT, paused_by_default=paused)

    def dag(self, dag_id: str = "d", **options: object) -> DagRecord:
        """A DAG in a file of its own."""
        self.record(parsed(f"/dags/{dag_id}.py", spec(dag_id, **options)))  # type: ignore[arg-type]
        return self.read_dag(dag_id)

    def read_dag(self, dag_id: str) -> DagRecord:
        """The DAG as its owner loads it."""
        return next(dag for dag in self.state().dags if dag.dag_id == dag_id)

    def state(self) -> GroupState:
        """Everything that an owner of all groups loads."""
        with self.db.read() as tx:
            return group_state.load_groups(tx, range(GROUPS))

    def run(self, dag_id: str = "d", run_id: str = "m", *, day: int | None = None, **options: Any) -> RunRecord:
        """A run by hand; with a day, for that logical date."""
        with self.db.write() as tx:
            return manual(tx, dag_id, run_id, day=day, **options)

    def apply(self, changes: Changes) -> None:
        """Commit what a step changed."""
        with self.db.scheduler_write(self.me) as tx:
            commit.apply_changes(tx, changes)

    def count(self, query: str) -> int:
        """The number that a query of the test's own gives."""
        with self.db.read() as tx:
            return int(raw(tx, query)[0][0])


def check_newest_runs(db: Database) -> None:
    """Assert that the store knows the newest run of each DAG, its state and its times."""
    with db.read() as tx:
        columns = "dag_pk, run_pk, run_after, state, started_at, ended_at"
        kept = raw(tx, f"SELECT {columns} FROM newest_run")
        runs = raw(tx, f"SELECT {columns} FROM dag_run ORDER BY run_after, run_pk")
    newest = {row[0]: row for row in runs}
    assert sorted(kept) == sorted(newest.values())


def raw(tx: Transaction, text: str) -> list[tuple[object, ...]]:
    """A query that the product has no need of."""
    from gnomon.storage.store.statements import Statement

    return tx._connection.rows(Statement("test", text), {})


def manual(tx: Transaction, dag_id: str, run_id: str, *, day: int | None = None, **options: Any) -> RunRecord:
    """A run by hand in this transaction; `of_any_type` lets it have the id of a run of another type, as runs made by older versions may."""
    logical_at = None if day is None else AT + day * DAY
    return dag_runs.create_manual_run(
        tx,
        dag_id=dag_id,
        run_id=run_id,
        logical_at=logical_at,
        run_after=AT,
        interval=None,
        conf={},
        by="test",
        at=AT,
        **options,
    )


def task(
    run: RunRecord, number: int = 0, state: TaskInstanceState | None = TaskInstanceState.QUEUED, **fields: object
) -> TaskRecord:
    """A task instance row."""
    made = TaskRecord(run.run_pk, number, -1, state, try_number=1, max_tries=1, seq=1, pool="default_pool")
    if state is TaskInstanceState.SUCCESS:
        made.started_at, made.ended_at = AT, AT + 1
    return replace(made, **fields)  # type: ignore[arg-type]


def attempt(run: RunRecord, number: int = 0, seq: int = 1) -> AttemptRecord:
    """An attempt that ended well."""
    return AttemptRecord(
        run.run_pk, number, -1, seq, f"attempt-{seq}", 1, "task", "success", None, "worker-1", AT, AT + 1, 0, "x.log"
    )


def plan_change(
    dag: DagRecord, *planned: PlannedRun, believed: int | None = None, error: str | None = None
) -> PlanChange:
    """The change that planning these runs makes; the cursor stands at the last."""
    cursor = None
    if planned:
        cursor = Cursor(
            run_after=planned[-1].run_after,
            interval_start=planned[-1].interval_start,
            interval_end=planned[-1].interval_end,
        )
    return PlanChange(
        dag.dag_pk,
        dag.group_no,
        dag.plan_seq if believed is None else believed,
        cursor,
        slot(99),
        "print",
        planned,
        dag.version_pk,
        error,
    )
