"""API tokens of programs: `gnm_<id>_<secret>`. The secret has 256 random bits, so a plain hash of it cannot be guessed."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets

from gnomon.model.accounts import Account, ApiToken, Author, Identity, Role
from gnomon.model.errors.product import UserError, find_close_matches
from gnomon.model.instants import SECOND, Instant, iso
from gnomon.model.records import EventRecord
from gnomon.model.sentences import Command, say
from gnomon.storage.store import Transaction
from gnomon.storage.store.accounts import account_rows, token_rows
from gnomon.storage.store.dag_records.event_log import log_event

USED_AGAIN_S = 60.0
"""The last use is written at most this often."""

PREFIX = "gnm_"
_TOKEN = re.compile(r"gnm_([0-9a-f]{12})_([\w-]{43})", re.ASCII)
_UID_BYTES = 6
_SECRET_BYTES = 32
LIFETIME_MAX_S = 100 * 366 * 86_400
"""A hundred years."""
TOKENS_MAX = 100
"""An account has at most so many valid tokens: each account may create its own, also one that may only read."""


def create_token(
    tx: Transaction, author: Author, account: Account, name: str, role: Role, lifetime_s: float | None
) -> str:
    """Create a token; returns its text, which nothing can show again. Raises UserError.

    `role`: the most that the token permits; it permits no more than its account. `lifetime_s` None: it does not expire.
    """
    if not account_rows.lock_unchanged(tx, account.account_pk, account.epoch):
        raise UserError(say("account_was_changed", name=account.name))
    if not 1 <= len(name) <= 100:
        raise UserError(say("token_needs_name"))
    if role is Role.NONE:
        raise UserError(say("token_role_is_none"))
    if account.role < role and not any(grant.role >= role for grant in account.grants):
        raise UserError(say("token_role_is_too_high", name=account.name, role=str(account.role), other_role=str(role)))
    if lifetime_s is not None and not 0 < lifetime_s <= LIFETIME_MAX_S:  # also refuses NaN
        raise UserError(say("token_lifetime_is_out_of_range", duration=lifetime_s, most=LIFETIME_MAX_S // 86_400))
    if (
        sum(
            token.account_pk == account.account_pk and token.is_valid(author.now)
            for token in token_rows.list_tokens(tx)
        )
        >= TOKENS_MAX
    ):
        raise UserError(say("account_has_all_tokens", name=account.name, most=TOKENS_MAX))
    uid, secret = secrets.token_hex(_UID_BYTES), secrets.token_urlsafe(_SECRET_BYTES)
    expires_at = None if lifetime_s is None else author.now + round(lifetime_s * SECOND)
    token_rows.add_token(
        tx,
        uid=uid,
        account_pk=account.account_pk,
        name=name,
        secret_hash=hash_secret(secret),
        role=role,
        now=author.now,
        expires_at=expires_at,
    )
    after = {"role": str(role), "name": name, "expires_at": None if expires_at is None else iso(expires_at)}
    _log(tx, author, "token_created", {"account": account.name, "token": uid, "after": after})
    return f"{PREFIX}{uid}_{secret}"


def revoke_token(tx: Transaction, author: Author, uid: str) -> ApiToken:
    """Revoke a token for good. Raises UserError for an unknown or revoked one."""
    stored = token_rows.find_token(tx, uid)
    if stored is None:
        near = find_close_matches(uid, [token.uid for token in token_rows.list_tokens(tx)])
        raise UserError(
            say(
                "token_does_not_exist",
                name=uid,
                hint=say("did_you_mean", names=near[0])
                if near
                else say("command_lists_all", command=Command("tokens list"), things="tokens"),
            )
        )
    token = stored[0]
    if not token_rows.revoke_token(tx, token, author.now):
        raise UserError(say("token_was_revoked", name=uid, at=token.revoked_at))
    _log(
        tx,
        author,
        "token_revoked",
        {"account": token.account_name, "token": uid, "before": {"role": str(token.role), "name": token.name}},
    )
    return token


def identify_token(tx: Transaction, text: str, now: Instant) -> tuple[Identity, ApiToken] | None:
    """The identity of a request with this token; None when the token is malformed, unknown, revoked or expired."""
    parts = _TOKEN.fullmatch(text)
    stored = token_rows.find_token(tx, parts[1]) if parts else None
    if parts is None or stored is None:
        return None
    token, secret_hash = stored
    if not hmac.compare_digest(secret_hash, hash_secret(parts[2])) or not token.is_valid(now):
        return None
    account = account_rows.get_account(tx, token.account_pk)
    return None if account is None else (account.identify(ceiling=token.role, token_uid=token.uid), token)


def needs_touch(token: ApiToken, now: Instant) -> bool:
    """Whether the last use of the token is to be written again."""
    return token.used_at is None or now - token.used_at > USED_AGAIN_S * SECOND


def hash_secret(secret: str) -> str:
    """The hash of a random secret that is stored instead of the secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


def _log(tx: Transaction, author: Author, kind: str, body: dict[str, object]) -> None:
    full_body = body if author.address is None else body | {"from": author.address}
    log_event(tx, EventRecord(author.now, kind, by=author.by, body=json.dumps(full_body), address=author.address))
