"""Pages of task instances of several runs. A task instance that never had a state has no row, and is not among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gnomon.model.records import TaskRecord
from gnomon.store.pages.page_query import Condition, PageQuery, count_rows, read_page
from gnomon.store.record_codec import decode_task
from gnomon.store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class ListedTaskInstance:
    """The row of a task instance, with the id of its task and the version of its DAG."""

    record: TaskRecord
    task_id: str
    version_pk: int | None


@dataclass(frozen=True, slots=True)
class TaskInstancePage:
    """Task instances, with the values of the sort keys of each."""

    instances: list[ListedTaskInstance]
    keys: list[tuple[object, ...]]
    has_more: bool


def read_task_instance_page(tx: Transaction, query: PageQuery) -> TaskInstancePage:
    """The task instances of the page. The fields are those of `task_instance_pages.sql`; spans are in microseconds, states are codes."""
    found = read_page(tx, "task_instance_pages.page", query)
    return TaskInstancePage([ListedTaskInstance(decode_task(row[:21]), row[21], row[22]) for row in found.rows], found.keys, found.has_more)


def count_task_instances(tx: Transaction, conditions: Sequence[Condition], most: int) -> int:
    """How many task instances meet the conditions, at most `most`."""
    return count_rows(tx, "task_instance_pages.count", conditions, most)
