"""Accounts and their API tokens."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.changes.operations.operation import operation
from gnomon.changes.operations.operation_scope import OperationScope
from gnomon.model.accounts import Account, ApiToken, Grant, GrantKind, Role, parse_role
from gnomon.model.errors.product import UserError
from gnomon.model.instants import Instant, iso
from gnomon.model.sentences import say
from gnomon.queries.accounts import account_changes, api_tokens
from gnomon.queries.accounts.account_changes import get_account
from gnomon.storage.store.accounts import account_rows, token_rows


@dataclass(frozen=True, slots=True)
class AccountRow:
    """An account as listings print it."""

    name: str
    role: str
    grants: list[str]
    """For example `user on dag etl_*`."""
    has_password: bool
    created_at: str | None


@dataclass(frozen=True, slots=True)
class TokenRow:
    """A token as listings print it."""

    token: str
    """Its id, which is no secret."""
    account: str
    name: str
    role: str
    state: str
    """`valid`, `expired` or `revoked`."""
    created_at: str | None
    expires_at: str | None
    used_at: str | None
    revoked_at: str | None


@operation("accounts.list", "read", "account")
def list_accounts(scope: OperationScope) -> list[AccountRow]:
    """All accounts."""
    with scope.db.read() as tx:
        return [_build_account_row(account) for account in account_rows.list_accounts(tx)]


@operation("accounts.create", "create", "account")
def create_account(scope: OperationScope, name: str, role: str, password: str | None = None) -> AccountRow:
    """Create an account; without a password it is for API tokens only."""
    with scope.db.write() as tx:
        return _build_account_row(account_changes.create_account(tx, scope.author, name, _read_role(role), password))


@operation("accounts.set_role", "edit", "account")
def set_role(scope: OperationScope, name: str, role: str) -> AccountRow:
    """Give an account another role."""
    with scope.db.write() as tx:
        return _build_account_row(account_changes.set_role(tx, scope.author, name, _read_role(role)))


@operation("accounts.reset_password", "edit", "account")
def reset_password(scope: OperationScope, name: str, password: str) -> None:
    """Give an account another password, and end its sessions."""
    with scope.db.write() as tx:
        account_changes.reset_password(tx, scope.author, name, password)


@operation("accounts.delete", "delete", "account")
def delete_account(scope: OperationScope, name: str) -> None:
    """Delete an account with its sessions and tokens."""
    with scope.db.write() as tx:
        account_changes.delete_account(tx, scope.author, name)


@operation("accounts.grant", "edit", "account")
def add_grant(scope: OperationScope, name: str, kind: str, pattern: str, role: str) -> None:
    """Give an account a role on the DAGs of a pattern. `kind`: dag, the pattern is of ids; or tag."""
    with scope.db.write() as tx:
        account_changes.add_grant(tx, scope.author, name, Grant(_read_kind(kind), pattern, _read_role(role)))


@operation("accounts.revoke", "edit", "account")
def remove_grant(scope: OperationScope, name: str, kind: str, pattern: str) -> None:
    """Take a grant from an account."""
    with scope.db.write() as tx:
        account_changes.remove_grant(tx, scope.author, name, _read_kind(kind), pattern)


@operation("tokens.create", "create", "account")
def create_token(
    scope: OperationScope, account: str, name: str, role: str = "viewer", lifetime_s: float | None = None
) -> str:
    """Create a token of an account; returns its text, which nothing can show again. Without `lifetime_s` it is valid until it is revoked."""
    with scope.db.write() as tx:
        return api_tokens.create_token(tx, scope.author, get_account(tx, account), name, _read_role(role), lifetime_s)


@operation("tokens.list", "read", "account")
def list_tokens(scope: OperationScope) -> list[TokenRow]:
    """All tokens, without their secrets."""
    now = scope.actor.clock.now()
    with scope.db.read() as tx:
        return [_build_token_row(token, now) for token in token_rows.list_tokens(tx)]


@operation("tokens.revoke", "edit", "account")
def revoke_token(scope: OperationScope, token: str) -> TokenRow:
    """Revoke the token with this id."""
    with scope.db.write() as tx:
        revoked = api_tokens.revoke_token(tx, scope.author, token)
    return _build_token_row(revoked, scope.actor.clock.now())


def _read_role(name: str) -> Role:
    try:
        return parse_role(name)
    except ValueError as error:
        raise UserError(say("role_is_wrong", error=str(error))) from None


def _read_kind(name: str) -> GrantKind:
    try:
        return GrantKind(name)
    except ValueError:
        raise UserError(say("grant_is_about_something_else", name=name)) from None


def _build_account_row(account: Account) -> AccountRow:
    grants = [f"{grant.role} on {grant.kind} {grant.pattern}" for grant in account.grants]
    return AccountRow(
        account.name, str(account.role), grants, account.password_hash is not None, iso(account.created_at)
    )


def _build_token_row(token: ApiToken, now: Instant) -> TokenRow:
    state = "revoked" if token.revoked_at is not None else "valid" if token.is_valid(now) else "expired"
    return TokenRow(
        token.uid,
        token.account_name,
        token.name,
        str(token.role),
        state,
        iso(token.created_at),
        iso(token.expires_at),
        iso(token.used_at),
        iso(token.revoked_at),
    )
