"""Which schedule a person means: a DAG's, a cron text, or a Python expression. Everything that asks it goes through here."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import Any

from gnomon.cli.author_queries import make_question_handler
from gnomon.cli.home import Home
from gnomon.errors.product import UserError
from gnomon.errors.timetable import AirflowTimetableInvalid, PlanningError
from gnomon.model.instants import Instant
from gnomon.model.slots import Cursor, TimetableRef
from gnomon.planning.window import WindowRuns, list_runs_in_window
from gnomon.report.listings.dag_list import find_dag
from gnomon.report.listings.local_time import format_local
from gnomon.sdk.schedules.schedule_argument import build_timetable_ref, parse_schedule
from gnomon.sdk.schedules.timezone import find_zone
from gnomon.testing.timetables import Violation, check_timetable
from gnomon.timetable_host import ask_and_wait
from gnomon.timetables import Timetable
from gnomon.timetables.registry import build

_CRON = re.compile(r"@\w+|[\w*/,#?-]+(\s+[\w*/,#?-]+){4,6}|[\d*][\w*/,#?-]*(\s+[\w*/,#?-]+)+")
"""A preset, five fields or more; fewer, if they begin as cron does: then the mistake is told as one of cron."""
_DAG_ID = re.compile(r"[\w.-]+")
_WINDOW = "gnomon.planning.window:list_runs_in_window"
_CHECK = "gnomon.testing.timetables.check:check_timetable"
_EVALUATE = "gnomon.loading.expression:evaluate"
RUNS_MAX = 200_000
"""So many runs are looked at, at most: */5 for nearly two years."""


@dataclass(frozen=True, slots=True)
class ScheduleTarget:
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

    def list_runs(self, home: Home, start: Instant, end: Instant | None, most: int = RUNS_MAX) -> WindowRuns:
        """Its runs in the window, as far as they are known; an author's class is asked in a process of its own."""
        bounds: dict[str, Any] = {"start": start, "end": end, "most": most, "earliest": self.earliest,
                                  "latest": self.latest, "last": self.last}  # fmt: skip
        found: WindowRuns = self._call(home, _WINDOW, WindowRuns, list_runs_in_window, bounds)
        if end is not None and len(found.runs) == RUNS_MAX:
            return WindowRuns(runs=found.runs, stop_reason=f"only the first {RUNS_MAX} runs are looked at; a smaller window shows all of it")
        return found

    def broken_laws(self, home: Home, **arguments: Any) -> list[Violation]:
        """What `check_timetable` finds."""
        found: list[Violation] = self._call(home, _CHECK, list[Violation], check_timetable, arguments)
        return found

    def bounded_by(self, other: ScheduleTarget) -> ScheduleTarget:
        """The schedule in the bounds of the other's DAG, unless it has a DAG of its own."""
        if self.file is not None or other.file is None:
            return self
        return replace(self, earliest=other.earliest, latest=other.latest)

    def explain_empty(self) -> str:
        """Why a window may have no run of it."""
        if not self.ref.can_be_scheduled:
            return "no runs: it has no schedule of time, runs are made by hand or by assets"
        bounds = [f"{word} {format_local(at, self.zone)}" for word, at in (("from", self.earliest), ("to", self.latest)) if at is not None]
        return f"no runs in this window; the DAG has runs {' '.join(bounds)} only" if bounds else "no runs in this window"

    def _call(self, home: Home, function: str, kind: Any, here: Callable[..., Any], arguments: dict[str, Any]) -> Any:
        """The one way to ask: a built-in timetable here, an author's beside its code."""
        try:
            if self.ref.builtin:
                return here(build(self.ref), **arguments)
            return ask_and_wait(home.cfg, function, kind, timetable=self.ref, file=self.file, answers=make_question_handler(home.cfg), **arguments)
        except PlanningError as error:
            raise UserError(f"{self.text}: {error}") from None


def resolve_schedule_target(home: Home, text: str, zone: str | None) -> ScheduleTarget:
    """The schedule that `text` means, read and shown in `zone` (default: its own, else [core] default_timezone)."""
    text = text.strip()
    if not text:
        raise UserError("TARGET is empty; give a DAG id, a cron text or a Python expression")
    default = home.cfg.text("core", "default_timezone")
    find_zone(zone or default)  # a wrong one is no mistake of the expression
    if _CRON.fullmatch(text):
        return _make_target(text, _build_cron_ref(text, zone or default), zone, default)
    if _DAG_ID.fullmatch(text):
        try:
            return _make_dag_target(home, text, zone)
        except UserError as error:
            if not text.rpartition(".")[2][:1].isupper():
                raise
            raise UserError(f"{error}\nIf {text} is the class of a timetable, write {text}()") from None
    try:
        ref = ask_and_wait(home.cfg, _EVALUATE, TimetableRef, answers=make_question_handler(home.cfg), text=text, zone=zone or default)
    except PlanningError as error:
        raise UserError(str(error)) from None
    return _make_target(text, ref, zone, default)


def _build_cron_ref(text: str, zone: str) -> TimetableRef:
    try:
        made: Timetable = parse_schedule(text, find_zone(zone))
        made.validate()
    except AirflowTimetableInvalid as error:
        raise UserError(str(error)) from None
    return build_timetable_ref(made)


def _make_target(text: str, ref: TimetableRef, zone: str | None, default: str) -> ScheduleTarget:
    own = ref.data.get("timezone") if ref.builtin else None
    name = zone or (own if isinstance(own, str) else default)
    return ScheduleTarget(text=text, ref=ref, zone=find_zone(name), zone_name=_normalize_zone_name(name))


def _make_dag_target(home: Home, dag_id: str, zone: str | None) -> ScheduleTarget:
    with home.store() as db, db.read() as tx:
        dag = find_dag(tx, dag_id)
    spec = dag.spec
    own = spec.timetable.data.get("timezone") if spec.timetable.builtin else None
    name = zone or (own if isinstance(own, str) else spec.timezone)
    return ScheduleTarget(
        text=dag_id, ref=spec.timetable, zone=find_zone(name), zone_name=_normalize_zone_name(name), file=dag.file,
        earliest=spec.start_at, latest=spec.end_at, last=dag.cursor,
    )  # fmt: skip


def _normalize_zone_name(zone: str) -> str:
    return "UTC" if zone.lower() == "utc" else zone
