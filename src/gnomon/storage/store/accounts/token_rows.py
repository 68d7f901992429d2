"""API tokens of programs."""

from __future__ import annotations

from gnomon.model.accounts import ApiToken, Role, parse_role
from gnomon.model.change_entries import LoginsChange
from gnomon.model.instants import Instant
from gnomon.storage.store.change_journal import record_change
from gnomon.storage.store.transaction import Row, Transaction


def add_token(
    tx: Transaction,
    *,
    uid: str,
    account_pk: int,
    name: str,
    secret_hash: str,
    role: Role,
    now: Instant,
    expires_at: Instant | None,
) -> None:
    """Insert a token."""
    tx.run(
        "api_tokens.add",
        uid=uid,
        account_pk=account_pk,
        name=name,
        secret_hash=secret_hash,
        role=str(role),
        created_at=now,
        expires_at=expires_at,
    )


def find_token(tx: Transaction, uid: str) -> tuple[ApiToken, str] | None:
    """The token and the hash of its secret; None when there is none."""
    row = tx.one("api_tokens.find", uid=uid)
    return None if row is None else (_decode(row), row[10])


def list_tokens(tx: Transaction) -> list[ApiToken]:
    """All tokens, newest first."""
    return [_decode(row) for row in tx.all("api_tokens.list")]


def touch_token(tx: Transaction, token_pk: int, now: Instant) -> None:
    """Note that the token was used."""
    tx.run("api_tokens.touch", token_pk=token_pk, now=now)


def revoke_token(tx: Transaction, token: ApiToken, now: Instant) -> bool:
    """Revoke the token; False when it was revoked before."""
    record_change(tx, LoginsChange(token.account_pk))
    return tx.run("api_tokens.revoke", token_pk=token.token_pk, now=now) == 1


def _decode(row: Row) -> ApiToken:
    token_pk, uid, account_pk, account_name, name, role, created_at, expires_at, used_at, revoked_at = row[:10]
    return ApiToken(
        token_pk, uid, account_pk, account_name, name, parse_role(role), created_at, expires_at, used_at, revoked_at
    )
