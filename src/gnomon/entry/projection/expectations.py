"""What a simulation must show, in a short form that CI can keep: `report ends before 07:00`, `load.copy takes less than 10m`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta

from gnomon.entry.projection.run_outcomes import RunOutcome
from gnomon.ground.config.alert_channels import read_span
from gnomon.model.baselines import split_subject
from gnomon.model.errors.product import UserError
from gnomon.model.instants import SECOND, Instant, to_datetime, to_instant
from gnomon.model.sentences import Sentence, say
from gnomon.model.spec import DagSpec
from gnomon.rules.timetables.wall_clock.zones import named_zone

EXAMPLES = "'report ends before 07:00', 'report ends before 01:30 +1 day', 'load starts after 02:00' or 'load.copy takes less than 10m'"
_CLOCK = re.compile(
    r"(?P<name>\S+) (?P<edge>starts|ends) (?P<side>before|after) (?P<hour>\d{1,2}):(?P<minute>\d\d)(?: \+(?P<days>\d) days?)?"
)
_SPAN = re.compile(r"(?P<name>\S+) takes less than (?P<span>\S+)")


@dataclass(frozen=True, slots=True)
class Expectation:
    """One expectation about all runs of a DAG, or about a task of them."""

    text: str
    dag_id: str
    task_id: str | None
    edge: str = ""
    """starts or ends; empty: the duration is meant."""
    is_before: bool = True
    at: time = time()
    """The local time in the zone of the DAG, on the day on which the run is due or `days` later."""
    days: int = 0
    span_s: float = 0.0


def read_expectation(text: str, specs: Mapping[str, DagSpec]) -> Expectation:
    """Raises UserError for a text of another form, and for a name that is no DAG and no task of a DAG."""
    clock, span = _CLOCK.fullmatch(text.strip()), _SPAN.fullmatch(text.strip())
    match = clock or span
    if match is None:
        raise _refuse(text)
    dag_id, task_id = find_subject(f"--expect {text!r}", match["name"], specs)
    try:
        if clock is None:
            assert span is not None
            return Expectation(text, dag_id, task_id, span_s=read_span(span["span"], "the span", "it"))
        at = time(int(clock["hour"]), int(clock["minute"]))
    except ValueError:
        raise _refuse(text) from None
    return Expectation(text, dag_id, task_id, clock["edge"], clock["side"] == "before", at, int(clock["days"] or 0))


def _refuse(text: str) -> UserError:
    return UserError(say("scenario_value_is_wrong", option="--expect", text=text, example=EXAMPLES))


def find_subject(place: str, name: str, specs: Mapping[str, DagSpec]) -> tuple[str, str | None]:
    """The DAG and the task (None: the DAG itself) of a name. Raises UserError, with the place where it stands, when there is no such one."""
    dag_id, task_id = split_subject(name, specs)
    if dag_id in specs and (task_id is None or any(task.task_id == task_id for task in specs[dag_id].tasks)):
        return dag_id, task_id
    raise UserError(say("scenario_names_nothing", option=place, name=name))


@dataclass(frozen=True, slots=True)
class BrokenExpectation:
    """An expectation that does not hold for a run, or that is about a DAG without a run."""

    text: str
    dag_id: str
    run_after: Instant | None
    sentence: Sentence
    run_pk: int | None = None
    task_id: str | None = None
    edge: str = ""
    """As in the expectation."""
    is_late: bool = True
    """False: it comes too early."""
    fault: Sentence | None = None
    """What is wrong with the run."""

    def explain(self, reasons: Sequence[Sentence]) -> BrokenExpectation:
        """The same with a sentence that says why."""
        if not reasons or self.fault is None or self.run_after is None:
            return self
        sentence = say(
            "expectation_is_broken_because",
            text=self.text,
            dag=self.dag_id,
            at=self.run_after,
            why=self.fault,
            clauses=tuple(reasons),
        )
        return replace(self, sentence=sentence)


def list_violations(
    expectations: Iterable[Expectation], runs: Sequence[RunOutcome], specs: Mapping[str, DagSpec], until: Instant
) -> list[BrokenExpectation]:
    """One for each run or task instance that breaks an expectation, and for an expectation about a DAG without a run.

    What is not decided before `until`, the end of the simulation, is not judged.
    """
    violations: list[BrokenExpectation] = []
    for expectation in expectations:
        own_runs = [run for run in runs if run.dag_id == expectation.dag_id]
        if not own_runs:
            no_run = say("expectation_has_no_run", text=expectation.text, dag=expectation.dag_id)
            violations.append(BrokenExpectation(expectation.text, expectation.dag_id, None, no_run))
        for run in own_runs:
            for started_at, ended_at in _list_spans(run, expectation.task_id):
                fault = _find_fault(expectation, run, started_at, ended_at, specs[run.dag_id].timezone, until)
                if fault is not None:
                    broken = say(
                        "expectation_is_broken", text=expectation.text, dag=run.dag_id, at=run.run_after, why=fault
                    )
                    violations.append(
                        BrokenExpectation(
                            expectation.text,
                            run.dag_id,
                            run.run_after,
                            broken,
                            run.run_pk,
                            expectation.task_id,
                            expectation.edge,
                            expectation.is_before or not expectation.edge,
                            fault,
                        )
                    )
    return violations


def _list_spans(run: RunOutcome, task_id: str | None) -> list[tuple[Instant | None, Instant | None]]:
    if task_id is None:
        return [(run.started_at, run.ended_at)]
    spans = [(task.started_at, task.ended_at) for task in run.tasks if task.task_id == task_id]
    return spans or [(None, run.ended_at)]


def _find_fault(
    expectation: Expectation,
    run: RunOutcome,
    started_at: Instant | None,
    ended_at: Instant | None,
    zone: str,
    until: Instant,
) -> Sentence | None:
    if not expectation.edge:
        if started_at is None:
            return None
        took_s = ((until if ended_at is None else ended_at) - started_at) / SECOND
        return say("it_takes", duration=took_s) if took_s >= expectation.span_s else None
    limit = _find_limit(expectation, run, zone)
    moment = started_at if expectation.edge == "starts" else ended_at
    if expectation.is_before:
        if moment is None:
            return say("it_does_not_come", text=expectation.edge) if limit <= until else None
        return None if moment < limit else say("it_comes_at", text=expectation.edge, at=moment)
    return say("it_comes_at", text=expectation.edge, at=moment) if moment is not None and moment <= limit else None


def _find_limit(expectation: Expectation, run: RunOutcome, zone: str) -> Instant:
    local = named_zone(zone)
    day = to_datetime(run.run_after).astimezone(local).date() + timedelta(days=expectation.days)
    return to_instant(datetime.combine(day, expectation.at, local))
