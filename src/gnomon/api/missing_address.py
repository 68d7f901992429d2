"""What an address of the page names and does not exist: the page then asks one question instead of all those of a view."""

from __future__ import annotations

from gnomon.api.common.paths import restore_slashes
from gnomon.api.context import ApiContext
from gnomon.model.accounts import Identity, Role
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records import dag_runs, dags
from gnomon.storage.store.pages.dag_pages import list_newest_versions


def find_missing(context: ApiContext, tx: Transaction, user: Identity | None, path: str) -> list[str]:
    """For `/dags/DAG/...` without such a DAG [DAG], for `/dags/DAG/runs/RUN/...` without such a run [DAG, run]; else an empty list.

    A DAG that is hidden from the user does not exist for that user. `path`: with slashes in ids as `EncodedSlashes` keeps them.
    """
    parts = [restore_slashes(part) for part in path.split("/")]
    if parts[:2] != ["", "dags"] or len(parts) < 3 or not parts[2]:
        return []
    dag_id = parts[2]
    if dags.find_dag_row(tx, dag_id) is None or not _is_visible(context, tx, user, dag_id):
        return [dag_id]
    if (
        len(parts) < 5
        or parts[3] != "runs"
        or not parts[4]
        or dag_runs.find_stored_run(tx, dag_id, parts[4]) is not None
    ):
        return []
    return [dag_id, parts[4]]


def _is_visible(context: ApiContext, tx: Transaction, user: Identity | None, dag_id: str) -> bool:
    if user is None or user.everywhere >= Role.VIEWER:
        return True
    facts = context.facts.find(tx, list_newest_versions(tx, [dag_id]))
    return (
        user.find_dag_role(dag_id, next((version_facts.spec.tags for version_facts in facts.values()), ()))
        >= Role.VIEWER
    )
