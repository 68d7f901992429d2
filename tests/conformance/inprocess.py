"""Runs a DAG without scheduler, store and worker: the real task runner on each task, in topological order, in this process.

It is the smallest way to run a DAG to its end, and an independent check of the dialect inside tasks.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tests.conformance.airflow_examples import Observed

from gnomon.author_code.runner import run_attempt
from gnomon.authoring.sdk.connections import channel as sdk_channel
from gnomon.authoring.sdk.nodes.topology import sort_topologically
from gnomon.model.attempts import Attempt, AttemptResult, RunFacts
from gnomon.model.instants import to_instant
from gnomon.model.serde import loads
from gnomon.model.states import TaskInstanceState
from gnomon.model.task_api_requests import GetConnection, GetPreviousRun, GetVariable, GetXComs
from gnomon.rules.decide.outcomes import decide_run_outcome
from gnomon.rules.decide.trigger_rules import RuleOutcome, Tally, evaluate_trigger_rule

S = TaskInstanceState


@dataclass
class Server:
    """Answers requests of tasks from the XComs that earlier tasks of the run pushed."""

    variables: Mapping[str, str] = field(default_factory=dict)
    xcoms: dict[tuple[str, str], str] = field(default_factory=dict)
    """(task id, key) to typed JSON."""

    def ask(self, question: Any) -> object:
        if isinstance(question, GetXComs):
            wanted = question.task_ids
            return [
                {"task_id": task_id, "map_index": -1, "value": value, "run_id": question.run_id}
                for (task_id, key), value in self.xcoms.items()
                if key == question.key and (wanted is None or task_id in wanted)
            ]
        if isinstance(question, GetVariable):
            return self.variables.get(question.key)
        if isinstance(question, GetPreviousRun | GetConnection):
            return None
        raise AssertionError(f"no task of these DAGs asks {question!r}")


def run_facts(dag_id: str, *, logical_date: datetime | None, conf: dict[str, object], run_type: str) -> RunFacts:
    """A run about that date, with an empty data interval."""
    at = None if logical_date is None else to_instant(logical_date)
    after = at if at is not None else 1_700_000_000_000_000
    name = "none" if logical_date is None else logical_date.isoformat()
    return RunFacts(
        run_pk=1,
        dag_id=dag_id,
        run_id=f"{run_type}__{name}",
        run_type=run_type,
        run_after=after,
        logical_at=at,
        interval_start=at,
        interval_end=at,
        started_at=after,
        conf=conf,
    )


def run_dag(dag: Any, run: RunFacts, server: Server | None = None) -> Observed:
    """The run has ended; tasks without retries only."""
    server = server or Server()
    states: dict[str, TaskInstanceState] = {}
    tries: dict[str, int] = {}
    with _own_environment():
        for task in sort_topologically(dag.task_dict, dag.dag_id):
            verdict = (
                None if task.task_id in states else evaluate_trigger_rule(str(task.trigger_rule), _tally(task, states))
            )
            if verdict is None:
                continue
            assert verdict.outcome is not RuleOutcome.WAIT, (task.task_id, verdict)
            if verdict.outcome is not RuleOutcome.RUN:
                states[task.task_id] = S.SKIPPED if verdict.outcome is RuleOutcome.SKIP else S.UPSTREAM_FAILED
                continue
            tries[task.task_id] = 1
            result = run_attempt(dag, _attempt(run, task), server)
            states[task.task_id] = S(result.outcome)
            _apply(result, task.task_id, server, states)
    outcome = decide_run_outcome(states[task.task_id] for task in dag.leaves)
    return Observed(
        run_state=str(outcome),
        tasks={(task_id, -1): (str(state), tries.get(task_id, 0)) for task_id, state in states.items()},
        xcoms={(task_id, -1, key): loads(value) for (task_id, key), value in server.xcoms.items()},
    )


def _tally(task: Any, states: Mapping[str, TaskInstanceState]) -> Tally:
    upstream = task.upstream_list
    tally = Tally(len(upstream), sum(1 for one in upstream if one.is_setup))
    for one in upstream:
        tally.add(states.get(one.task_id), 1, one.is_setup)
    return tally


def _attempt(run: RunFacts, task: Any) -> Attempt:
    return Attempt(
        attempt_id=f"attempt-{task.task_id}",
        group_no=0,
        epoch=1,
        run=run,
        task_id=task.task_id,
        task_no=0,
        file="",
        max_tries=task.retries,
    )


def _apply(result: AttemptResult, task_id: str, server: Server, states: dict[str, TaskInstanceState]) -> None:
    for item in result.xcoms:
        server.xcoms[task_id, item.key] = item.value
    for skipped in result.skip_task_ids:
        states.setdefault(skipped, S.SKIPPED)


@contextmanager
def _own_environment() -> Iterator[None]:
    """What an attempt leaves in this process, which is a child of its own in reality, is gone afterwards."""
    before, channel = dict(os.environ), sdk_channel.install_channel(None)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
        sdk_channel.install_channel(channel)
