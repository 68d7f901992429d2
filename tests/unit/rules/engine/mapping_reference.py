"""How a run with mapped tasks may end, by brute force from the documents (airflow-surface.md D.4, D.9 and I.13).

Nothing here counts incrementally or shares code with the engine. From the final states it computes, for each task instance
alone, in which states it may have ended. Several states are possible where the order of events decides: `all_success` with a
failed and a skipped upstream task is upstream_failed or skipped, whichever was known first.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Set
from typing import NamedTuple

from gnomon.model.mapping import ConcatLength, Expansion, Length, LiteralLength, XComLength
from gnomon.model.spec import DagSpec, TaskSpec

from .scope_reference import ScopeReference

Instance = tuple[str, int]


class Fate(NamedTuple):
    """How an instance ends if it runs."""

    state: str
    return_length: int | None
    left_out: tuple[str, ...]
    """Direct downstream tasks that it does not choose."""
    failed_tries: int = 0


class Reference:
    """The final states of one run, checked instance by instance."""

    def __init__(self, spec: DagSpec, states: Mapping[Instance, str], fate: Callable[[str, int], Fate]) -> None:
        self.spec = spec
        self.tasks = {task.task_id: task for task in spec.tasks}
        self.states = states
        self.fate = fate
        scopes = ScopeReference(spec)
        self.awaited_setups = (
            {task.task_id: sorted(scopes.awaited_setups(task.task_id)) for task in spec.tasks}
            if has_setups(spec)
            else {}
        )
        self.indices: dict[str, list[int]] = {task.task_id: [] for task in spec.tasks}
        self.places: dict[str, list[tuple[int, ...]]] = {}
        for task_id, map_index in states:
            self.indices[task_id].append(map_index)

    def find_faults(self) -> list[str]:
        """A sentence for each instance that cannot have ended as it did."""
        faults = []
        for task in self.spec.tasks:
            if self.levels(task) and self.indices[task.task_id] == [-1]:
                faults += self.check_unexpanded(task)
                continue
            expected = (
                list(range(math.prod(map(math.prod, self.lengths(task) or [[0]])))) if self.levels(task) else [-1]
            )
            if sorted(self.indices[task.task_id]) != expected:
                faults.append(f"{task.task_id} has the indices {self.indices[task.task_id]} instead of {expected}")
                continue
            for map_index in expected:
                state, allowed = self.states[task.task_id, map_index], self.allowed(task, map_index)
                if state not in allowed:
                    faults.append(f"{task.task_id}[{map_index}] is {state}; allowed: {sorted(allowed)}")
        return faults

    def groups(self, task: TaskSpec) -> list[str]:
        """The mapped groups around the task, the outermost first."""
        found: list[str] = []
        group = task.group
        while group is not None:
            found = [group, *found] if group in self.spec.group_expansions else found
            group = self.spec.groups[group]
        return found

    def levels(self, task: TaskSpec) -> list[Expansion]:
        own = [task.expansion] if task.expansion is not None else []
        return [self.spec.group_expansions[group] for group in self.groups(task)] + own

    def sources(self, task: TaskSpec) -> set[str]:
        def leaves(length: Length) -> set[str]:
            if isinstance(length, XComLength):
                return {length.task_id}
            return set() if isinstance(length, LiteralLength) else set().union(*map(leaves, length.parts))

        return set().union(*(leaves(factor) for level in self.levels(task) for factor in level.factors))

    def measure(self, length: Length) -> int | None:
        if isinstance(length, LiteralLength):
            return length.length
        if isinstance(length, XComLength):
            indices = self.indices[length.task_id]
            if not self.levels(self.tasks[length.task_id]):
                return (
                    self.fate(length.task_id, -1).return_length
                    if self.states[length.task_id, -1] == "success"
                    else None
                )
            returned = [
                i
                for i in indices
                if i >= 0
                and self.states[length.task_id, i] == "success"
                and self.fate(length.task_id, i).return_length is not None
            ]
            return len(returned)
        parts = [self.measure(part) for part in length.parts]
        if any(part is None for part in parts):
            return None
        known = [part for part in parts if part is not None]
        if isinstance(length, ConcatLength):
            return sum(known)
        return max(known) if length.has_fill_value else min(known)

    def lengths(self, task: TaskSpec) -> list[list[int]] | None:
        found = [[self.measure(factor) for factor in level.factors] for level in self.levels(task)]
        return (
            None if any(n is None for level in found for n in level) else [[n or 0 for n in level] for level in found]
        )

    def place(self, task: TaskSpec, map_index: int, depth: int) -> tuple[int, ...]:
        """The digits of a map index in the `depth` outermost expansions, by counting through all of them."""
        if task.task_id not in self.places:
            counts = [math.prod(level) for level in self.lengths(task) or []]
            self.places[task.task_id] = list(itertools.product(*map(range, counts)))
        return self.places[task.task_id][map_index][:depth]

    def upstream_instances(
        self, task: TaskSpec, map_index: int, upstream_ids: Iterable[str] | None = None
    ) -> list[Instance]:
        """What an instance waits for: the same place of upstream tasks in a mapped group of its own, else all."""
        found = []
        for upstream_id in task.upstream if upstream_ids is None else upstream_ids:
            upstream = self.tasks[upstream_id]
            depth = sum(a == b for a, b in zip(self.groups(upstream), self.groups(task), strict=False))
            for other in self.indices[upstream_id]:
                if (
                    other < 0
                    or not depth
                    or (map_index >= 0 and self.place(upstream, other, depth) == self.place(task, map_index, depth))
                ):
                    found.append((upstream_id, other))
        return found

    def branches(self, task: TaskSpec) -> list[Instance]:
        """The upstream instances whose decision holds for the whole of an unexpanded task."""

        def is_outside(upstream_id: str) -> bool:
            return not any(
                a == b for a, b in zip(self.groups(self.tasks[upstream_id]), self.groups(task), strict=False)
            )

        return [(u, i) for u in task.upstream for i in self.indices[u] if i < 0 or is_outside(u)]

    def allowed(self, task: TaskSpec, map_index: int) -> set[str]:
        """The states in which an instance may end."""
        upstream = self.upstream_instances(task, map_index)
        verdicts = self.join_setups(task, map_index, self.verdicts(task, upstream))
        states = {
            "run": self.fate(task.task_id, map_index).state,
            "skipped": "skipped",
            "upstream_failed": "upstream_failed",
        }
        branches = [
            key for key in upstream if self.states[key] == "success" and task.task_id in self.fate(*key).left_out
        ]
        if branches:  # it is skipped, unless it was decided before the branch ended
            verdicts = {"skipped"} | self.join_setups(
                task,
                map_index,
                frozenset().union(*(self.verdicts(task, upstream, without=branch) for branch in branches)),
            )
        return {states[verdict] for verdict in verdicts}

    def join_setups(self, task: TaskSpec, map_index: int, verdicts: Set[str]) -> Set[str]:
        """The verdicts of the trigger rule, if the setups in whose scope the task is succeeded; else theirs."""
        states = {
            self.states[key]
            for key in self.upstream_instances(task, map_index, self.awaited_setups.get(task.task_id, ()))
        }
        if states & {"failed", "upstream_failed", "skipped"}:
            return ({"upstream_failed"} if states & {"failed", "upstream_failed"} else set()) | states & {"skipped"}
        return verdicts

    def verdicts(self, task: TaskSpec, upstream: list[Instance], without: Instance | None = None) -> frozenset[str]:
        kinds = Counter((self.states[key], self.tasks[key[0]].is_setup) for key in upstream)
        missing = None if without is None else (self.states[without], self.tasks[without[0]].is_setup)
        is_gated = bool(self.awaited_setups.get(task.task_id))
        return reachable_verdicts(
            task.trigger_rule, tuple(sorted((kind, min(count, 3)) for kind, count in kinds.items())), missing, is_gated
        )

    def check_unexpanded(self, task: TaskSpec) -> list[str]:
        """The state of the one instance of a mapped task that was never expanded."""
        allowed = set()
        for source in self.sources(task):
            if self.indices[source] == [-1] and (state := self.states[source, -1]) != "success":
                allowed.add("skipped" if state == "skipped" else "upstream_failed")
        has_bad_source = bool(allowed)
        depth = max(
            (
                sum(a == b for a, b in zip(self.groups(self.tasks[u]), self.groups(task), strict=False))
                for u in task.upstream
            ),
            default=0,
        )
        verdicts: Set[str] = (
            {"run"} if depth else self.join_setups(task, -1, self.verdicts(task, self.upstream_instances(task, -1)))
        )
        allowed |= verdicts - {"run"}
        if any(
            self.states[key] == "success" and task.task_id in self.fate(*key).left_out for key in self.branches(task)
        ):
            allowed.add("skipped")
        lengths = self.lengths(task)
        if "run" in verdicts and not has_bad_source:
            if lengths is None:
                allowed.add("upstream_failed")
            elif 0 in [n for level in lengths for n in level]:
                allowed.add("skipped")
        is_literal = not self.sources(task) and lengths is not None and 0 not in [n for level in lengths for n in level]
        state = self.states[task.task_id, -1]
        return (
            [f"{task.task_id} is unexpanded and {state}; allowed: {sorted(allowed)}"]
            if state not in allowed or is_literal
            else []
        )


def has_setups(spec: DagSpec) -> bool:
    return any(task.is_setup for task in spec.tasks)


Kind = tuple[str, bool]
"""A final state, and whether it is a setup's."""


