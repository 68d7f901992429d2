"""Opening the database for a command."""

from __future__ import annotations

from collections.abc import Callable

from gnomon.changes.actions.polling import poll_until
from gnomon.entry.app.checks import is_standalone_running
from gnomon.ground.clock import Clock
from gnomon.ground.config import Config
from gnomon.storage.store import Database, DatabaseNotInitialised, SchemaTooOld, load_cipher, open_database

READY_S = 10.0
"""How long a command waits for a starting standalone to bring the schema up to date."""


def open_when_ready(cfg: Config, clock: Clock, sleep: Callable[[float], None]) -> Database:
    """The open database, with the schema of this version.

    Raises DatabaseNotInitialised or SchemaTooOld, which name the remedy, when no standalone of this home is at work on it.
    """
    ready = poll_until(lambda: _try_open(cfg, clock), clock, sleep, READY_S)
    return ready if ready is not None else open_database(cfg.database_url, clock=clock, cipher=load_cipher(cfg))


def _try_open(cfg: Config, clock: Clock) -> Database | None:
    """The open database; None while a running standalone can still create or upgrade it."""
    try:
        return open_database(
            cfg.database_url, synchronous=cfg.text("database", "synchronous"), clock=clock, cipher=load_cipher(cfg)
        )
    except (DatabaseNotInitialised, SchemaTooOld):
        if is_standalone_running(cfg):
            return None
        raise
