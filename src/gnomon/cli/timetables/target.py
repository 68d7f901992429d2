"""Which schedule a person means: a DAG's, a cron text, or a Python expression. Everything that asks it goes through here."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import Any

from gnomon.cli.answers import stored_answers
from gnomon.cli.home import Home
from gnomon.errors.product import UserMistake
from gnomon.errors.timetable import AirflowTimetableInvalid, PlanningError
from gnomon.model.instants import Instant
from gnomon.model.slots import Cursor, TimetableRef
from gnomon.planning.window import Seen, look
from gnomon.report.dags import find_dag
from gnomon.report.slots import wall
from gnomon.sdk.schedule import reference, timetable_of
from gnomon.sdk.timezone import find_zone
from gnomon.testing.timetables import Violation, check_timetable
from gnomon.timetables import Timetable
from gnomon.timetables.registry import build
from gnomon.userhost import ask_now

_CRON = re.compile(r"@\w+|[\w*/,#?-]+(\s+[\w*/,#?-]+){4,6}|[\d*][\w*/,#?-]*(\s+[\w*/,#?-]+)+")
"""A preset, five fields or more; fewer, if they begin as cron does: then the mistake is told as one of cron."""
_DAG_ID = re.compile(r"[\w.-]+")
_WINDOW = "gnomon.planning.window:look"
_CHECK = "gnomon.testing.timetables.check:check_timetable"
_EVALUATE = "gnomon.loading.expression:evaluate"
RUNS_MOST = 200_000
"""So many runs are looked at, at most: */5 for nearly two years."""


@dataclass(frozen=True, slots=True)
class Target:
    """A schedule, and the bounds that its DAG gives it."""

    text: str
    """As the person wrote it."""
    ref: TimetableRef
    zone: tzinfo
    """By whose clocks it is shown."""
    zone_name: str
    file: str | None = None
    earliest: Instant | None = None
    latest: Instant | None = None
    last: Cursor | None = None
    """The last slot that was planned for its DAG."""

    def seen(self, home: Home, start: Instant, end: Instant | None, most: int = RUNS_MOST) -> Seen:
        """Its runs in the window, as far as they are known; an author's class is asked in a process of its own."""
        bounds: dict[str, Any] = {"start": start, "end": end, "most": most, "earliest": self.earliest,
                                  "latest": self.latest, "last": self.last}  # fmt: skip
        found: Seen = self._asked(home, _WINDOW, Seen, look, bounds)
        if end is not None and len(found.runs) == RUNS_MOST:
            return Seen(runs=found.runs, stopped=f"only the first {RUNS_MOST} runs are looked at; a smaller window shows all of it")
        return found

    def broken_laws(self, home: Home, **arguments: Any) -> list[Violation]:
        """What `check_timetable` finds."""
        found: list[Violation] = self._asked(home, _CHECK, list[Violation], check_timetable, arguments)
        return found

    def within(self, other: Target) -> Target:
        """The schedule in the bounds of the other's DAG, unless it has a DAG of its own."""
        if self.file is not None or other.file is None:
            return self
        return replace(self, earliest=other.earliest, latest=other.latest)

    def without_runs(self) -> str:
        """Why a window may have no run of it."""
        if not self.ref.can_be_scheduled:
            return "no runs: it has no schedule of time, runs are made by hand or by assets"
        bounds = [f"{word} {wall(at, self.zone)}" for word, at in (("from", self.earliest), ("to", self.latest)) if at is not None]
        return f"no runs in this window; the DAG has runs {' '.join(bounds)} only" if bounds else "no runs in this window"

    def _asked(self, home: Home, function: str, kind: Any, here: Callable[..., Any], arguments: dict[str, Any]) -> Any:
        """The one way to ask: a built-in timetable here, an author's beside its code."""
        try:
            if self.ref.builtin:
                return here(build(self.ref), **arguments)
            return ask_now(home.cfg, function, kind, timetable=self.ref, file=self.file, answers=stored_answers(home.cfg), **arguments)
        except PlanningError as error:
            raise UserMistake(f"{self.text}: {error}") from None


def target_of(home: Home, text: str, zone: str | None) -> Target:
    """The schedule that `text` means, read and shown in `zone` (default: its own, else [core] default_timezone)."""
    text = text.strip()
    if not text:
        raise UserMistake("TARGET is empty; give a DAG id, a cron text or a Python expression")
    default = home.cfg.text("core", "default_timezone")
    find_zone(zone or default)  # a wrong one is no mistake of the expression
    if _CRON.fullmatch(text):
        return _shown(text, _cron(text, zone or default), zone, default)
    if _DAG_ID.fullmatch(text):
        try:
            return _of_dag(home, text, zone)
        except UserMistake as error:
            if not text.rpartition(".")[2][:1].isupper():
                raise
            raise UserMistake(f"{error}\nIf {text} is the class of a timetable, write {text}()") from None
    try:
        ref = ask_now(home.cfg, _EVALUATE, TimetableRef, answers=stored_answers(home.cfg), text=text, zone=zone or default)
    except PlanningError as error:
        raise UserMistake(str(error)) from None
    return _shown(text, ref, zone, default)


def _cron(text: str, zone: str) -> TimetableRef:
    try:
        made: Timetable = timetable_of(text, find_zone(zone))
        made.validate()
    except AirflowTimetableInvalid as error:
        raise UserMistake(str(error)) from None
    return reference(made)


def _shown(text: str, ref: TimetableRef, zone: str | None, default: str) -> Target:
    own = ref.data.get("timezone") if ref.builtin else None
    name = zone or (own if isinstance(own, str) else default)
    return Target(text=text, ref=ref, zone=find_zone(name), zone_name=_spelt(name))


def _of_dag(home: Home, dag_id: str, zone: str | None) -> Target:
    with home.store() as db, db.read() as tx:
        dag = find_dag(tx, dag_id)
    spec = dag.spec
    own = spec.timetable.data.get("timezone") if spec.timetable.builtin else None
    name = zone or (own if isinstance(own, str) else spec.timezone)
    return Target(
        text=dag_id, ref=spec.timetable, zone=find_zone(name), zone_name=_spelt(name), file=dag.file,
        earliest=spec.start_at, latest=spec.end_at, last=dag.cursor,
    )  # fmt: skip


def _spelt(zone: str) -> str:
    return "UTC" if zone.lower() == "utc" else zone
