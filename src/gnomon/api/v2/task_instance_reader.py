"""Reads task instances: all of one run, which are in memory then, or a page of several runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from fastapi import HTTPException

from gnomon.api.access.policies import User
from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.common.ordering import Ordering, parse_order
from gnomon.api.common.paging import TotalEntries, check_sorted, count_entries, find_count_limit
from gnomon.api.common.paths import ALL
from gnomon.api.context import ApiContext
from gnomon.api.v2.lookup import find_dag_and_run, find_display_names, find_stored_dag
from gnomon.api.v2.run_filters import RUN_KEY, RUN_ORDER
from gnomon.api.v2.schemas.task_instances_shapes import TaskInstanceResponse
from gnomon.api.v2.task_instance_answers import InstanceLookups, build_task_instance
from gnomon.api.v2.task_instance_filters import ORDERS_WITH_INDEX, read_fields
from gnomon.model.ids import UNMAPPED
from gnomon.report.listings.not_found import task_not_found
from gnomon.report.listings.run_list import TaskInstanceRow
from gnomon.report.listings.task_instance_details import TaskInstanceDetail, list_details
from gnomon.store import Transaction
from gnomon.store.dag_records.notes import read_notes
from gnomon.store.ownership import group_state, leases
from gnomon.store.pages.memory_pages import MemoryPage, select_page
from gnomon.store.pages.page_query import Condition, Operator, PageQuery
from gnomon.store.pages.run_conditions import mark_dags, resolve_dags
from gnomon.store.pages.run_pages import ListedRun, find_runs_with_id, read_run_page
from gnomon.store.pages.task_instance_pages import ListedTaskInstance, count_task_instances, read_task_instance_page


class RunInstances:
    """All task instances of one run. Raises NameNotFound for an unknown DAG or run."""

    def __init__(self, context: ApiContext, tx: Transaction, dag_id: str, run_id: str) -> None:
        self.dag, self.run = find_dag_and_run(tx, dag_id, run_id)
        self.listed = read_listed_runs(tx, [self.run.run_pk])[self.run.run_pk]
        self.display_name = self.dag.spec.display_name or dag_id
        self.details = list_details(tx, self.dag, self.run)
        self.lookups = read_lookups(tx, [self.run.run_pk])

    def select(self, query: PageQuery) -> MemoryPage[TaskInstanceDetail]:
        """The page of these instances."""
        return select_page(self.details, lambda detail: read_fields(self.dag.dag_id, self.run, self.listed.version_number, detail), query)

    def build(self, details: Iterable[TaskInstanceDetail]) -> list[TaskInstanceResponse]:
        """These instances as the API shows them."""
        return [build_task_instance(self.listed, self.display_name, detail, self.lookups) for detail in details]

    def find(self, task_id: str, map_index: int) -> TaskInstanceDetail:
        """The instance. Raises NameNotFound for an unknown task, HTTPException (404) for a map index that the task does not have."""
        found = [detail for detail in self.details if detail.row.task_id == task_id]
        for detail in found:
            if detail.row.map_index == map_index:
                return detail
        if not found and task_id not in self.dag.task_numbers:
            raise task_not_found(self.dag.dag_id, task_id, self.dag.task_numbers)
        if map_index == UNMAPPED and found:
            raise HTTPException(404, f"task {task_id!r} is mapped in run {self.run.run_id!r}; add a map index")
        raise HTTPException(404, f"task {task_id!r} has no instance with map index {map_index} in run {self.run.run_id!r}")

    def require_mapped(self, task_id: str) -> None:
        """Raise NameNotFound for an unknown task, HTTPException (404) for one that is not mapped."""
        found = [detail for detail in self.details if detail.row.task_id == task_id]
        if not found and task_id not in self.dag.task_numbers:
            raise task_not_found(self.dag.dag_id, task_id, self.dag.task_numbers)
        is_mapped = any(detail.row.map_index >= 0 or (detail.spec is not None and detail.spec.expansion is not None) for detail in found)
        if not is_mapped:
            raise HTTPException(404, f"task {task_id!r} is not mapped in run {self.run.run_id!r}")


@dataclass(frozen=True, slots=True)
class InstancesOfRuns:
    """A page of task instances of several runs."""

    answers: list[TaskInstanceResponse]
    keys: list[tuple[object, ...]]
    has_more: bool
    total: TotalEntries


def read_instances_of_several_runs(context: ApiContext, tx: Transaction, user: User, dag_id: str, run_id: str, query: PageQuery, order: Ordering) -> InstancesOfRuns:
    """The page of the task instances that have a row: of all DAGs that the user sees or one, of all runs or those with one run id."""
    conditions = list(query.conditions)
    if dag_id == ALL:
        conditions += VisibleDags(context, tx, user).list_conditions()
    else:
        conditions.append(Condition("dag_pk", Operator.EQUAL, find_stored_dag(tx, dag_id).dag_pk))
    if run_id != ALL:
        conditions.append(Condition("run_pk", Operator.IN, find_runs_with_id(tx, run_id)))
    marked = mark_dags(tx, resolve_dags(tx, conditions))
    total = count_entries(lambda most: count_task_instances(tx, marked, most), query.offset, query.limit, most=find_count_limit(order, ORDERS_WITH_INDEX))
    if dag_id == ALL:
        check_sorted(total, order, ORDERS_WITH_INDEX, "task instances")
    if not total.total:
        return InstancesOfRuns([], [], has_more=False, total=total)
    page = read_task_instance_page(tx, replace(query, conditions=tuple(marked), is_short=total.limit is None))
    return InstancesOfRuns(build_several(context, tx, page.instances), page.keys, page.has_more, total)


def read_listed_runs(tx: Transaction, run_pks: Sequence[int]) -> dict[int, ListedRun]:
    """These runs by key."""
    order = parse_order([], RUN_ORDER, "id", RUN_KEY).keys
    page = read_run_page(tx, PageQuery((Condition("id", Operator.IN, list(run_pks)),), order, max(len(run_pks), 1)))
    return {listed.run.run_pk: listed for listed in page.runs}


def read_lookups(tx: Transaction, run_pks: Sequence[int]) -> InstanceLookups:
    """What the answers about task instances of these runs need besides their rows."""
    hosts = {worker.worker_id: worker.host for worker in leases.list_workers(tx, live_only=False)}
    return InstanceLookups(hosts, read_notes(tx, run_pks))


def build_several(context: ApiContext, tx: Transaction, instances: Sequence[ListedTaskInstance]) -> list[TaskInstanceResponse]:
    """These instances as the API shows them."""
    runs = read_listed_runs(tx, sorted({one.record.run_pk for one in instances}))
    versions = {run_pk: listed.run.version_pk for run_pk, listed in runs.items()}
    specs = group_state.load_specs(tx, sorted({version_pk for version_pk in versions.values() if version_pk is not None}))
    tasks = {version_pk: {task.task_id: task for task in spec.tasks} for version_pk, spec in specs.items()}
    names = find_display_names(context, tx, (listed.dag_id for listed in runs.values()))
    lookups = read_lookups(tx, list(runs))
    answers = []
    for one in instances:
        listed = runs[one.record.run_pk]
        row = TaskInstanceRow(listed.dag_id, listed.run.run_id, one.task_id, one.record.map_index, None, 0, None, None, None, None)
        spec = tasks.get(listed.run.version_pk or 0, {}).get(one.task_id)
        detail = TaskInstanceDetail(row, one.record.task_no, one.record, spec)
        answers.append(build_task_instance(listed, names.get(listed.dag_id, listed.dag_id), detail, lookups))
    return answers
