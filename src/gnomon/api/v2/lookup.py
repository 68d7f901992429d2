"""What several routers need: the DAG and the run of a path, display names, and the answer of an owner."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gnomon.api.common.paths import ALL
from gnomon.api.common.refusals import Refusal
from gnomon.api.context import ApiContext
from gnomon.changes.actions.owner_requests import OwnerAnswer, OwnersAnswer
from gnomon.model.records import DagRecord, RunRecord
from gnomon.model.sentences import RunName, TaskName, say
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.queries.report.listings.not_found import dag_not_found
from gnomon.queries.report.listings.run_list import find_run
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records import dags
from gnomon.storage.store.dag_records.dags import StoredDag
from gnomon.storage.store.pages.dag_pages import list_newest_versions


def find_dag_and_run(tx: Transaction, dag_id: str, run_id: str) -> tuple[DagRecord, RunRecord]:
    """The DAG and the run. Raises NameNotFound."""
    dag = find_dag(tx, dag_id)
    return dag, find_run(tx, dag, run_id)


def find_stored_dag(tx: Transaction, dag_id: str) -> StoredDag:
    """The row of the DAG. Raises NameNotFound."""
    row = dags.find_dag_row(tx, dag_id)
    if row is None:
        raise dag_not_found(dag_id, [other.dag_id for other in dags.list_dags(tx)])
    return row


def find_display_names(context: ApiContext, tx: Transaction, dag_ids: Iterable[str]) -> dict[str, str]:
    """By id: the names of these DAGs for people."""
    facts = context.facts.find(tx, list_newest_versions(tx, sorted(set(dag_ids))))
    return {version_facts.spec.dag_id: version_facts.display_name for version_facts in facts.values()}


def require_answer(reply: OwnerAnswer | OwnersAnswer) -> Mapping[str, Any]:
    """The answer of the owner. Raises Refusal (503) while there is none: the request is stored, and will be carried out."""
    if reply.answer is None:
        why = say("scheduler_has_not_answered" if reply.is_scheduler_alive else "no_scheduler_lives")
        raise Refusal(503, say("request_is_stored", number=str(reply.request_pk), why=why))
    assert isinstance(reply.answer, Mapping)
    return reply.answer


def refuse_try(task: TaskName, try_number: int) -> Refusal:
    """The refusal (404) of a try that the task instance does not have."""
    run = RunName(task.dag_id, task.run_id)
    return Refusal(404, say("task_has_no_try", task=task, try_number=try_number, run=run))


def refuse_wildcard(name: str, value: str) -> None:
    """Raise Refusal (400) for `~` where one object is meant."""
    if value == ALL:
        raise Refusal(400, say("wildcard_names_no_object", name=name))
