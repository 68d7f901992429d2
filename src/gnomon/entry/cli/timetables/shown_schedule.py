"""`ShownSchedule`: a schedule of the home or of a deployment behind the API, as the commands show it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from datetime import tzinfo

import click

from gnomon.authoring.sdk.arguments.timezone import find_zone
from gnomon.changes.operations.schedule_targets import RUNS_MAX, ScheduleTarget, resolve_schedule_target
from gnomon.changes.operations.timetable_operations import (
    ScheduleFacts,
    bound_target,
    describe_target,
    list_schedule_runs,
    show_schedule,
)
from gnomon.entry.cli.deployment.api_target import find_target
from gnomon.entry.cli.deployment.deployment_access import DeploymentAccess
from gnomon.entry.cli.deployment.home import Home
from gnomon.model.instants import Instant
from gnomon.model.records import DagRecord
from gnomon.model.sentences import Sentence, say
from gnomon.model.slots import PlannedRun
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.queries.report.local_time import format_local
from gnomon.rules.planning.window import WindowRuns

RunsQuestion = Callable[[ScheduleFacts, Instant, Instant | None, int], WindowRuns]
"""The runs of a schedule within the dates of the facts, from an instant to before another one, at most so many."""


@dataclass(frozen=True, slots=True)
class ShownSchedule:
    """A schedule, and the dates that bound its runs."""

    facts: ScheduleFacts
    zone: tzinfo
    ask_runs: RunsQuestion

    @property
    def text(self) -> str:
        """The argument as written."""
        return self.facts.text

    @property
    def zone_name(self) -> str:
        """The zone in which times are shown."""
        return self.facts.zone_name

    def list_runs(self, start: Instant, end: Instant | None, most: int = RUNS_MAX) -> WindowRuns:
        """The runs from `start` to before `end`, at most `most`; `stop_reason` of the result says why later ones are missing."""
        return self.ask_runs(self.facts, start, end, most)

    def bounded_by(self, other: ShownSchedule) -> ShownSchedule:
        """This schedule with the start and end dates of the other's DAG, unless it belongs to a DAG itself."""
        if self.facts.is_of_dag or not other.facts.is_of_dag:
            return self
        return replace(self, facts=replace(self.facts, earliest=other.facts.earliest, latest=other.facts.latest))

    def explain_empty(self) -> Sentence:
        """Why a window has no run."""
        if not self.facts.can_be_scheduled:
            return say("schedule_has_no_runs")
        dates = (("from", self.facts.earliest), ("to", self.facts.latest))
        bounds = [f"{word} {format_local(at, self.zone)}" for word, at in dates if at is not None]
        return say("dates_allow_no_runs", text=" ".join(bounds)) if bounds else say("window_has_no_runs")


def find_schedule(context: click.Context, deployment: DeploymentAccess, text: str, zone: str | None) -> ShownSchedule:
    """The schedule that `text` names. On a home its database is opened only for a DAG. Raises UserError when there is no such DAG or schedule."""
    if find_target(context) is None:
        home = context.ensure_object(Home)
        return _show_target(home, resolve_home_target(home, text, zone))
    facts = deployment.perform(show_schedule, text, zone)

    def ask_runs(of: ScheduleFacts, start: Instant, end: Instant | None, most: int) -> WindowRuns:
        window = deployment.perform(list_schedule_runs, text, start, most, zone, end, of.earliest, of.latest)
        return WindowRuns(runs=[PlannedRun(**asdict(run)) for run in window.runs], stop_reason=window.stop_reason)

    return ShownSchedule(facts, find_zone(facts.zone_name), ask_runs)


def resolve_home_target(home: Home, text: str, zone: str | None) -> ScheduleTarget:
    """The schedule that `text` names on the home."""

    def find_record(dag_id: str) -> DagRecord:
        with home.store() as db, db.read() as tx:
            return find_dag(tx, dag_id)

    return resolve_schedule_target(home.cfg, text, zone, find_record)


def _show_target(home: Home, target: ScheduleTarget) -> ShownSchedule:
    def ask_runs(facts: ScheduleFacts, start: Instant, end: Instant | None, most: int) -> WindowRuns:
        return bound_target(target, facts.earliest, facts.latest).list_runs(home.cfg, start, end, most)

    return ShownSchedule(describe_target(target), target.zone, ask_runs)
