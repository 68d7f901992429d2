"""The nightly clean: the monitor that holds the lease does it once a day, in a thread, at [housekeeping] clean_at."""

from __future__ import annotations

import json
import threading
from datetime import datetime, timedelta
from pathlib import Path

from gnomon.entry.app.housekeeping import TABLES, Housekeeping
from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.ground.config import Config, OptionError
from gnomon.ground.config.alert_channels import read_span
from gnomon.model.errors.product import GnomonError
from gnomon.model.instants import SECOND, Instant, iso, to_datetime, to_instant
from gnomon.model.records import EventRecord
from gnomon.model.sentences import say
from gnomon.rules.timetables.wall_clock.zones import zone_of
from gnomon.storage.store import CommitUncertain, Database
from gnomon.storage.store.dag_records.event_log import log_event

MISSED_S = 3600.0
"""A clean that could not begin within so many seconds after its time is left out: this process stood by, or the machine slept."""
_KIND = "database_cleaned"
_log = log.get_logger("monitor.clean")


class NightlyClean:
    """When the next clean is due, and the thread of the one that runs. `tick` never blocks."""

    def __init__(self, cfg: Config, db: Database, clock: Clock) -> None:
        """Raises OptionError for an option of section housekeeping that cannot be read."""
        self._db = db
        self._clock = clock
        self._at = cfg.text("housekeeping", "clean_at").strip()
        self._zone = (
            "UTC"
            if cfg.text("core", "default_timezone").lower() in ("utc", "system", "local")
            else cfg.text("core", "default_timezone")
        )
        self._older_than_s = _read(cfg, "older_than")
        self._keep_last = cfg.integer("housekeeping", "keep_last")
        self._tables = _read_tables(cfg)
        self._logs_folder: Path = cfg.logs_folder
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        self.due_at: Instant | None = find_next(self._at, self._zone, clock.now()) if self._at else None
        """When the next clean begins; None: never."""

    def tick(self) -> None:
        """Begin the clean if it is due."""
        now = self._clock.now()
        if self.due_at is None or now < self.due_at:
            return
        late_s = (now - self.due_at) / SECOND
        self.due_at = find_next(self._at, self._zone, now)
        if late_s > MISSED_S:
            _log.warning("clean_missed", late_s=round(late_s), next_at=iso(self.due_at))
        elif self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._run, name="clean", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Have the running clean end after its transaction, and wait for it."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        try:
            work = Housekeeping(self._db, self._logs_folder, self._clock, self._stopped.wait, self._stopped.is_set)
            deleted = {row.table: row.deleted for row in work.run(self._older_than_s, self._keep_last, self._tables)}
            with self._db.write() as tx:
                log_event(tx, EventRecord(self._clock.now(), _KIND, by="monitor", body=json.dumps(deleted)))
            _log.info(_KIND, **deleted)
        except (GnomonError, CommitUncertain, OSError) as error:
            _log.error("clean_failed", error=str(error), next="the next clean deletes the rest")


def find_next(at: str, zone_name: str, now: Instant) -> Instant:
    """The first instant after `now` at which it is `at` o'clock in the zone."""
    local = to_datetime(now).astimezone(zone_of(zone_name))
    hour, minute = (int(part) for part in at.split(":"))
    for days in range(3):
        day = local.date() + timedelta(days=days)
        instant = to_instant(datetime(day.year, day.month, day.day, hour, minute, tzinfo=local.tzinfo))
        if instant > now:
            return instant
    raise AssertionError("a time of day comes within two days")


def _read(cfg: Config, name: str) -> float:
    text = cfg.text("housekeeping", name)
    try:
        return read_span(text, f"[housekeeping] {name} ({cfg.source('housekeeping', name)})", "it")
    except ValueError as error:
        raise OptionError(say("age_is_wrong", error=str(error))) from None


def _read_tables(cfg: Config) -> list[str]:
    names = [name.strip() for name in cfg.text("housekeeping", "tables").split(",") if name.strip()]
    for name in names:
        if name not in TABLES:
            raise OptionError(
                say(
                    "housekeeping_table_is_unknown",
                    source=cfg.source("housekeeping", "tables"),
                    name=name,
                    names=", ".join(TABLES),
                )
            )
    return [name for name in TABLES if name in names]
