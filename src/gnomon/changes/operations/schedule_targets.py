"""The TARGET of the timetable commands: the schedule of a DAG, a cron text, or a Python expression; and its runs."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import tzinfo
from functools import partial
from typing import Any

from gnomon.author_code.timetable_host import ask_and_wait
from gnomon.authoring.sdk.arguments.timezone import find_zone
from gnomon.authoring.sdk.schedules.schedule_argument import build_timetable_ref, parse_schedule
from gnomon.changes.actions.author_queries import make_question_handler
from gnomon.ground.config import Config
from gnomon.model.errors.product import UserError
from gnomon.model.errors.timetable import AirflowTimetableInvalid, PlanningError
from gnomon.model.instants import Instant
from gnomon.model.records import DagRecord
from gnomon.model.sentences import Sentence, quote, say
from gnomon.model.slots import Cursor, TimetableRef
from gnomon.rules.assets.schedule_words import describe_schedule, summarize_schedule
from gnomon.rules.planning.window import WindowRuns, list_runs_in_window
from gnomon.rules.timetables.base import Timetable
from gnomon.rules.timetables.registry import build
from gnomon.rules.timetables.stored_words import describe_timetable, summarize_timetable

_CRON = re.compile(r"@\w+|[\w*/,#?-]+(\s+[\w*/,#?-]+){4,6}|[\d*][\w*/,#?-]*(\s+[\w*/,#?-]+)+")
"""A preset, or five fields or more. Fewer fields that begin as cron does match too, so that the error names the cron mistake."""
_DAG_ID = re.compile(r"[\w.-]+")
_WINDOW = "gnomon.rules.planning.window:list_runs_in_window"
_EVALUATE = "gnomon.author_code.loading.expression:evaluate"
RUNS_MAX = 200_000
"""Maximum number of runs that a command computes: nearly two years of */5."""


@dataclass(frozen=True, slots=True)
class ScheduleTarget:
    """A schedule, and the start and end dates that its DAG gives it."""

    text: str
    """The argument as written."""
    ref: TimetableRef
    summary: Sentence
    description: Sentence | None
    zone: tzinfo
    """The zone in which times are shown."""
    zone_name: str
    file: str | None = None
    earliest: Instant | None = None
    latest: Instant | None = None
    last: Cursor | None = None
    """The last slot that was planned for the DAG."""

    def list_runs(
        self, cfg: Config, start: Instant, end: Instant | None, most: int, is_over: Callable[[], bool] = lambda: False
    ) -> WindowRuns:
        """The runs from `start` to before `end`, at most `most`; `stop_reason` of the result says why later ones are missing.

        `is_over`: whether the caller waits no longer, asked of a built-in timetable before each run. Raises UserError when the timetable fails.
        """
        bounds: dict[str, Any] = {
            "start": start,
            "end": end,
            "most": most,
            "earliest": self.earliest,
            "latest": self.latest,
            "last": self.last,
        }
        window: WindowRuns = self.call(cfg, _WINDOW, WindowRuns, partial(list_runs_in_window, is_over=is_over), bounds)
        if end is not None and len(window.runs) == RUNS_MAX:
            return WindowRuns(
                runs=window.runs, stop_reason=f"only the first {RUNS_MAX} runs are computed; choose a smaller window"
            )
        return window

    def call(self, cfg: Config, function: str, kind: Any, here: Callable[..., Any], arguments: dict[str, Any]) -> Any:
        """Call a function with the timetable: in this process for a built-in one, else in a timetable host.

        `function`: the import path of `here`. `kind`: the type of the result. Raises UserError when the timetable fails.
        """
        try:
            if self.ref.builtin:
                return here(build(self.ref), **arguments)
            return ask_and_wait(
                cfg, function, kind, timetable=self.ref, file=self.file, answers=make_question_handler(cfg), **arguments
            )
        except PlanningError as error:
            raise UserError(say("schedule_has_error", schedule=quote(self.text), error=str(error))) from None


def resolve_schedule_target(
    cfg: Config, text: str, zone: str | None, find_record: Callable[[str], DagRecord], *, runs_code: bool = True
) -> ScheduleTarget:
    """The schedule that `text` names: a DAG id, a cron text or a Python expression.

    `zone`: the zone of a cron text and of the times that are shown; None takes the schedule's own, else [core]
    default_timezone. `find_record`: the DAG of an id; raises GnomonError. `runs_code`: the expression may be any code; otherwise it
    has built-in timetables, calendars and values only. Raises UserError when there is no such DAG or schedule.
    """
    text = text.strip()
    if not text:
        raise UserError(say("target_is_empty"))
    default = cfg.text("core", "default_timezone")
    find_zone(zone or default)  # first, so that an unknown zone is not reported as a mistake in the expression
    if _CRON.fullmatch(text):
        return _make_target(text, _build_cron_ref(text, zone or default), zone, default)
    if _DAG_ID.fullmatch(text):
        try:
            return _make_dag_target(find_record(text), text, zone)
        except UserError as error:
            if not text.rpartition(".")[2][:1].isupper():
                raise
            raise UserError(say("expression_may_be_class", error=str(error), name=text)) from None
    try:
        ref = ask_and_wait(
            cfg,
            _EVALUATE,
            TimetableRef,
            answers=make_question_handler(cfg),
            text=text,
            zone=zone or default,
            runs_code=runs_code,
        )
    except PlanningError as error:
        raise UserError(say("schedule_is_wrong", error=str(error))) from None
    return _make_target(text, ref, zone, default)


def _build_cron_ref(text: str, zone: str) -> TimetableRef:
    try:
        timetable: Timetable = parse_schedule(text, find_zone(zone))
        timetable.validate()
    except AirflowTimetableInvalid as error:
        raise UserError(say("schedule_is_wrong", error=str(error))) from None
    return build_timetable_ref(timetable)


def _make_target(text: str, ref: TimetableRef, zone: str | None, default: str) -> ScheduleTarget:
    own = ref.data.get("timezone") if ref.builtin else None
    name = zone or (own if isinstance(own, str) else default)
    return ScheduleTarget(
        text=text,
        ref=ref,
        summary=summarize_timetable(ref),
        description=describe_timetable(ref),
        zone=find_zone(name),
        zone_name=_normalize_zone_name(name),
    )


def _make_dag_target(dag: DagRecord, dag_id: str, zone: str | None) -> ScheduleTarget:
    spec = dag.spec
    name = zone or spec.local_timezone
    return ScheduleTarget(
        text=dag_id,
        ref=spec.timetable,
        summary=summarize_schedule(spec),
        description=describe_schedule(spec),
        zone=find_zone(name),
        zone_name=_normalize_zone_name(name),
        file=dag.file,
        earliest=spec.start_at,
        latest=spec.end_at,
        last=dag.cursor,
    )


def _normalize_zone_name(zone: str) -> str:
    return "UTC" if zone.lower() == "utc" else zone
