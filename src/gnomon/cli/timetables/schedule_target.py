"""The TARGET of the timetable commands: the schedule of a DAG, a cron text, or a Python expression; and the calls to it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import Any

from gnomon.actions.author_queries import make_question_handler
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
"""A preset, or five fields or more. Fewer fields that begin as cron does match too, so that the error names the cron mistake."""
_DAG_ID = re.compile(r"[\w.-]+")
_WINDOW = "gnomon.planning.window:list_runs_in_window"
_CHECK = "gnomon.testing.timetables.check:check_timetable"
_EVALUATE = "gnomon.loading.expression:evaluate"
RUNS_MAX = 200_000
"""Maximum number of runs that a command computes: nearly two years of */5."""


@dataclass(frozen=True, slots=True)
class ScheduleTarget:
    """A schedule, and the start and end dates that its DAG gives it."""

    text: str
    """The argument as written."""
    ref: TimetableRef
    zone: tzinfo
    """The zone in which times are shown."""
    zone_name: str
    file: str | None = None
    earliest: Instant | None = None
    latest: Instant | None = None
    last: Cursor | None = None
    """The last slot that was planned for the DAG."""

    def list_runs(self, home: Home, start: Instant, end: Instant | None, most: int = RUNS_MAX) -> WindowRuns:
        """The runs from `start` to before `end`, at most `most`; `stop_reason` of the result says why later ones are missing."""
        bounds: dict[str, Any] = {"start": start, "end": end, "most": most, "earliest": self.earliest,
                                  "latest": self.latest, "last": self.last}  # fmt: skip
        window: WindowRuns = self._call(home, _WINDOW, WindowRuns, list_runs_in_window, bounds)
        if end is not None and len(window.runs) == RUNS_MAX:
            return WindowRuns(runs=window.runs, stop_reason=f"only the first {RUNS_MAX} runs are computed; choose a smaller window")
        return window

    def broken_laws(self, home: Home, **arguments: Any) -> list[Violation]:
        """The violations that `check_timetable` finds; `arguments` are its keyword arguments."""
        violations: list[Violation] = self._call(home, _CHECK, list[Violation], check_timetable, arguments)
        return violations

    def bounded_by(self, other: ScheduleTarget) -> ScheduleTarget:
        """This schedule with the start and end dates of the other's DAG, unless it belongs to a DAG itself."""
        if self.file is not None or other.file is None:
            return self
        return replace(self, earliest=other.earliest, latest=other.latest)

    def explain_empty(self) -> str:
        """A sentence on why a window has no run."""
        if not self.ref.can_be_scheduled:
            return "no runs: this schedule is not based on time; runs are created manually or by assets"
        bounds = [f"{word} {format_local(at, self.zone)}" for word, at in (("from", self.earliest), ("to", self.latest)) if at is not None]
        return f"no runs in this window; the DAG's start_date and end_date allow runs only {' '.join(bounds)}" if bounds else "no runs in this window"

    def _call(self, home: Home, function: str, kind: Any, here: Callable[..., Any], arguments: dict[str, Any]) -> Any:
        """Call a function with the timetable: in this process for a built-in one, else in a timetable host.

        `function`: the import path of `here`. `kind`: the type of the result. Raises UserError when the timetable fails.
        """
        try:
            if self.ref.builtin:
                return here(build(self.ref), **arguments)
            return ask_and_wait(home.cfg, function, kind, timetable=self.ref, file=self.file, answers=make_question_handler(home.cfg), **arguments)
        except PlanningError as error:
            raise UserError(f"{self.text}: {error}") from None


def resolve_schedule_target(home: Home, text: str, zone: str | None) -> ScheduleTarget:
    """The schedule that `text` names: a DAG id, a cron text or a Python expression.

    `zone`: the zone of a cron text and of the times that are shown; None takes the schedule's own, else [core]
    default_timezone. Raises UserError when there is no such DAG or schedule.
    """
    text = text.strip()
    if not text:
        raise UserError("TARGET is empty; give a DAG id, a cron text or a Python expression")
    default = home.cfg.text("core", "default_timezone")
    find_zone(zone or default)  # first, so that an unknown zone is not reported as a mistake in the expression
    if _CRON.fullmatch(text):
        return _make_target(text, _build_cron_ref(text, zone or default), zone, default)
    if _DAG_ID.fullmatch(text):
        try:
            return _make_dag_target(home, text, zone)
        except UserError as error:
            if not text.rpartition(".")[2][:1].isupper():
                raise
            raise UserError(f"{error}\nIf {text} is a timetable class, write {text}()") from None
    try:
        ref = ask_and_wait(home.cfg, _EVALUATE, TimetableRef, answers=make_question_handler(home.cfg), text=text, zone=zone or default)
    except PlanningError as error:
        raise UserError(str(error)) from None
    return _make_target(text, ref, zone, default)


def _build_cron_ref(text: str, zone: str) -> TimetableRef:
    try:
        timetable: Timetable = parse_schedule(text, find_zone(zone))
        timetable.validate()
    except AirflowTimetableInvalid as error:
        raise UserError(str(error)) from None
    return build_timetable_ref(timetable)


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
