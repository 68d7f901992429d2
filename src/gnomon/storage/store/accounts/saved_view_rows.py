"""Views of accounts: the filters of a list of the page under a name. They end with their account."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.storage.store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class SavedView:
    """The filters of a list under a name."""

    page: str
    """The address of the list: `/dags`."""
    name: str
    query: str
    """The filters as they stand in the address, without `?`."""
    is_default: bool
    """The list opens with this view when its address has no filters; at most one view of a page is the default."""


def list_views(tx: Transaction, account_pk: int) -> list[SavedView]:
    """The views of the account by page and name."""
    return [
        SavedView(page, name, query, bool(is_default))
        for page, name, query, is_default in tx.all("saved_views.of_account", account_pk=account_pk)
    ]


def lock_account(tx: Transaction, account_pk: int) -> bool:
    """Let other changes of views of the account wait for this transaction; False when the account is not stored any more."""
    return tx.one("saved_views.lock_account", account_pk=account_pk) is not None


def put_view(tx: Transaction, account_pk: int, view: SavedView) -> None:
    """Insert the view, or replace the one of its page with its name. A default takes the place of the one before."""
    if view.is_default:
        tx.run("saved_views.undo_default", account_pk=account_pk, page=view.page)
    tx.run(
        "saved_views.put",
        account_pk=account_pk,
        page=view.page,
        name=view.name,
        query=view.query,
        is_default=int(view.is_default),
    )


def delete_view(tx: Transaction, account_pk: int, page: str, name: str) -> bool:
    """Delete the view; False when there is none."""
    return tx.run("saved_views.remove", account_pk=account_pk, page=page, name=name) == 1
