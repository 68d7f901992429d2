"""The account of a request about one's own account."""

from __future__ import annotations

from fastapi import Request

from gnomon.api.access.accounts_policy import AccountsPolicy
from gnomon.api.common.refusals import Refusal, find_sentence
from gnomon.api.context import ApiContext
from gnomon.api.policies import AccessRefused
from gnomon.model.accounts import Account, Identity
from gnomon.model.sentences import say
from gnomon.queries.accounts.sessions import LoginOutdated
from gnomon.storage.store.accounts import account_rows


def find_own_account(context: ApiContext, request: Request) -> tuple[Identity, Account]:
    """The identity of the request and its account. Raises Refusal (404) without accounts, AccessRefused."""
    if not isinstance(context.policy, AccountsPolicy):
        raise Refusal(404, say("no_accounts_are_used", things="accounts"))
    identity = context.policy.identify(request)
    with context.database.read() as tx:
        account = account_rows.get_account(tx, identity.account_pk)
    if account is None or account.epoch != identity.epoch:
        raise AccessRefused(401, find_sentence(LoginOutdated(identity.name)), {"WWW-Authenticate": "Bearer"})
    return identity, account
