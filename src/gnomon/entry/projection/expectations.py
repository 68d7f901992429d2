"""Which expectations the runs of a simulation break."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from gnomon.changes.scenarios.expectation import Expectation
from gnomon.entry.projection.run_outcomes import RunOutcome
from gnomon.model.instants import SECOND, Instant, to_datetime, to_instant
from gnomon.model.sentences import Sentence, say
from gnomon.model.spec import DagSpec
from gnomon.rules.timetables.wall_clock.zones import named_zone

_AT = {"starts": "it_starts_at", "ends": "it_ends_at"}
_NEVER = {"starts": "it_never_starts", "ends": "it_never_ends"}


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
                fault = _find_fault(expectation, run, started_at, ended_at, specs[run.dag_id].local_timezone, until)
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
            return say(_NEVER[expectation.edge]) if limit <= until else None
        return None if moment < limit else say(_AT[expectation.edge], at=moment)
    return say(_AT[expectation.edge], at=moment) if moment is not None and moment <= limit else None


def _find_limit(expectation: Expectation, run: RunOutcome, zone: str) -> Instant:
    local = named_zone(zone)
    day = to_datetime(run.run_after).astimezone(local).date() + timedelta(days=expectation.days)
    return to_instant(datetime.combine(day, expectation.at, local))
