"""Runs a DAG with mapped tasks in this process: every instance by the real runner, in topological order, all of them successful or not.

The number of instances is computed here, from the spec and the lengths that the attempts report, without the engine.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import Any

from gnomon.author_code.runner import run_attempt
from gnomon.authoring.sdk import DAG
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec
from gnomon.model.attempts import Attempt, AttemptResult, RunFacts
from gnomon.model.mapping import ConcatLength, Expansion, Length, LiteralLength, XComLength, ZipLength
from gnomon.model.serde import loads
from gnomon.model.serde.containers import split_container
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.model.task_api_requests import (
    GetFirstReschedule,
    GetTaskStates,
    GetXComBatch,
    GetXComCount,
    GetXComElement,
    GetXComs,
)

AT = 1_700_000_000_000_000
FACTS = RunFacts(run_pk=1, dag_id="d", run_id="r", run_type="manual", run_after=AT, logical_at=AT)


@dataclass
class Server:
    """Answers requests from the XComs and instances of the run, and remembers the requests."""

    xcoms: dict[tuple[str, int, str], str] = field(default_factory=dict)
    instances: dict[tuple[str, int], str] = field(default_factory=dict)
    asked: list[Any] = field(default_factory=list)

    def ask(self, question: Any) -> object:
        self.asked.append(question)
        if isinstance(question, GetFirstReschedule):
            return None
        if isinstance(question, GetTaskStates):
            shown = {
                (task if index < 0 else f"{task}[{index}]"): state
                for (task, index), state in self.instances.items()
                if task in (question.task_ids or ())
            }
            return {question.run_ids[0] if question.run_ids else "r": shown}
        if isinstance(question, GetXComs):
            return [
                {"task_id": task, "map_index": index, "run_id": "r", "value": value}
                for (task, index, key), value in sorted(self.xcoms.items())
                if key == question.key
                and (question.task_ids is None or task in question.task_ids)
                and (question.map_indexes is None or index in question.map_indexes)
            ]
        if isinstance(question, GetXComElement):
            return self._find_element(question)
        values = [
            value
            for (task, _, key), value in sorted(self.xcoms.items())
            if (task, key) == (question.task_id, question.key)
        ]
        if isinstance(question, GetXComCount):
            return len(values)
        assert isinstance(question, GetXComBatch), question
        assert question.total in (None, len(values)), question
        return values[question.start : question.start + question.limit]

    def _find_element(self, question: GetXComElement) -> object:
        value = self.xcoms.get((question.task_id, -1, question.key))
        found = None if value is None else split_container(value)
        if found is None:
            return None
        element = found.elements[question.number].decode() if question.number < len(found.elements) else None
        return {"container": found.kind, "length": len(found.elements), "value": element}


@dataclass
class MappedRun:
    """The results of all attempts, and what they pushed."""

    results: dict[tuple[str, int], AttemptResult]
    server: Server

    def value(self, task_id: str, map_index: int = -1, key: str = "return_value") -> Any:
        """The value that an instance pushed; None without one."""
        text = self.server.xcoms.get((task_id, map_index, key))
        return None if text is None else loads(text)

    def values(self, task_id: str) -> list[Any]:
        """The return values of all instances, None for an instance without one."""
        return [self.value(task, index) for task, index in sorted(self.results) if task == task_id]

    def outcome(self, task_id: str, map_index: int = -1) -> tuple[str, str | None]:
        result = self.results[task_id, map_index]
        return result.outcome, result.reason


def run_mapped(dag: DAG, **attempt: Any) -> MappedRun:
    """Run every task once. `attempt`: fields of every attempt."""
    spec = build_dag_spec(dag, "/d.py").spec
    run = MappedRun({}, Server())
    for task in spec.tasks:
        lengths = measure(spec, task, run)
        count = prod(length for factors in lengths for length in factors)
        for index in range(count) if lengths else [-1]:
            result = run_one(dag, run.server, task.task_id, index, lengths, **attempt)
            run.results[task.task_id, index] = result
            run.server.instances[task.task_id, index] = result.outcome
            if result.outcome == "success":
                run.server.xcoms.update({(task.task_id, index, item.key): item.value for item in result.xcoms})
    return run


def run_one(
    dag: DAG, server: Server, task_id: str, map_index: int, lengths: tuple[tuple[int, ...], ...], **attempt: Any
) -> AttemptResult:
    """Run one attempt."""
    count = prod(length for factors in lengths for length in factors) if lengths else None
    return run_attempt(
        dag,
        Attempt(
            attempt_id=f"{task_id}{map_index}",
            group_no=0,
            epoch=1,
            run=FACTS,
            task_id=task_id,
            task_no=0,
            file="/d.py",
            map_index=map_index,
            expanded_count=count,
            factor_lengths=lengths,
            **attempt,
        ),
        server,
    )


def measure(spec: DagSpec, task: TaskSpec, run: MappedRun) -> tuple[tuple[int, ...], ...]:
    expansions: list[Expansion] = []
    group = task.group
    while group is not None:
        if group in spec.group_expansions:
            expansions.insert(0, spec.group_expansions[group])
        group = spec.groups[group]
    if task.expansion is not None:
        expansions.append(task.expansion)
    return tuple(tuple(_length(factor, run) for factor in expansion.factors) for expansion in expansions)


def _length(length: Length, run: MappedRun) -> int:
    if isinstance(length, LiteralLength):
        return length.length
    if isinstance(length, XComLength):
        return sum(result.return_length or 0 for (task, _), result in run.results.items() if task == length.task_id)
    parts = [_length(part, run) for part in length.parts]
    if isinstance(length, ConcatLength):
        return sum(parts)
    assert isinstance(length, ZipLength)
    return max(parts) if length.has_fill_value else min(parts)


def combinations(*lists: list[Any]) -> list[tuple[Any, ...]]:
    """The elements of each instance, in the order of map indexes."""
    return list(product(*lists))
