"""The first account of a new installation, so that it is never open and never locked."""

from __future__ import annotations

from gnomon.model.accounts import FIRST_ACCOUNT, Author, Role
from gnomon.model.instants import Instant
from gnomon.queries.accounts.account_changes import create_account
from gnomon.queries.accounts.passwords import generate_password
from gnomon.storage.store import Database
from gnomon.storage.store.accounts import account_rows


def create_first_account(db: Database, now: Instant) -> str | None:
    """Create the account `admin` if there is no account yet; returns its password, or None when there are accounts."""
    with db.read() as tx:
        if account_rows.list_accounts(tx):
            return None
    password = generate_password()
    with db.write() as tx:
        account_rows.lock_accounts(tx)
        if account_rows.list_accounts(tx):
            return None
        create_account(tx, Author("standalone", now), FIRST_ACCOUNT, Role.ADMIN, password)
    return password
