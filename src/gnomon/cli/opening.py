"""Opening the database for a command, beside a standalone that may be making or upgrading it at this moment."""

from __future__ import annotations

from collections.abc import Callable

from gnomon.app.checks import standalone_runs
from gnomon.cli.waiting import wait_for
from gnomon.clock import Clock
from gnomon.config import Config
from gnomon.store import Database, NotInitialised, SchemaTooOld, home_cipher, open_database

READY_S = 10.0
"""How long a starting standalone gets to bring the schema up to date."""


def open_when_ready(cfg: Config, clock: Clock, sleep: Callable[[float], None]) -> Database:
    """The database with this version's schema. NotInitialised or SchemaTooOld name the remedy when nobody is at it."""
    ready = wait_for(lambda: _open(cfg, clock), clock, sleep, READY_S)
    return ready if ready is not None else open_database(cfg.database_url, clock=clock, cipher=home_cipher(cfg))


def _open(cfg: Config, clock: Clock) -> Database | None:
    """None while it is worth waiting."""
    try:
        return open_database(
            cfg.database_url, synchronous=cfg.text("database", "synchronous"), clock=clock, cipher=home_cipher(cfg)
        )
    except (NotInitialised, SchemaTooOld):
        if standalone_runs(cfg):
            return None
        raise
