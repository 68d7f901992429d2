"""The dag-processor as a process: `main` runs until SIGTERM."""

from __future__ import annotations

import contextlib
import os
import selectors
from typing import TYPE_CHECKING

from gnomon import log
from gnomon.clock import Clock, SystemClock
from gnomon.config import Config, run_folder, set_ambient
from gnomon.dagfiles.child import conditions
from gnomon.dagfiles.facts import KnownFacts, facts_of
from gnomon.dagfiles.failures import Limits
from gnomon.dagfiles.ledger import Away
from gnomon.dagfiles.pool import ParsePool, ServerGone
from gnomon.dagfiles.preload import preload
from gnomon.dagfiles.processor import AWAY_S, Processor
from gnomon.dagfiles.settings import Settings, settings_from
from gnomon.wakeups import Bell, StopFlag, as_soon_as_possible

if TYPE_CHECKING:
    from gnomon.dagfiles.beats import Beats
    from gnomon.dagfiles.watched import Watched

IDLE_MAX_S = 60.0
_log = log.get("dagfiles")


def main(cfg: Config) -> int:
    """Files are parsed until SIGTERM or SIGINT; returns the exit code. Called in a process with one thread and no database.

    1: the parse server ended by itself; the supervisor starts this service anew.
    """
    set_ambient(cfg)
    clock = SystemClock()
    settings = settings_from(cfg)
    facts = facts_of(cfg)
    pool = start_pool(cfg, settings, facts, clock)
    stop = StopFlag().listen()
    try:
        return _serve(cfg, settings, facts, clock, pool, stop)
    except ServerGone as error:
        if stop():
            return 0
        _log.error("parse_server_gone", reason=str(error), remedy="the supervisor starts the dag-processor anew")
        return 1
    finally:
        pool.close()


def start_pool(cfg: Config, settings: Settings, facts: KnownFacts, clock: Clock) -> ParsePool:
    """The parse server runs, with everything imported that DAG files commonly import."""
    missing = preload()
    if missing:
        _log.debug("not_preloaded", modules=missing)
    limits = Limits(settings.import_s, settings.child_s, settings.memory_bytes, settings.plugins_folder)
    own = (str(cfg.logs_folder), os.path.join(cfg.home, "run"))
    return ParsePool(conditions(limits, facts, own, clock))


def _serve(cfg: Config, settings: Settings, facts: KnownFacts, clock: Clock, pool: ParsePool, stop: StopFlag) -> int:
    # After the fork: the parse server has neither the store's modules nor, later, a thread beside its own.
    from gnomon import store, taskapi
    from gnomon.dagfiles.beats import Beats
    from gnomon.dagfiles.stored import StoreLedger
    from gnomon.dagfiles.watched import Watched

    db = as_soon_as_possible(
        lambda: store.open_database(
            cfg.database_url, role="dag-processor", synchronous=cfg.text("database", "synchronous"), cipher=store.home_cipher(cfg)
        ),
        stop, lambda error: _log.warning("store_away", error=str(error), again_after_s=AWAY_S),
    )
    if db is None:
        return 0
    bell = Bell(run_folder(cfg.home), db.url)
    ledger = StoreLedger(db, clock, bell, paused_by_default=settings.paused_by_default)
    pool.answers = lambda question: taskapi.answer(db, None, question)
    processor = Processor(settings, pool, ledger, facts, clock)
    with contextlib.closing(db), contextlib.closing(Watched(settings.folders)) as watched:
        if not _begun(processor, stop):
            return 0
        _log.info("dag_processor_started", folders=list(settings.folders), processes=settings.processes)
        with contextlib.closing(Beats(db, clock)) as beats:
            loop(processor, pool, watched, clock, stop, beats)
    _log.info("dag_processor_stopped")
    return 0


def loop(processor: Processor, pool: ParsePool, watched: Watched, clock: Clock, stop: StopFlag, beats: Beats) -> None:
    """Turns follow one another until `stop` is set; between them this process sleeps until something happens."""
    with selectors.DefaultSelector() as selector:
        for source in (pool, stop, watched):
            selector.register(source, selectors.EVENT_READ)
        while not stop():
            again_at = min(processor.turn(), beats.turn())
            watched.follow(processor.folders)
            selector.select(min(IDLE_MAX_S, max(0.0, again_at - clock.monotonic())))
            changed = watched.take()
            if changed:
                processor.heard(changed)


def _begun(processor: Processor, stop: StopFlag) -> bool:
    """The processor knows what is on record; False when it was told to stop before the store could say."""
    with selectors.DefaultSelector() as selector:
        selector.register(stop, selectors.EVENT_READ)
        while not stop():
            try:
                processor.begin()
                return True
            except Away as error:
                _log.warning("store_away", error=str(error), again_after_s=AWAY_S)
            selector.select(AWAY_S)
    return False
