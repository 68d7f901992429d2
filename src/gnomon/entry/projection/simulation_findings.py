"""What a simulation shows that somebody must know: expectations that are broken, and DAGs that fall behind, each with its cause."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from gnomon.changes.scenarios.expectation import Expectation
from gnomon.entry.projection.expectations import BrokenExpectation, list_violations
from gnomon.entry.projection.falling_behind import GrowingQueue, list_growing_queues
from gnomon.entry.projection.late_reasons import LateReasons
from gnomon.entry.projection.run_outcomes import RunOutcome
from gnomon.entry.projection.simulation import Scenario, SimulatedRuns
from gnomon.model.ids import shorten_names
from gnomon.model.sentences import Sentence, say
from gnomon.model.spec import DagSpec

ATTEMPTS_MAX = 500_000
"""Causes are searched in a simulation of so many attempts at most: their tasks must be in memory."""
REASONS_FOR = 500
"""Most violations whose causes are searched; those of later ones are left out, and the answer says so."""
_QUEUES_SHOWN = 3


@dataclass(frozen=True)
class SimulationFindings:
    """Sentences of one simulation."""

    violations: list[BrokenExpectation]
    warnings: list[Sentence]


def find_faults(
    scenario: Scenario,
    simulated: SimulatedRuns,
    expectations: Iterable[Expectation],
    specs: Mapping[str, DagSpec],
    simulate_tasks: Callable[[], SimulatedRuns],
) -> SimulationFindings:
    """`simulate_tasks` makes the same simulation again with its tasks, if this one did not keep them and there is something to explain."""
    violations = list_violations(expectations, simulated.runs, specs, scenario.end)
    queues = list_growing_queues(simulated.runs, scenario.start, scenario.end)
    explained = [violation for violation in violations if violation.run_pk is not None]
    if not explained and not queues:
        return SimulationFindings(violations, [])
    if not scenario.with_tasks and simulated.attempt_count > ATTEMPTS_MAX:
        left_out = say("reasons_need_fewer_attempts", most=ATTEMPTS_MAX)
        return SimulationFindings(violations, [*_describe_queues(queues, {}), left_out])
    whole = simulated if scenario.with_tasks else simulate_tasks()
    reasons, runs = LateReasons(scenario, whole), {run.run_pk: run for run in whole.runs}
    named = {violation: _explain(violation, reasons, runs) for violation in explained[:REASONS_FOR]}
    warnings = _describe_queues(
        queues, {queue.dag_id: reasons.explain(runs[queue.last.run_pk]) for queue in queues[:_QUEUES_SHOWN]}
    )
    if len(explained) > REASONS_FOR:
        warnings.append(say("reasons_are_left_out", count=REASONS_FOR))
    return SimulationFindings([violation.explain(named.get(violation, ())) for violation in violations], warnings)


def _explain(violation: BrokenExpectation, reasons: LateReasons, runs: Mapping[int, RunOutcome]) -> Sequence[Sentence]:
    run = None if violation.run_pk is None else runs.get(violation.run_pk)
    if run is None:
        return ()
    return reasons.explain(run, violation.task_id, violation.edge, is_late=violation.is_late)


def _describe_queues(queues: Sequence[GrowingQueue], causes: Mapping[str, Sequence[Sentence]]) -> list[Sentence]:
    sentences = [_describe_queue(queue, causes.get(queue.dag_id, ())) for queue in queues[:_QUEUES_SHOWN]]
    rest = [queue.dag_id for queue in queues[_QUEUES_SHOWN:]]
    return [*sentences, say("others_fall_behind", count=len(rest), names=shorten_names(rest))] if rest else sentences


def _describe_queue(queue: GrowingQueue, causes: Sequence[Sentence]) -> Sentence:
    times: dict[str, str | float] = {
        "dag": queue.dag_id,
        "usual": round(queue.first_s, 1),
        "duration": round(queue.last_s, 1),
    }
    if not causes:
        return say("dag_falls_behind", **times)
    return say("dag_falls_behind_because", **times, clauses=tuple(causes))
