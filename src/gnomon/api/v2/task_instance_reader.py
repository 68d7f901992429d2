"""Reads task instances: all of one run, which are in memory then, or a page of several runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.common.ordering import Ordering, parse_order
from gnomon.api.common.paging import TotalEntries, check_sorted, count_entries, find_count_limit
from gnomon.api.common.paths import ALL
from gnomon.api.common.refusals import Refusal
from gnomon.api.context import ApiContext
from gnomon.api.policies import User
from gnomon.api.v2.lookup import find_dag_and_run, find_display_names, find_stored_dag
from gnomon.api.v2.run_filters import RUN_KEY, RUN_ORDER
from gnomon.api.v2.schemas.task_instances_shapes import TaskInstanceResponse
from gnomon.api.v2.task_instance_answers import InstanceLookups, build_task_instance
from gnomon.api.v2.task_instance_filters import ONLY_IN_SPECS, ORDERS_WITH_INDEX, read_fields
from gnomon.api.v2.task_instance_search import SEARCHED_MAX, search_specs
from gnomon.model.ids import UNMAPPED, TaskKey
from gnomon.model.instants import Instant
from gnomon.model.sentences import RunName, say
from gnomon.queries.report.listings.not_found import task_not_found
from gnomon.queries.report.listings.run_list import TaskInstanceRow
from gnomon.queries.report.listings.task_instance_details import TaskInstanceDetail, list_details
from gnomon.storage.store import Transaction
from gnomon.storage.store.coordination import leases
from gnomon.storage.store.dag_records.dag_runs import read_workers_of_attempts
from gnomon.storage.store.dag_records.notes import read_notes
from gnomon.storage.store.ownership import group_state
from gnomon.storage.store.pages.memory_pages import MemoryPage, select_page
from gnomon.storage.store.pages.page_query import Condition, Operator, PageQuery
from gnomon.storage.store.pages.run_conditions import mark_dags, resolve_dags
from gnomon.storage.store.pages.run_pages import ListedRun, find_runs_with_id, read_run_page
from gnomon.storage.store.pages.run_walk import RUNS_WALKED_MAX, RunWalk, WalkedCount, count_walked
from gnomon.storage.store.pages.task_instance_pages import (
    ListedTaskInstance,
    TaskInstancePage,
    count_task_instances,
    plan_task_instance_walk,
    read_task_instance_page,
    read_walked_page,
)


class RunInstances:
    """All task instances of one run, or those of one task of it. Raises NameNotFound for an unknown DAG or run."""

    def __init__(self, tx: Transaction, dag_id: str, run_id: str, task_id: str | None = None) -> None:
        self.dag, self.run = find_dag_and_run(tx, dag_id, run_id)
        self.listed = read_listed_runs(tx, [self.run.run_pk])[self.run.run_pk]
        self.display_name = self.dag.spec.display_name or dag_id
        self.details = list_details(tx, self.dag, self.run, task_id)
        self.lookups = _read_lookups(tx, [self.run.run_pk], ())
        self._tx = tx
        self._run_name = RunName(dag_id, run_id)

    def select(self, query: PageQuery) -> MemoryPage[TaskInstanceDetail]:
        """The page of these instances."""
        return select_page(
            self.details,
            lambda detail: read_fields(self.dag.dag_id, self.run, self.listed.version_number, detail),
            query,
        )

    def build(self, details: Iterable[TaskInstanceDetail]) -> list[TaskInstanceResponse]:
        """These instances as the API shows them."""
        chosen = list(details)
        lookups = replace(self.lookups, ended_workers=_read_ended_workers(self._tx, chosen))
        return [build_task_instance(self.listed, self.display_name, detail, lookups) for detail in chosen]

    def find(self, task_id: str, map_index: int) -> TaskInstanceDetail:
        """The instance. Raises NameNotFound for an unknown task, Refusal (404) for a map index that the task does not have."""
        details = [detail for detail in self.details if detail.row.task_id == task_id]
        for detail in details:
            if detail.row.map_index == map_index:
                return detail
        if not details and task_id not in self.dag.task_numbers:
            raise task_not_found(self.dag.dag_id, task_id, self.dag.task_numbers)
        if map_index == UNMAPPED and details:
            raise Refusal(404, say("mapped_task_is_named_without_index", task_id=task_id, run=self._run_name))
        raise Refusal(404, say("task_has_not_this_map_index", task_id=task_id, map_index=map_index, run=self._run_name))

    def require_mapped(self, task_id: str) -> None:
        """Raise NameNotFound for an unknown task, Refusal (404) for one that is not mapped."""
        details = [detail for detail in self.details if detail.row.task_id == task_id]
        if not details and task_id not in self.dag.task_numbers:
            raise task_not_found(self.dag.dag_id, task_id, self.dag.task_numbers)
        is_mapped = any(
            detail.row.map_index >= 0 or (detail.spec is not None and detail.spec.expansion is not None)
            for detail in details
        )
        if not is_mapped:
            raise Refusal(404, say("task_of_run_is_not_mapped", task_id=task_id, run=self._run_name))


@dataclass(frozen=True, slots=True)
class InstancesOfRuns:
    """A page of task instances of several runs."""

    answers: list[TaskInstanceResponse]
    keys: list[tuple[object, ...]]
    has_more: bool
    total: TotalEntries
    searched_to: tuple[object, ...] | None = None
    """The search ended before the page was full: the values of the sort keys behind which it goes on."""
    searched_until: Instant | None = None
    """When the last run that was searched was due."""


def read_instances_of_several_runs(
    context: ApiContext,
    tx: Transaction,
    user: User,
    dag_id: str,
    run_id: str,
    query: PageQuery,
    order: Ordering,
    *,
    may_end_early: bool,
) -> InstancesOfRuns:
    """The page of the task instances that have a row: of all DAGs that the user sees or one, of all runs or those with one run id.

    Raises Refusal (400) where a long search does not fill the page; with `may_end_early` the page then says how far it went.
    """
    answerable = [condition for condition in query.conditions if condition.field not in ONLY_IN_SPECS]
    of_specs = [
        condition for condition in query.conditions if condition.field in ONLY_IN_SPECS or condition.field == "pool"
    ]
    conditions = [_allow_no_pool(condition) if condition.field == "pool" else condition for condition in answerable]
    if dag_id == ALL:
        conditions += VisibleDags(context, tx, user).list_conditions()
    else:
        conditions.append(Condition("dag_pk", Operator.EQUAL, find_stored_dag(tx, dag_id).dag_pk))
    if run_id != ALL:
        conditions.append(Condition("run_pk", Operator.IN, find_runs_with_id(tx, run_id)))
    marked = mark_dags(tx, resolve_dags(tx, conditions))
    walk = plan_task_instance_walk(tx, marked, order.keys)
    counted: WalkedCount | None = None
    if walk is not None:
        total, counted = _count_walked_instances(tx, walk, query, order)
    else:
        total = count_entries(
            lambda most: count_task_instances(tx, marked, most),
            query.offset,
            query.limit,
            most=find_count_limit(order, ORDERS_WITH_INDEX),
        )
        if dag_id == ALL:
            check_sorted(total, order, ORDERS_WITH_INDEX, "task instances")
    if walk is None and not total.total:
        return InstancesOfRuns([], [], has_more=False, total=total)
    if counted is not None and counted.is_cut and counted.total <= query.offset + query.limit and not may_end_early:
        raise _refuse_rare()  # it is known without reading a row
    rows = replace(query, conditions=tuple(marked), is_short=total.limit is None)

    def read(part: PageQuery) -> TaskInstancePage:
        return (
            read_task_instance_page(tx, part)
            if walk is None
            else read_walked_page(tx, walk, replace(part, conditions=query.conditions, is_short=False), counted)
        )

    if of_specs:
        page = search_specs(lambda instances: list_details_of_several(tx, instances), read, rows, of_specs)
        total = TotalEntries(query.offset + len(page.instances))
        if page.has_more or query.position is not None:
            total = replace(total, limit=total.total)
    else:
        page = read(rows)
        if walk is not None and total.limit is not None and query.position is None:
            at_least = max(total.total, query.offset + len(page.instances))
            total = TotalEntries(at_least, at_least)
    answers = build_several(context, tx, page.instances)
    if page.searched_to is None:
        return InstancesOfRuns(answers, page.keys, page.has_more, total)
    if not may_end_early or (query.position is not None and query.position.is_before):
        if of_specs:
            raise Refusal(400, say("too_many_instances_are_searched", most=SEARCHED_MAX))
        raise _refuse_rare()
    until = _find_due_time(tx, page.searched_to, order)
    total = TotalEntries(len(page.instances), len(page.instances))
    return InstancesOfRuns(answers, page.keys, page.has_more, total, page.searched_to, until)


def _find_due_time(tx: Transaction, place: tuple[object, ...], order: Ordering) -> Instant:
    """When the run at this place of the list was due."""
    run_pk = place[[key.field for key in order.keys].index("run_pk")]
    assert isinstance(run_pk, int)
    return read_listed_runs(tx, [run_pk])[run_pk].run.run_after


def _allow_no_pool(condition: Condition) -> Condition:
    """The condition, which rows without a pool meet too: until it is queued, a task instance has the pool of its spec."""
    if condition.operator in (Operator.NOT_IN, Operator.MATCHES_NOT):
        return condition
    assert isinstance(condition.value, Sequence)
    return replace(condition, value=[*condition.value, None])


def _count_walked_instances(
    tx: Transaction, walk: RunWalk, query: PageQuery, order: Ordering
) -> tuple[TotalEntries, WalkedCount]:
    """How many task instances of all DAGs meet conditions that no index finds. Raises Refusal (400) when too many runs would have to be read for it."""
    most = find_count_limit(order, ORDERS_WITH_INDEX) + query.offset + query.limit
    counted = count_walked(tx, walk, most)
    check_sorted(TotalEntries(counted.total), order, ORDERS_WITH_INDEX, "task instances")
    if counted.is_cut and not walk.is_in_order:
        raise _refuse_rare()
    return TotalEntries(counted.total, counted.total if counted.is_cut or counted.ends_early else None), counted


def _refuse_rare() -> Refusal:
    return Refusal(400, say("too_many_runs_are_walked", most=RUNS_WALKED_MAX))


def read_listed_runs(tx: Transaction, run_pks: Sequence[int]) -> dict[int, ListedRun]:
    """These runs by key."""
    order = parse_order([], RUN_ORDER, "id", RUN_KEY).keys
    page = read_run_page(tx, PageQuery((Condition("id", Operator.IN, list(run_pks)),), order, max(len(run_pks), 1)))
    return {listed.run.run_pk: listed for listed in page.runs}


def build_several(
    context: ApiContext, tx: Transaction, instances: Sequence[ListedTaskInstance]
) -> list[TaskInstanceResponse]:
    """These instances as the API shows them."""
    details = list_details_of_several(tx, instances)
    names = find_display_names(context, tx, (listed.dag_id for listed, _ in details))
    lookups = _read_lookups(tx, sorted({listed.run.run_pk for listed, _ in details}), [detail for _, detail in details])
    return [
        build_task_instance(listed, names.get(listed.dag_id, listed.dag_id), detail, lookups)
        for listed, detail in details
    ]


def list_details_of_several(
    tx: Transaction, instances: Sequence[ListedTaskInstance]
) -> list[tuple[ListedRun, TaskInstanceDetail]]:
    """These instances with their specs, each with its run."""
    runs = read_listed_runs(tx, sorted({instance.record.run_pk for instance in instances}))
    specs = group_state.load_specs(
        tx, sorted({listed.run.version_pk for listed in runs.values() if listed.run.version_pk is not None})
    )
    tasks = {version_pk: {task.task_id: task for task in spec.tasks} for version_pk, spec in specs.items()}
    details = []
    for instance in instances:
        listed = runs[instance.record.run_pk]
        row = TaskInstanceRow(
            listed.dag_id,
            listed.run.run_id,
            instance.task_id,
            instance.record.map_index,
            None,
            0,
            None,
            None,
            None,
            None,
            None,
        )
        spec = tasks.get(listed.run.version_pk or 0, {}).get(instance.task_id)
        details.append((listed, TaskInstanceDetail(row, instance.record.task_no, instance.record, spec)))
    return details


def _read_lookups(tx: Transaction, run_pks: Sequence[int], details: Iterable[TaskInstanceDetail]) -> InstanceLookups:
    """What the answers about these task instances, which are of these runs, need besides their rows."""
    hosts = {worker.worker_id: worker.host for worker in leases.list_workers(tx, live_only=False)}
    return InstanceLookups(hosts, read_notes(tx, run_pks), _read_ended_workers(tx, details))


def _read_ended_workers(tx: Transaction, details: Iterable[TaskInstanceDetail]) -> dict[TaskKey, str]:
    """The worker of the last attempt of those that have had one and have none on a worker now."""
    records = [detail.record for detail in details if detail.record is not None]
    return read_workers_of_attempts(
        tx, [(record.key, record.seq) for record in records if record.worker is None and record.seq]
    )
