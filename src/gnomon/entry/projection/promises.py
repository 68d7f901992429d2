"""What is promised of a simulation, by expectations and baselines, and which of it a simulation breaks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gnomon.changes.scenarios.expectation import Expectation, find_subject
from gnomon.entry.projection.baseline_calendars import BaselineCalendars
from gnomon.entry.projection.expectations import list_violations
from gnomon.entry.projection.run_outcomes import RunOutcome, find_done_at
from gnomon.entry.projection.simulation import Scenario, SimulatedRuns
from gnomon.model.baseline_specs import BaselineSpec
from gnomon.model.ids import shorten_names
from gnomon.model.instants import Instant
from gnomon.model.sentences import Sentence, say
from gnomon.model.spec import DagSpec
from gnomon.rules.baselines.due_times import DueTime, iterate_due_times
from gnomon.rules.calendars.calendar import Calendar


@dataclass(frozen=True, slots=True)
class JudgedDueTime:
    """A due time of a baseline in a simulation."""

    baseline: str
    due_at: Instant
    dag_ids: tuple[str, ...]
    ended_at: Instant | None
    """None: it is not done."""

    @property
    def is_met(self) -> bool:
        """Whether everything is done in time."""
        return self.ended_at is not None and self.ended_at <= self.due_at


@dataclass(frozen=True)
class ScenarioPromises:
    """All that is promised of the DAGs."""

    expectations: Sequence[Expectation]
    baselines: Sequence[BaselineSpec]
    specs: Mapping[str, DagSpec]
    calendars: BaselineCalendars | None = None
    """None: no baseline has one."""

    @property
    def with_tasks(self) -> bool:
        """Whether a simulation must keep its tasks."""
        names = [find_subject("", text, self.specs) for spec in self.baselines for text in spec.of]
        return any(expectation.task_id is not None for expectation in self.expectations) or any(
            task_id is not None for _, task_id in names
        )

    def judge(self, scenario: Scenario, simulated: SimulatedRuns) -> dict[str, Sentence | None]:
        """By the text of an expectation or the name of a baseline: None if it holds, else the first that breaks it.

        What is not decided in the time of the simulation is left out.
        """
        verdicts: dict[str, Sentence | None] = {}
        for expectation in self.expectations:
            violations = list_violations([expectation], simulated.runs, self.specs, scenario.end)
            verdicts[expectation.text] = violations[0].sentence if violations else None
        for due in self.list_due_times(scenario, simulated):
            if due.is_met:
                verdicts.setdefault(due.baseline, None)
            elif verdicts.get(due.baseline) is None:
                verdicts[due.baseline] = _describe_late(due)
        return verdicts

    def list_undecided(self, judged: Iterable[str]) -> list[Sentence]:
        """A sentence about the baselines that are not among these, if there are such."""
        known = set(judged)
        names = [spec.name for spec in self.baselines if spec.name not in known]
        return [say("baselines_have_no_due_time", count=len(names), names=shorten_names(names))] if names else []

    def list_due_times(self, scenario: Scenario, simulated: SimulatedRuns) -> list[JudgedDueTime]:
        """The due times of baselines whose runs are all due after the start of the simulation."""
        by_dag: dict[str, list[RunOutcome]] = {}
        for run in simulated.runs:
            by_dag.setdefault(run.dag_id, []).append(run)
        return [
            judged
            for spec in self.baselines
            for due in iterate_due_times(spec, scenario.start, scenario.end, self._find_calendar(spec, scenario.end))
            if due.begin >= scenario.start and (judged := self._judge_due_time(spec, due, by_dag)) is not None
        ]

    def _find_calendar(self, spec: BaselineSpec, until: Instant) -> Calendar | None:
        return None if self.calendars is None else self.calendars.find(spec, until)[0]

    def _judge_due_time(
        self, spec: BaselineSpec, due: DueTime, by_dag: Mapping[str, Sequence[RunOutcome]]
    ) -> JudgedDueTime | None:
        subjects = [find_subject(spec.place, text, self.specs) for text in spec.of]
        ends = [
            find_done_at(run, task_id)
            for dag_id, task_id in subjects
            for run in by_dag.get(dag_id, ())
            if due.begin <= run.run_after < due.end
        ]
        if not ends:
            return None
        ended_at = None if None in ends else max(end for end in ends if end is not None)
        return JudgedDueTime(spec.name, due.due_at, tuple(sorted({dag_id for dag_id, _ in subjects})), ended_at)


def choose_baselines(
    baselines: Iterable[BaselineSpec], specs: Mapping[str, DagSpec]
) -> tuple[list[BaselineSpec], list[str]]:
    """Those whose DAGs and tasks are all there, and the names of the others."""
    known = set(specs) | {f"{spec.dag_id}.{task.task_id}" for spec in specs.values() for task in spec.tasks}
    chosen: list[BaselineSpec] = []
    missing: list[str] = []
    for spec in baselines:
        if all(text in known for text in spec.of):
            chosen.append(spec)
        else:
            missing.append(spec.name)
    return chosen, missing


def _describe_late(due: JudgedDueTime) -> Sentence:
    end = say("it_never_ends") if due.ended_at is None else say("it_ends_at", at=due.ended_at)
    return say("baseline_is_broken", baseline=due.baseline, due_at=due.due_at, end=end)
