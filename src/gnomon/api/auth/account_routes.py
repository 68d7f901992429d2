"""`/auth/me`, `/auth/password` and `/auth/tokens`: one's own account, its password and its API tokens. Views are in `view_routes`."""

from __future__ import annotations

from datetime import datetime

from fastapi import Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from gnomon.api.access.accounts_policy import AccountsPolicy
from gnomon.api.access.allowed_acts import list_allowed_acts
from gnomon.api.auth.own_account import find_own_account
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.refusals import Refusal, find_sentence
from gnomon.api.common.request_slots import RequestSlots
from gnomon.api.common.shapes import Body
from gnomon.api.common.trusted_proxies import find_address
from gnomon.api.context import ApiContext, Context
from gnomon.api.policies import AccessRefused, ApiResource, Permission
from gnomon.model.accounts import ApiToken, Author, Identity, Role, parse_role
from gnomon.model.instants import moment, to_datetime
from gnomon.model.sentences import quote, say
from gnomon.queries.accounts import account_changes, api_tokens
from gnomon.queries.accounts.logins import LoginRefused, log_in
from gnomon.queries.accounts.passwords import LENGTH_MAX
from gnomon.queries.accounts.sessions import require_login
from gnomon.storage.store.accounts import token_rows

router = OperationRouter(prefix="/auth", tags=["Login"])
LIFETIME_MAX_S = 10 * 366 * 86400
_SLOTS = RequestSlots("changes of passwords", 2)


class GrantAnswer(BaseModel):
    """A role on the DAGs whose id, or one of whose tags, matches a pattern."""

    kind: str
    """dag or tag."""
    pattern: str
    role: str


class MeAnswer(BaseModel):
    """The account of the request."""

    account: str
    role: str
    """The role on everything, at most what the token of the request permits."""
    grants: list[GrantAnswer]
    has_accounts: bool
    """False with `[api] auth = none`: then everybody of this machine may do everything."""
    has_password: bool
    """False for an account that logs in at an identity provider, or is for API tokens only."""
    may: list[str]
    """What the account may do, each a permission and a resource: `edit pool`. What is of DAGs counts if it is permitted on some DAGs."""
    created_at: datetime | None = None
    """Of the account; null where there are no accounts."""


class PasswordBody(Body):
    """The password now, and the new one."""

    current_password: str = Field(max_length=LENGTH_MAX)
    new_password: str = Field(max_length=LENGTH_MAX)


class PasswordAnswer(BaseModel):
    """What became of the other sessions."""

    ended_sessions: int


class TokenBody(Body):
    """A token to create."""

    name: str = Field(max_length=100)
    """What uses the token."""
    role: str = "viewer"
    """The most that the token permits."""
    lifetime_s: float | None = Field(90 * 86400.0, gt=0, le=LIFETIME_MAX_S)
    """Null: it is valid until it is revoked."""


class NewTokenAnswer(BaseModel):
    """The text of a token, which nothing can show again."""

    token: str


class TokenAnswer(BaseModel):
    """A token, without its secret."""

    token: str
    """Its id, which is no secret."""
    name: str
    role: str
    state: str
    """valid, expired or revoked."""
    created_at: datetime
    expires_at: datetime | None
    used_at: datetime | None


class TokensAnswer(BaseModel):
    """The tokens of one account, the newest first."""

    account: str
    tokens: list[TokenAnswer]


@router.get("/me")
def get_me(request: Request, context: Context) -> MeAnswer:
    """Who makes the request, and what that account may do."""
    if not isinstance(context.policy, AccountsPolicy):
        identity = context.policy.authorize(request, Permission.READ, ApiResource.DAG, None).identity
        return MeAnswer(
            account=identity.name,
            role=str(identity.everywhere),
            grants=[],
            has_accounts=False,
            has_password=False,
            may=list_allowed_acts(identity),
        )
    identity, account = find_own_account(context, request)
    grants = [
        GrantAnswer(kind=str(grant.kind), pattern=grant.pattern, role=str(grant.role)) for grant in identity.grants
    ]
    return MeAnswer(
        account=account.name,
        role=str(identity.everywhere),
        grants=grants,
        has_accounts=True,
        has_password=account.password_hash is not None,
        may=list_allowed_acts(identity),
        created_at=to_datetime(account.created_at),
    )


