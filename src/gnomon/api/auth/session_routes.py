"""`/auth/sessions`: the browsers that are logged in to one's own account; administrators see and end those of all accounts."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import Query, Request
from pydantic import BaseModel
from starlette.responses import Response

from gnomon.api.access.accounts_policy import AccountsPolicy
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.refusals import Refusal
from gnomon.api.common.trusted_proxies import find_address
from gnomon.api.context import ApiContext, Context
from gnomon.api.policies import AccessRefused
from gnomon.model.accounts import Account, Author, Identity, Role
from gnomon.model.instants import to_datetime
from gnomon.model.sentences import say
from gnomon.queries.accounts.sessions import list_open_sessions, revoke_sessions
from gnomon.storage.store.accounts import account_rows

router = OperationRouter(prefix="/auth/sessions", tags=["Login"])
SESSION_MAX = 2**63 - 1
AccountName = Annotated[
    str | None,
    Query(
        max_length=250, description="The account; without it, one's own. For other accounts the role admin is needed."
    ),
]


class SessionAnswer(BaseModel):
    """A session of a browser."""

    id: int
    address: str
    """From where the login came."""
    created_at: datetime
    used_at: datetime
    """The last use, to the minute."""
    is_current: bool
    """Whether the request belongs to this session."""


class SessionsAnswer(BaseModel):
    """The sessions of one account, the last used first."""

    account: str
    sessions: list[SessionAnswer]


@router.get("")
def list_sessions(request: Request, context: Context, account: AccountName = None) -> SessionsAnswer:
    """The sessions of the account of the request, or of another one."""
    policy = _require_accounts(context)
    of_account = _find_account(context, policy.identify(request), account)
    current = None if request.headers.get("authorization") is not None else policy.find_session(request)
    with context.database.read() as tx:
        rows = list_open_sessions(tx, of_account, context.clock.now(), context.authenticator.rules)
    return SessionsAnswer(
        account=of_account.name,
        sessions=[
            SessionAnswer(
                id=row.session_pk,
                address=row.address,
                created_at=to_datetime(row.created_at),
                used_at=to_datetime(row.used_at),
                is_current=current is not None and current.session_pk == row.session_pk,
            )
            for row in rows
        ],
    )


@router.delete("", status_code=204)
def end_all_sessions(request: Request, context: Context, account: AccountName = None) -> Response:
    """End all sessions of the account of the request, its own included, or of another one."""
    return _end(context, request, account, None)


@router.delete("/{session_id}", status_code=204)
def end_one_session(session_id: int, request: Request, context: Context, account: AccountName = None) -> Response:
    """End one session."""
    return _end(context, request, account, session_id)


def _end(context: ApiContext, request: Request, name: str | None, session_id: int | None) -> Response:
    identity = _require_accounts(context).identify(request)
    if identity.ceiling < Role.USER:
        raise AccessRefused(403, say("token_permits_too_little", role=str(identity.ceiling), act="ending sessions"))
    account = _find_account(context, identity, name)
    author = Author(identity.name, context.clock.now(), find_address(request))
    with context.database.write() as tx:
        count = (
            0
            if session_id is not None and not 0 < session_id <= SESSION_MAX
            else revoke_sessions(tx, author, account, session_id)
        )
    if session_id is not None and not count:
        raise Refusal(404, say("session_does_not_exist", name=account.name, number=str(session_id)))
    return Response(status_code=204)


def _find_account(context: ApiContext, identity: Identity, name: str | None) -> Account:
    """The account that the request is about. Raises AccessRefused for another one without the role admin, Refusal (404) for an unknown one."""
    is_own = name is None or account_rows.make_name_key(name) == account_rows.make_name_key(identity.name)
    if not is_own and identity.everywhere < Role.ADMIN:
        raise AccessRefused(
            403, say("sessions_of_others_need_admin", name=identity.name, role=str(identity.everywhere))
        )
    with context.database.read() as tx:
        account = (
            account_rows.get_account(tx, identity.account_pk) if is_own else account_rows.find_account(tx, name or "")
        )
    if account is None:
        raise Refusal(404, say("name_does_not_exist", thing="account", name=str(name)))
    return account


def _require_accounts(context: ApiContext) -> AccountsPolicy:
    if not isinstance(context.policy, AccountsPolicy):
        raise Refusal(404, say("no_accounts_are_used", things="sessions"))
    return context.policy
