"""The DAGs that accounts have marked as favourites. A DAG that is deleted is no favourite any more."""

from __future__ import annotations

from gnomon.model.instants import Instant
from gnomon.storage.store.accounts.account_rows import make_name_key
from gnomon.storage.store.transaction import Transaction


def add_favorite(tx: Transaction, account: str, dag_pk: int, now: Instant) -> bool:
    """Mark a DAG as favourite of the account with that name; False when it is one already, or is not stored any more."""
    return tx.run("favorite_dags.put", account=make_name_key(account), dag_pk=dag_pk, created_at=now) == 1


def remove_favorite(tx: Transaction, account: str, dag_pk: int) -> bool:
    """Undo the mark; False when there is none."""
    return tx.run("favorite_dags.remove", account=make_name_key(account), dag_pk=dag_pk) == 1


def list_favorites(tx: Transaction, account: str) -> list[int]:
    """The keys of the favourites of the account (dag_pk)."""
    return [dag_pk for (dag_pk,) in tx.all("favorite_dags.of_account", account=make_name_key(account))]


def delete_favorites(tx: Transaction, account: str) -> None:
    """Delete all favourites of the account."""
    tx.run("favorite_dags.remove_account", account=make_name_key(account))
