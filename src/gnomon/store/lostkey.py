"""What to do when no copy of a key is left: another takes its place, if nothing is lost by that."""

from __future__ import annotations

from gnomon.model.instants import SECOND
from gnomon.store import keycheck, sealed
from gnomon.store.errors import InUse, WrongKey
from gnomon.store.transaction import Transaction

QUIET_S = 20.0
"""A service that has not beaten for so long is gone."""
_SHOWN = 5


def adopt(tx: Transaction) -> None:
    """The database has the key of this host from now on.

    InUse while a service beats, which may hold the old key; WrongKey while something stands that only the old key opens.
    """
    running = tx.all("key_check.beating", since=tx.lease_now() - round(QUIET_S * SECOND))
    if running:
        named = ", ".join(f"{service} on {host}" for service, host in running)
        raise InUse(
            f"the key is not changed while services run that may hold it ({named}): copy fernet.key from there; or stop them, "
            f"wait {QUIET_S:g} s if they were killed, and try again"
        )
    lost = sealed.unopened(tx)
    if lost:
        more = f" and {len(lost) - _SHOWN} more" if len(lost) > _SHOWN else ""
        raise WrongKey(
            f"only the old key opens what this database holds: {', '.join(lost[:_SHOWN])}{more}; nothing was changed. Delete "
            "the Variables (`gnomon variables delete`); for anything else, put the old key back or begin with a new database"
        )
    keycheck.put(tx)
