"""Opening the database for a command, and `poll_until`: waiting, up to a limit, for something that another process does."""

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
    """Call `look` until it returns something other than None, and return that; None when `limit_s` seconds have passed."""
    deadline = clock.monotonic() + limit_s
    pause_s = FIRST_PAUSE_S
    while True:
        result = look()
        if result is not None or clock.monotonic() >= deadline:
            return result
        sleep(pause_s)
        pause_s = min(2 * pause_s, LONGEST_PAUSE_S)


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
