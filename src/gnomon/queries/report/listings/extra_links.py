"""The links of a task instance into other systems."""

from __future__ import annotations

from gnomon.model.errors.product import UserError
from gnomon.model.ids import UNMAPPED
from gnomon.model.json_text import read_shown_json
from gnomon.model.records import DagRecord, RunRecord
from gnomon.model.sentences import Command, RunName, say
from gnomon.model.spec import ExtraLinkSpec
from gnomon.queries.report.listings.not_found import task_not_found
from gnomon.queries.report.listings.run_list import find_spec_of_run, list_task_instances
from gnomon.storage.store.dag_records.xcom_values import read_xcoms
from gnomon.storage.store.transaction import Transaction


def find_extra_links(
    tx: Transaction, dag: DagRecord, run: RunRecord, task_id: str, map_index: int = UNMAPPED
) -> dict[str, str | None]:
    """Name to URL of every link of the task instance, by name; None for a link without a value, or whose value is no text.

    Raises NameNotFound for a task that is not in the version of the DAG that the run uses, UserError for an instance that is not in the run.
    """
    spec = find_spec_of_run(tx, dag, run)
    task = next((task for task in spec.tasks if task.task_id == task_id), None)
    if task is None:
        raise task_not_found(dag.dag_id, task_id, [other.task_id for other in spec.tasks])
    indices = [row.map_index for row in list_task_instances(tx, dag, run, task_id)]
    if map_index not in indices:
        raise _instance_not_found(dag.dag_id, run.run_id, task_id, map_index, indices)
    return {link.name: _find_url(tx, run, task_id, map_index, link) for link in task.extra_links}


def _find_url(tx: Transaction, run: RunRecord, task_id: str, map_index: int, link: ExtraLinkSpec) -> str | None:
    if link.static_url is not None:
        return link.static_url
    for xcom in read_xcoms(tx, run, link.xcom_key, [task_id], map_indexes=[map_index]):
        value = read_shown_json(xcom.value)
        return value if isinstance(value, str) and value else None
    return None


def _instance_not_found(dag_id: str, run_id: str, task_id: str, map_index: int, indices: list[int]) -> UserError:
    numbers = [index for index in indices if index >= 0]
    if map_index < 0 and numbers:
        return UserError(
            say(
                "mapped_task_needs_index",
                task_id=task_id,
                number=len(numbers),
                command=Command("tasks links", (dag_id, run_id, f"{task_id}[{numbers[0]}]")),
            )
        )
    if map_index < 0:
        return UserError(
            say("task_has_no_instance", task_id=task_id, run=RunName(dag_id, run_id), command=Command("tasks states"))
        )
    return UserError(
        say(
            "map_index_does_not_exist",
            task_id=task_id,
            map_index=map_index,
            run=RunName(dag_id, run_id),
            command=Command("tasks states"),
        )
    )
