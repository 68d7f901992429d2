"""Requests about DAGs, runs, task states and XComs, answered from the store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from gnomon.model.attempts import Attempt, RunFacts, TaskInstanceFacts
from gnomon.model.errors.product import GnomonError
from gnomon.model.ids import UNMAPPED
from gnomon.model.records import RunRecord, TaskRecord
from gnomon.model.sentences import say
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.model.states import RUN_STATE_CODES, DagRunState, parse_triggering_user
from gnomon.model.task_api_requests import (
    GetDag,
    GetFirstReschedule,
    GetPreviousRun,
    GetRunRemarks,
    GetRunState,
    GetRunStates,
    GetTaskInstances,
    GetTaskStates,
    ListRuns,
)
from gnomon.storage import store
from gnomon.storage.store.dag_records import dag_runs, dags, event_log, notes
from gnomon.storage.store.ownership import group_state
from gnomon.storage.store.pages.page_query import Condition, Operator, PageQuery, SortKey
from gnomon.storage.store.pages.run_pages import read_run_page


class TaskApiRefused(GnomonError):
    """The request is not allowed, or its DAG or run does not exist; the text says which, and what to do."""


def get_dag(tx: store.Transaction, request: GetDag) -> object:
    """{active, paused, file, spec, cursor} of the newest version of the DAG; None when there is no such DAG."""
    row = dags.find_dag_row(tx, request.dag_id)
    records = [] if row is None else group_state.load_dags(tx, [row.dag_pk])
    if not records:
        return None
    record = records[0]
    return {
        "active": record.active,
        "paused": record.paused,
        "file": record.file,
        "spec": msgspec.to_builtins(record.spec),
        "cursor": msgspec.to_builtins(record.cursor),
    }


def list_group_tasks(spec: DagSpec, group: str) -> tuple[str, ...]:
    """The ids of the tasks in that task group and in the groups inside it."""

    def is_inside(name: str | None) -> bool:
        while name is not None and name != group:
            name = spec.groups.get(name)
        return name is not None

    return tuple(task.task_id for task in spec.tasks if is_inside(task.group))


RUNS_MAX = 1000
"""How many runs of a DAG an answer covers. A request that needs more is refused."""


def get_previous_run(tx: store.Transaction, request: GetPreviousRun) -> object:
    """The facts of the newest run before the run of the request, in the requested state if there is one; None when there is no such run."""
    current = dag_runs.find_stored_run(tx, request.dag_id, request.run_id)
    if current is None:
        return None
    previous = dag_runs.find_previous_run(tx, current, _parse_state(request.state))
    return None if previous is None else msgspec.to_builtins(_run_facts(request.dag_id, previous))


def get_first_reschedule(tx: store.Transaction, attempt: Attempt, request: GetFirstReschedule) -> object:
    """When the first rescheduled attempt of this task instance since try `first_try` started; None when none was rescheduled."""
    return dag_runs.find_first_reschedule(tx, attempt.run.run_pk, attempt.task_no, attempt.map_index, request.first_try)


def get_run_remarks(tx: store.Transaction, request: GetRunRemarks) -> object:
    """The note of the run, and who triggered it; None when there is no such run."""
    run = dag_runs.find_stored_run(tx, request.dag_id, request.run_id)
    if run is None:
        return None
    note = notes.find_note(tx, notes.NotePlace(run.run_pk))
    return {"note": note, "triggering_user_name": parse_triggering_user(event_log.find_creator(tx, run.run_pk))}


def get_run_state(tx: store.Transaction, request: GetRunState) -> object:
    """The state of the run; None when there is no such run."""
    run = dag_runs.find_stored_run(tx, request.dag_id, request.run_id)
    return None if run is None else run.state.value


def get_run_states(tx: store.Transaction, request: GetRunStates) -> object:
    """{run_id: state} of the requested runs that exist."""
    runs = _find_by_id(tx, request.dag_id, request.run_ids) + _find_by_logical_date(
        tx, request.dag_id, request.logical_dates
    )
    return {run.run_id: run.state.value for run in runs}


def get_task_states(tx: store.Transaction, request: GetTaskStates) -> object:
    """{run_id: {task_id or `task_id[map_index]`: state}} of the requested runs that exist."""
    answer = {}
    for run in _wanted_runs(tx, request):
        names = {row[2]: row[1] for row in tx.all("group_state.task_numbers", dag_pks=[run.dag_pk])}
        task_ids = request.task_ids if request.group is None else _group_task_ids(tx, run, request.group)
        states = {
            _task_label(names[record.task_no], record): None if record.state is None else record.state.value
            for record in dag_runs.list_task_states(tx, run.run_pk)
            if task_ids is None or names[record.task_no] in task_ids
        }
        if request.group is not None and task_ids is not None:
            begun = {label.partition("[")[0] for label in states}
            states.update((task_id, None) for task_id in task_ids if task_id not in begun)
        answer[run.run_id] = states
    return answer


def get_task_instances(tx: store.Transaction, request: GetTaskInstances) -> object:
    """The facts of all task instances of the run, in topological order of the tasks, then by map index; None when there is no such run."""
    run = dag_runs.find_stored_run(tx, request.dag_id, request.run_id)
    if run is None:
        return None
    names = {row[2]: row[1] for row in tx.all("group_state.task_numbers", dag_pks=[run.dag_pk])}
    specs = {} if run.version_pk is None else group_state.load_specs(tx, [run.version_pk])
    tasks = {task.task_id: task for spec in specs.values() for task in spec.tasks}
    places = {task_id: place for place, task_id in enumerate(tasks)}
    facts = [
        _task_instance_facts(names[record.task_no], record, tasks.get(names[record.task_no]))
        for record in dag_runs.list_task_states(tx, run.run_pk)
    ]
    stored = {instance_facts.task_id for instance_facts in facts}
    facts += [
        TaskInstanceFacts(
            task_id=task_id,
            max_tries=task.retries,
            operator=task.operator,
            queue=task.queue,
            pool=task.pool,
            pool_slots=task.pool_slots,
            priority_weight=task.effective_priority,
        )
        for task_id, task in tasks.items()
        if task_id not in stored
    ]
    return msgspec.to_builtins(
        sorted(
            facts,
            key=lambda instance_facts: (
                places.get(instance_facts.task_id, len(places)),
                instance_facts.task_id,
                instance_facts.map_index,
            ),
        )
    )


def _task_instance_facts(task_id: str, record: TaskRecord, task: TaskSpec | None) -> TaskInstanceFacts:
    return TaskInstanceFacts(
        task_id=task_id,
        map_index=record.map_index,
        state=None if record.state is None else record.state.value,
        try_number=record.try_number,
        max_tries=record.max_tries,
        started_at=record.started_at,
        ended_at=record.ended_at,
        operator="" if task is None else task.operator,
        queue="default" if task is None else task.queue,
        pool=record.pool or ("default_pool" if task is None else task.pool),
        pool_slots=record.pool_slots,
        priority_weight=record.priority,
        hostname=record.worker or "",
        rendered_map_index=record.rendered_map_index,
    )


def list_runs(tx: store.Transaction, request: ListRuns) -> object:
    """The facts of the newest runs of the DAG that meet the request, newest first; at most RUNS_MAX. Raises TaskApiRefused when it needs all and there are more."""
    state = _parse_state(request.state)
    dag = dags.find_dag_row(tx, request.dag_id)
    if dag is None:
        return []
    limit = max(0, min(request.limit, RUNS_MAX))
    page = read_run_page(
        tx,
        PageQuery(
            tuple(_build_conditions(dag.dag_pk, state, request)),
            _BY_LOGICAL_DATE if request.by_logical_date else _BY_RUN_AFTER,
            limit,
        ),
    )
    if request.needs_all and page.has_more:
        raise TaskApiRefused(say("dag_has_many_such_runs", dag=request.dag_id, number=f"{limit:,}"))
    return [msgspec.to_builtins(_run_facts(request.dag_id, listed.run)) for listed in page.runs]


_BY_LOGICAL_DATE = (SortKey("logical_date", descends=True), SortKey("id", descends=True))
_BY_RUN_AFTER = (SortKey("run_after", descends=True), SortKey("id", descends=True))


def _build_conditions(dag_pk: int, state: DagRunState | None, request: ListRuns) -> Iterator[Condition]:
    yield Condition("dag_pk", Operator.EQUAL, dag_pk)
    if state is not None:
        yield Condition("state", Operator.EQUAL, RUN_STATE_CODES[state])
    if request.run_id is not None:
        yield Condition("run_id", Operator.EQUAL, request.run_id)
    if request.run_types is not None:
        yield Condition("run_type", Operator.IN, request.run_types)
    if request.by_logical_date:
        yield Condition(
            "logical_date",
            Operator.AT_LEAST,
            _EARLIEST if request.first_logical_at is None else request.first_logical_at,
        )
        if request.last_logical_at is not None:
            yield Condition("logical_date", Operator.AT_MOST, request.last_logical_at)


_EARLIEST = -(2**63)
"""Before every logical date; a run without one does not meet a condition on it."""


def _group_task_ids(tx: store.Transaction, run: RunRecord, group: str) -> tuple[str, ...]:
    """The ids of the tasks in that task group, in the DAG version of the run."""
    specs = {} if run.version_pk is None else group_state.load_specs(tx, [run.version_pk])
    return tuple(task_id for spec in specs.values() for task_id in list_group_tasks(spec, group))


def _wanted_runs(tx: store.Transaction, request: GetTaskStates) -> list[RunRecord]:
    if request.run_ids is not None:
        return _find_by_id(tx, request.dag_id, request.run_ids)
    if request.logical_dates is not None:
        return _find_by_logical_date(tx, request.dag_id, request.logical_dates)
    runs = dag_runs.list_runs(tx, request.dag_id, None, RUNS_MAX + 1)
    if len(runs) > RUNS_MAX:
        raise TaskApiRefused(say("dag_has_many_runs", dag=request.dag_id, number=f"{RUNS_MAX:,}"))
    return runs


def _find_by_id(tx: store.Transaction, dag_id: str, run_ids: Iterable[str]) -> list[RunRecord]:
    runs = [dag_runs.find_stored_run(tx, dag_id, run_id) for run_id in run_ids]
    return [run for run in runs if run is not None]


def _find_by_logical_date(tx: store.Transaction, dag_id: str, logical_dates: Iterable[int]) -> list[RunRecord]:
    """The runs with these logical dates: such a run holds the slot with that key (`PlannedRun.slot_key`)."""
    dag = dags.find_dag_row(tx, dag_id)
    if dag is None:
        return []
    holders = [dag_runs.find_slot_holder(tx, dag.dag_pk, str(at)) for at in logical_dates]
    runs = _find_by_id(tx, dag_id, [run_id for run_id in holders if run_id is not None])
    return [run for run in runs if run.logical_at is not None]


def _parse_state(name: str | None) -> DagRunState | None:
    if name is None:
        return None
    try:
        return DagRunState(name)
    except ValueError:
        state_names = ", ".join(state.value for state in DagRunState)
        raise TaskApiRefused(say("run_state_does_not_exist", name=name, names=state_names)) from None


def _task_label(task_id: str, record: TaskRecord) -> str:
    return task_id if record.map_index == UNMAPPED else f"{task_id}[{record.map_index}]"


def _run_facts(dag_id: str, run: RunRecord) -> RunFacts:
    return RunFacts(
        run_pk=run.run_pk,
        dag_id=dag_id,
        run_id=run.run_id,
        run_type=run.run_type.value,
        run_after=run.run_after,
        logical_at=run.logical_at,
        interval_start=run.interval_start,
        interval_end=run.interval_end,
        queued_at=run.queued_at,
        started_at=run.started_at,
        ended_at=run.ended_at,
        state=run.state.value,
        conf=run.conf,
        clear_number=run.clear_number,
        partition_key=run.partition_key,
        partition_date=run.partition_date,
    )
