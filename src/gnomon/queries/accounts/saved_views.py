"""Named views of the lists of the page, which belong to their account. They are no change of the deployment, and leave no line in the audit log."""

from __future__ import annotations

from gnomon.model.accounts import Account
from gnomon.model.errors.product import UserError
from gnomon.model.sentences import say
from gnomon.storage.store import Transaction
from gnomon.storage.store.accounts import saved_view_rows
from gnomon.storage.store.accounts.saved_view_rows import SavedView

VIEWS_MAX = 100
"""An account has at most so many views: each account may save its own, also one that may only read."""


def save_view(tx: Transaction, account: Account, view: SavedView) -> None:
    """Save a view; one of the same page and name is replaced. Raises UserError when the account has VIEWS_MAX others, or is deleted meanwhile."""
    if not saved_view_rows.lock_account(tx, account.account_pk):
        raise UserError(say("account_was_deleted", name=account.name))
    others = [
        stored
        for stored in saved_view_rows.list_views(tx, account.account_pk)
        if (stored.page, stored.name) != (view.page, view.name)
    ]
    if len(others) >= VIEWS_MAX:
        raise UserError(say("account_has_all_views", name=account.name, most=VIEWS_MAX))
    saved_view_rows.put_view(tx, account.account_pk, view)
