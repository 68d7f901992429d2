"""DAGs as listings and `gnomon dags show` print them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gnomon.model.instants import Instant, iso
from gnomon.model.records import DagRecord
from gnomon.model.sentences import Sentence, render, say
from gnomon.model.sentences.stored_sentences import StoredText, read_text
from gnomon.model.spec import DagSpec, TaskSpec, collect_edges
from gnomon.model.states import DagRunState
from gnomon.queries.report.listings.import_problems import (
    find_planning_error,
    list_calendar_warnings,
    list_import_errors,
    list_upstream_warnings,
    select_dag_warnings,
)
from gnomon.queries.report.listings.not_found import dag_not_found
from gnomon.queries.report.next_runs import UpcomingRunsQuery
from gnomon.queries.report.waits.edge_wording import describe_edge
from gnomon.rules.assets.schedule_words import describe_schedule, summarize_schedule
from gnomon.rules.planning import resolve_misfire
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records import dag_runs, dags
from gnomon.storage.store.ownership import group_state
from gnomon.storage.store.parsed_files import dag_files


@dataclass(frozen=True, slots=True)
class DagSummary:
    """A DAG in a list."""

    dag_id: str
    schedule: str
    paused: bool
    active: bool
    """False: the DAG was deleted, no file defines it any more."""
    next_run: str | None
    last_run_id: str | None
    last_run_state: str | None
    owner: str
    tags: list[str]
    file: str
    error: str | None
    warnings: list[str]
    """Problems that stop it later: its calendar ends soon, or it waits for a DAG that does not exist."""


@dataclass(frozen=True, slots=True)
class TaskSummary:
    """A task of a DAG."""

    task_id: str
    operator: str
    group: str | None
    upstream: list[str]
    trigger_rule: str
    retries: int
    pool: str
    owner: str


@dataclass(frozen=True, slots=True)
class DagDetail:
    """A DAG with everything that `dags show` prints."""

    dag_id: str
    description: str | None
    file: str
    owner: str
    tags: list[str]
    paused: bool
    active: bool
    error: str | None
    warnings: list[str]
    """Warnings from parsing its file, and about its calendar and its upstream DAGs."""
    schedule: str
    schedule_description: str
    schedule_family: str
    dialect: str
    """The version of Airflow whose defaults it follows, and why."""
    timezone: str
    start_date: str | None
    end_date: str | None
    catchup: bool
    catchup_window_s: float | None
    misfire: str
    """The misfire policy, with the default filled in."""
    overlap: str
    jitter_s: float
    max_active_runs: int
    max_active_tasks: int
    depends_on: list[str]
    """A sentence for each dependency of its runs and tasks on other DAGs."""
    needed_by: list[str]
    """The DAGs that wait for this DAG or for one of its tasks."""
    processes: str
    """The kind of process in which its tasks run, and why."""
    params: dict[str, object]
    next_runs: list[dict[str, str | None]]
    tasks: list[TaskSummary]


def find_dag(tx: Transaction, dag_id: str) -> DagRecord:
    """The DAG with its newest version. Raises NameNotFound, which suggests the nearest ids, when there is none."""
    row = dags.find_dag_row(tx, dag_id)
    records = group_state.load_dags(tx, [row.dag_pk]) if row is not None else []
    if not records:
        failed = [error.message for error in list_import_errors(tx) if repr(dag_id) in error.message]
        raise dag_not_found(dag_id, [other.dag_id for other in dags.list_dags(tx)], failed[0] if failed else None)
    return records[0]


def list_dags(tx: Transaction, now: Instant, *, inactive: bool = False) -> list[DagSummary]:
    """All DAGs by id; with `inactive`, also deleted ones, which no file defines any more."""
    rows = [row for row in dags.list_dags(tx) if row.active or inactive]
    records = group_state.load_dags(tx, [row.dag_pk for row in rows])
    newest_runs, warnings, of_files = (
        dag_runs.list_newest_run_states(tx),
        list_upstream_warnings(tx),
        dag_files.list_warnings(tx),
    )
    return [
        _dag_row(
            record,
            newest_runs.get(record.dag_pk),
            [*select_dag_warnings(record.dag_id, of_files.get(record.file, ())), *warnings.get(record.dag_id, ())],
            now,
        )
        for record in sorted(records, key=lambda record: record.dag_id)
    ]


def show_dag(
    dag: DagRecord,
    now: Instant,
    warnings: Sequence[StoredText] = (),
    ask: UpcomingRunsQuery | None = None,
    needed_by: Sequence[str] = (),
) -> DagDetail:
    """Everything about a DAG except its runs.

    `warnings`: those of its file and its upstream DAGs. `ask`: returns the coming runs of an author's timetable, which is not
    called in this process. `needed_by`: ids of the DAGs that wait for it.
    """
    from gnomon.queries.report.next_runs import describe_family, list_next_runs  # start-up cost: few commands need it

    spec = dag.spec
    description = describe_schedule(spec)
    return DagDetail(
        dag_id=dag.dag_id,
        description=spec.description,
        file=dag.file,
        owner=spec.owner,
        tags=sorted(spec.tags),
        paused=dag.paused,
        active=dag.active,
        error=find_planning_error(dag),
        warnings=[*map(read_text, warnings), *list_calendar_warnings(spec.timetable, now)],
        schedule=render(summarize_schedule(spec)),
        schedule_description="" if description is None else render(description),
        schedule_family=render(describe_family(spec.timetable)),
        dialect=render(describe_dialect(spec)),
        timezone=spec.timezone,
        start_date=iso(spec.start_at),
        end_date=iso(spec.end_at),
        catchup=spec.catchup,
        catchup_window_s=spec.catchup_window_s,
        misfire=resolve_misfire(spec),
        overlap=spec.overlap,
        jitter_s=spec.jitter_s,
        max_active_runs=spec.max_active_runs,
        max_active_tasks=spec.max_active_tasks,
        depends_on=[render(describe_edge(dag.dag_id, edge)) for edge in collect_edges(spec)],
        needed_by=list(needed_by),
        processes=render(describe_process_kind(dag)),
        params={name: _param(param.default, param.required, param.schema) for name, param in spec.params.items()},
        next_runs=[run.as_record() for run in list_next_runs(dag, now, ask=ask)],
        tasks=build_task_rows(spec.tasks),
    )


def describe_dialect(spec: DagSpec) -> Sentence:
    """The version of Airflow whose defaults the DAG follows, and why."""
    if spec.airflow_dialect_reason:
        return say("dialect_has_reason", airflow_version=spec.airflow_dialect, reason=spec.airflow_dialect_reason)
    return say("dialect_is_default", airflow_version=spec.airflow_dialect)


def describe_process_kind(dag: DagRecord) -> Sentence:
    """A phrase on the kind of process in which the DAG's tasks run, and why."""
    if dag.fresh is not None:
        return say("new_interpreter_because_fork_is_not_safe", reason=dag.fresh)
    if dag.spec.fresh_import:
        return say("new_interpreter_because_dag_says_so")
    if dag.spec.attempts_per_child > 1:
        return say("fork_for_several_tasks", most=dag.spec.attempts_per_child)
    return say("fork_for_each_task")


