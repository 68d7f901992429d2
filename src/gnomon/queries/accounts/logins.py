"""Logins with a password, and the limit of their rate; that of codes of an identity provider too.

Failures are counted for an address, and for an address with the name that was tried, never for a name alone: with failed logins
nobody can keep the owner of an account, at another address, from logging in.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

from gnomon.model.accounts import Account
from gnomon.model.errors.product import UserError
from gnomon.model.instants import SECOND, Instant
from gnomon.model.sentences import say
from gnomon.queries.accounts.account_changes import is_account_name
from gnomon.queries.accounts.passwords import hash_password, is_outdated, verify_password
from gnomon.storage.store import Database
from gnomon.storage.store.accounts import account_rows, login_failure_rows

FREE_FAILURES_OF_NAME = 5
"""So many wrong passwords for one name may come from one address without a pause."""
FREE_FAILURES_OF_ADDRESS = 50
"""So many from one address for any names."""
FIRST_PAUSE_S = 15.0
LONGEST_PAUSE_S = 900.0
"""The pause doubles with each further failure up to the longest."""
FORGOTTEN_AFTER_S = 3600.0
_IPV6_NETWORK = 64
"""One subscriber has a whole network of IPv6."""


class LoginRefused(UserError):
    """A login failed. `retry_after_s`: seconds until the next try is looked at; 0: at once."""

    def __init__(self, retry_after_s: float = 0.0) -> None:
        super().__init__(
            say("logins_are_paused", number=f"{retry_after_s:.0f}") if retry_after_s else say("password_is_wrong")
        )
        self.retry_after_s = retry_after_s


@dataclass(frozen=True, slots=True)
class _Limit:
    source: str
    free: int


def log_in(db: Database, name: str, password: str, address: str, now: Instant) -> Account:
    """The account with this name and password. Raises LoginRefused; whether the name or the password is wrong is not told."""
    name = name if is_account_name(name) else ""
    limits = _make_limits(name, address)
    with db.read() as tx:
        pause_s = max(
            _find_pause(*login_failure_rows.read_failures(tx, limit.source), limit.free, now) for limit in limits
        )
        account = account_rows.find_account(tx, name)
    if pause_s > 0:
        raise LoginRefused(pause_s)
    if not verify_password(password, None if account is None else account.password_hash):
        _count_failure(db, limits, now)
        raise LoginRefused
    assert account is not None and account.password_hash is not None
    _settle(db, account, password, limits)
    return account


def check_code_pause(db: Database, address: str, now: Instant) -> None:
    """Return while codes of the identity provider from this address are looked at. Raises LoginRefused after too many that it did not know."""
    limit = _make_code_limit(address)
    with db.read() as tx:
        pause_s = _find_pause(*login_failure_rows.read_failures(tx, limit.source), limit.free, now)
    if pause_s > 0:
        raise LoginRefused(pause_s)


def count_refused_code(db: Database, address: str, now: Instant) -> None:
    """Count a code that the identity provider did not know: everybody can send one, and each is a request to the provider."""
    _count_failure(db, (_make_code_limit(address),), now)


def _make_code_limit(address: str) -> _Limit:
    return _Limit(f"{find_network(address)} /oidc", FREE_FAILURES_OF_ADDRESS)  # no name of an account has a slash


def _make_limits(name: str, address: str) -> tuple[_Limit, _Limit]:
    network = find_network(address)
    return _Limit(f"{network} {account_rows.make_name_key(name)}", FREE_FAILURES_OF_NAME), _Limit(
        network, FREE_FAILURES_OF_ADDRESS
    )


def find_network(address: str) -> str:
    """The part of an address that one user has: all of an IPv4 address, the network of 64 bits of an IPv6 address."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((parsed, _IPV6_NETWORK), strict=False))


def _find_pause(failures: int, last_at: Instant, free: int, now: Instant) -> float:
    """Seconds until the next try from a source is looked at."""
    if failures < free or now - last_at > FORGOTTEN_AFTER_S * SECOND:
        return 0.0
    pause_s = min(FIRST_PAUSE_S * 2.0 ** min(failures - free, 20), LONGEST_PAUSE_S)
    return max(0.0, pause_s - (now - last_at) / SECOND)


def _count_failure(db: Database, limits: tuple[_Limit, ...], now: Instant) -> None:
    forgotten_before = now - round(FORGOTTEN_AFTER_S * SECOND)
    with db.write() as tx:
        for limit in limits:
            login_failure_rows.add_failure(tx, limit.source, now, forgotten_before)
        login_failure_rows.delete_old_failures(tx, forgotten_before)


def _settle(db: Database, account: Account, password: str, limits: tuple[_Limit, ...]) -> None:
    """Forget the failures for this name from this address, and bring the hash up to date."""
    assert account.password_hash is not None
    new_hash = hash_password(password) if is_outdated(account.password_hash) else None
    with db.write() as tx:
        login_failure_rows.delete_failures(tx, limits[0].source)
        if new_hash is not None:
            account_rows.refresh_hash(tx, account.account_pk, account.password_hash, new_hash)