@functools.cache
def reachable_verdicts(
    rule: str, kinds: tuple[tuple[Kind, int], ...], missing: Kind | None, is_gated: bool
) -> frozenset[str]:
    """The verdicts that some order of the upstream ends leads to. `missing`: one instance of that kind has not ended. `is_gated`: a setup
    held the rule back, so that it was looked at after any number of ends, not at the first that decides.

    Only "none", "some" and "all" matter to a rule, so the caller cuts counts at 3.
    """
    total = Counter(dict(kinds))
    available = total - Counter([missing] if missing is not None else [])
    found, visited = set(), set()
    paths: list[tuple[tuple[Kind, int], ...]] = [()]
    while paths:
        ended = paths.pop()
        if ended in visited:
            continue
        visited.add(ended)
        counts = Counter(dict(ended))
        verdict = decide(rule, counts, total)
        if verdict != "wait":
            found.add(verdict)
        if verdict != "wait" and not is_gated:
            continue
        paths += [
            tuple(sorted((counts + Counter([kind])).items())) for kind in available if counts[kind] < available[kind]
        ]
    return frozenset(found)


def decide(rule: str, ended: Counter[Kind], total: Counter[Kind]) -> str:
    """The table of D.4, row by row."""

    def count(*states: str) -> int:
        return sum(n for (state, _), n in ended.items() if state in states)

    expected, done = total.total(), ended.total() == total.total()
    success, skipped, bad = count("success"), count("skipped"), count("failed", "upstream_failed")
    setups = {
        state: sum(n for (other, is_setup), n in total.items() if is_setup and state in (other, "any"))
        for state in ("any", "success", "skipped")
    }
    if expected == 0 or rule == "always":
        return "run"
    if rule in ("all_success", "none_failed", "none_failed_min_one_success") and bad:
        return "upstream_failed"
    if rule == "all_success":
        return "skipped" if skipped else "run" if done else "wait"
    if rule == "none_failed":
        return "run" if done else "wait"
    if rule == "all_failed":
        return "skipped" if success or skipped else "run" if done else "wait"
    if rule == "all_skipped":
        return "skipped" if success or bad else "run" if done else "wait"
    if rule == "none_skipped":
        return "skipped" if skipped else "run" if done else "wait"
    if rule == "one_failed":
        return "run" if bad else "skipped" if done else "wait"
    if rule == "one_done":
        return "run" if success or count("failed") else "skipped" if done else "wait"
    if rule == "one_success" and success:
        return "run"
    if not done:
        return "wait"
    if rule == "all_done_setup_success" and setups["any"] and not setups["success"]:
        return "skipped" if setups["skipped"] == setups["any"] else "upstream_failed"
    if rule in ("one_success", "none_failed_min_one_success", "all_done_min_one_success") and not success:
        return "skipped" if skipped == expected else "upstream_failed"
    return "run"