def build_task_rows(specs: Sequence[TaskSpec]) -> list[TaskSummary]:
    """The tasks of a DAG, in topological order."""
    return [
        TaskSummary(
            task_id=task.task_id,
            operator=task.operator,
            group=task.group,
            upstream=list(task.upstream),
            trigger_rule=task.trigger_rule,
            retries=task.retries,
            pool=task.pool,
            owner=task.owner,
        )
        for task in specs
    ]


def _dag_row(
    dag: DagRecord, last: tuple[str, DagRunState] | None, warnings: Sequence[StoredText], now: Instant
) -> DagSummary:
    due = dag.next_run.run_after if dag.next_run is not None and not dag.paused else None
    return DagSummary(
        dag_id=dag.dag_id,
        schedule=render(summarize_schedule(dag.spec)),
        paused=dag.paused,
        active=dag.active,
        next_run=iso(due),
        last_run_id=last[0] if last is not None else None,
        last_run_state=last[1].value if last is not None else None,
        owner=dag.spec.owner,
        tags=sorted(dag.spec.tags),
        file=dag.file,
        error=find_planning_error(dag),
        warnings=[*map(read_text, warnings), *list_calendar_warnings(dag.spec.timetable, now)],
    )


def _param(default: object, required: bool, schema: dict[str, object]) -> dict[str, object]:
    return {"default": default, "required": required, "schema": schema}
