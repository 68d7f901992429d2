"""The account of a request about one's own account."""

from __future__ import annotations

from fastapi import HTTPException, Request

from gnomon.accounts import account_changes
from gnomon.api.access.accounts_policy import AccountsPolicy
from gnomon.api.context import ApiContext
from gnomon.model.accounts import Account, Identity


def find_own_account(context: ApiContext, request: Request) -> tuple[Identity, Account]:
    """The identity of the request and its account. Raises HTTPException (404) without accounts, AccessRefused."""
    if not isinstance(context.policy, AccountsPolicy):
        raise HTTPException(404, "there are no accounts: [api] auth is none")
    identity = context.policy.identify(request)
    with context.database.read() as tx:
        return identity, account_changes.get_account(tx, identity.name)