@router.put("/password")
def change_password(body: PasswordBody, request: Request, context: Context) -> PasswordAnswer:
    """Give one's own account another password. The other sessions of the account end; its API tokens stay."""
    identity, account = find_own_account(context, request)
    _refuse_token(identity, "the password")
    if account.password_hash is None:
        raise Refusal(400, say("account_has_no_password", name=account.name))
    address = find_address(request)
    try:
        with _SLOTS.take():
            log_in(context.database, account.name, body.current_password, address, context.clock.now())
        author = Author(f"api:{account.name}", context.clock.now(), address)
        with context.database.write() as tx:
            require_login(tx, identity)
            ended = account_changes.reset_password(tx, author, account.name, body.new_password, identity.session_pk)
    except LoginRefused as refusal:
        pause = {"Retry-After": f"{refusal.retry_after_s:.0f}"} if refusal.retry_after_s else {}
        reason = find_sentence(refusal) if refusal.retry_after_s else say("current_password_is_wrong")
        raise Refusal(429 if refusal.retry_after_s else 403, reason, pause) from None
    return PasswordAnswer(ended_sessions=ended)


@router.get("/tokens")
def list_own_tokens(request: Request, context: Context) -> TokensAnswer:
    """The API tokens of one's own account."""
    _, account = find_own_account(context, request)
    with context.database.read() as tx:
        tokens = [token for token in token_rows.list_tokens(tx) if token.account_pk == account.account_pk]
    return TokensAnswer(account=account.name, tokens=[_build_token(context, token) for token in tokens])


@router.post("/tokens", status_code=201)
def create_own_token(body: TokenBody, request: Request, context: Context) -> NewTokenAnswer:
    """Create an API token of one's own account."""
    identity, account = find_own_account(context, request)
    _refuse_token(identity, "tokens")
    try:
        role = parse_role(body.role)
    except ValueError as error:
        raise Refusal(422, quote(str(error))) from None
    author = Author(f"api:{account.name}", context.clock.now(), find_address(request))
    with context.database.write() as tx:
        require_login(tx, identity)
        return NewTokenAnswer(token=api_tokens.create_token(tx, author, account, body.name, role, body.lifetime_s))


@router.delete("/tokens/{token}", status_code=204)
def revoke_own_token(token: str, request: Request, context: Context) -> Response:
    """Revoke a token of one's own account: requests with it are refused from now on."""
    identity, account = find_own_account(context, request)
    if identity.ceiling < Role.USER:
        raise AccessRefused(403, say("token_permits_too_little", role=str(identity.ceiling), act="revoking tokens"))
    author = Author(f"api:{account.name}", context.clock.now(), find_address(request))
    with context.database.write() as tx:
        stored = token_rows.find_token(tx, token)
        if stored is None or stored[0].account_pk != account.account_pk:
            raise Refusal(404, say("account_has_no_token", name=account.name, text=token))
        api_tokens.revoke_token(tx, author, token)
    return Response(status_code=204)


def _refuse_token(identity: Identity, thing: str) -> None:
    """Who has stolen a token must not make a longer life of it."""
    if identity.token_uid is not None:
        raise AccessRefused(403, say("token_cannot_change_account", thing=thing))


def _build_token(context: ApiContext, token: ApiToken) -> TokenAnswer:
    state = "revoked" if token.revoked_at is not None else "valid" if token.is_valid(context.clock.now()) else "expired"
    return TokenAnswer(
        token=token.uid,
        name=token.name,
        role=str(token.role),
        state=state,
        created_at=to_datetime(token.created_at),
        expires_at=moment(token.expires_at),
        used_at=moment(token.used_at),
    )
