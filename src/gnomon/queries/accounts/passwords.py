"""Passwords: which are accepted, how they are hashed (Argon2id, parameters of OWASP's password storage cheat sheet), how one is made."""

from __future__ import annotations

import secrets
import threading
from functools import cache
from typing import TYPE_CHECKING

from gnomon.model.errors.product import UserError
from gnomon.model.sentences import say

if TYPE_CHECKING:
    from argon2 import PasswordHasher

LENGTH_MIN = 8
LENGTH_MAX = 1000
"""A longer text is refused before it is hashed."""
MEMORY_KIB = 19_456
ROUNDS = 2
HASHES_AT_ONCE = 2
"""More hashes at the same time wait, so that a flood of logins cannot take all memory and processors."""
_GENERATED_BYTES = 12
_slots = threading.BoundedSemaphore(HASHES_AT_ONCE)


def check_password(password: str, name: str) -> None:
    """Return when the password is accepted. Raises UserError."""
    if len(password) < LENGTH_MIN:
        raise UserError(say("password_is_too_short", length=len(password), least=LENGTH_MIN))
    if len(password) > LENGTH_MAX:
        raise UserError(say("password_is_too_long", length=f"{len(password):,}", most=f"{LENGTH_MAX:,}"))
    if password.casefold() == name.casefold():
        raise UserError(say("password_is_account_name"))


def generate_password() -> str:
    """A random password of 96 bits."""
    return secrets.token_urlsafe(_GENERATED_BYTES)


def hash_password(password: str) -> str:
    """The hash with its parameters, as text."""
    with _slots:
        return _hasher().hash(password)


def verify_password(password: str, password_hash: str | None) -> bool:
    """Whether the password has this hash. Without a hash, the same time is spent: an answer does not show which accounts exist."""
    from argon2.exceptions import InvalidHashError, VerificationError  # start-up cost: only logins need it

    if len(password) > LENGTH_MAX:
        return False
    with _slots:
        try:
            _hasher().verify(password_hash if password_hash is not None else _unused_hash(), password)
        except (VerificationError, InvalidHashError):
            return False
    return password_hash is not None


def is_outdated(password_hash: str) -> bool:
    """Whether the hash was made with other parameters than hashes are now."""
    return _hasher().check_needs_rehash(password_hash)


@cache
def _hasher() -> PasswordHasher:
    from argon2 import PasswordHasher  # start-up cost: only logins and `gnomon users` need it

    return PasswordHasher(time_cost=ROUNDS, memory_cost=MEMORY_KIB, parallelism=1)


@cache
def _unused_hash() -> str:
    return _hasher().hash(secrets.token_urlsafe())
