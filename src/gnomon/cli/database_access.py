"""Waiting in the foreground for something that another process does, with a bound."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from gnomon.app.checks import is_standalone_running
from gnomon.clock import Clock
from gnomon.config import Config
from gnomon.store import Database, DatabaseNotInitialised, SchemaTooOld, load_cipher, open_database

T = TypeVar("T")

FIRST_PAUSE_S = 0.01
LONGEST_PAUSE_S = 0.1


def poll_until(look: Callable[[], T | None], clock: Clock, sleep: Callable[[float], None], limit_s: float) -> T | None:
    """What `look` answers first that is not None; None when `limit_s` seconds passed without."""
    deadline = clock.monotonic() + limit_s
    pause_s = FIRST_PAUSE_S
    while True:
        found = look()
        if found is not None or clock.monotonic() >= deadline:
            return found
        sleep(pause_s)
        pause_s = min(2 * pause_s, LONGEST_PAUSE_S)


READY_S = 10.0
"""How long a starting standalone gets to bring the schema up to date."""


def open_when_ready(cfg: Config, clock: Clock, sleep: Callable[[float], None]) -> Database:
    """The database with this version's schema. NotInitialised or SchemaTooOld name the remedy when nobody is at it."""
    ready = poll_until(lambda: _try_open(cfg, clock), clock, sleep, READY_S)
    return ready if ready is not None else open_database(cfg.database_url, clock=clock, cipher=load_cipher(cfg))


def _try_open(cfg: Config, clock: Clock) -> Database | None:
    """None while it is worth waiting."""
    try:
        return open_database(
            cfg.database_url, synchronous=cfg.text("database", "synchronous"), clock=clock, cipher=load_cipher(cfg)
        )
    except (DatabaseNotInitialised, SchemaTooOld):
        if is_standalone_running(cfg):
            return None
        raise
