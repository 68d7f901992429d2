"""What every instance of a run with setups, teardowns and mapped groups may do in one step, by brute force from the documents (airflow-surface.md A.3, D.4)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping

from gnomon.model.spec import DagSpec

from .mapping_reference import Kind, decide
from .scope_reference import ScopeReference

Instance = tuple[str, int]
States = Mapping[Instance, str]
"""By instance; `none` for one that waits for its rules."""
ENDED = ("success", "failed", "skipped", "upstream_failed", "removed")


class ScopedRun:
    """The rules of one DAG whose mapped groups have known lengths and contain no mapped tasks."""

    def __init__(self, spec: DagSpec, lengths: Mapping[str, int]) -> None:
        self.spec, self.lengths = spec, lengths
        self.scopes = ScopeReference(spec)
        self.tasks = self.scopes.tasks
        self.awaited = {task_id: self.scopes.awaited_setups(task_id) for task_id in self.tasks}
        self.between = {task_id: self.scopes.between(task_id) for task_id in self.tasks}

    def groups(self, task_id: str) -> list[str]:
        """The mapped groups around the task, the outermost first."""
        group, found = self.tasks[task_id].group, list[str]()
        while group is not None:
            found, group = [group, *found], self.spec.groups[group]
        return found

    def related(self, instance: Instance, task_ids: Iterable[str], instances: Iterable[Instance]) -> Iterator[Instance]:
        """The instances of the tasks at the place of an instance in the mapped groups that both are in."""
        task_id, map_index = instance
        wanted = set(task_ids)
        for other, other_index in instances:
            if other in wanted:
                shared = sum(a == b for a, b in zip(self.groups(task_id), self.groups(other), strict=False))
                if (
                    not shared
                    or map_index < 0
                    or other_index < 0
                    or self._place(task_id, map_index, shared) == self._place(other, other_index, shared)
                ):
                    yield other, other_index

    def _place(self, task_id: str, map_index: int, shared: int) -> int:
        return map_index // math.prod(self.lengths[group] for group in self.groups(task_id)[shared:])

    def find_faults(
        self,
        before: States,
        after: States,
        reset: Collection[Instance],
        *,
        is_running: bool,
        checks_decisions: bool,
        only: Collection[Instance] | None = None,
    ) -> list[str]:
        """A sentence for each instance that waits and should not, or was decided and could not be.

        `before`, `after`: the states around one step. `reset`: the instances that the step cleared. `checks_decisions` False: the step ended
        instances for other reasons than their rules. `only`: the instances that are looked at; None: all.
        """
        faults = []
        for instance, state in after.items():
            is_expanded = instance[1] >= 0 or not self.groups(instance[0])
            if not is_expanded or (only is not None and instance not in only):
                continue
            if state == "none" and is_running and (verdicts := self.verdicts(instance, after, after, ())):
                faults.append(f"{instance} waits; its rules say {sorted(verdicts)}")
            elif state != "none" and checks_decisions and (before.get(instance, "none") == "none" or instance in reset):
                kind = state if state in ("skipped", "upstream_failed") else "run"
                verdicts = self.verdicts(instance, before, after, reset)
                if kind not in verdicts and state != "restarting":
                    faults.append(f"{instance} is {state}; its rules say {sorted(verdicts) or 'wait'}")
        return faults

    def verdicts(self, instance: Instance, before: States, after: States, reset: Collection[Instance]) -> set[str]:
        """The verdicts that an order of the ends between the two moments leads to; empty: it waits."""
        task = self.tasks[instance[0]]
        awaited = [*self.related(instance, self.awaited[instance[0]], after)]
        is_gated = (
            instance in reset
            or instance not in before
            or any(before.get(key) not in ("success", "removed") or key in reset for key in awaited)
        )
        by_rule = self._by_rule(instance, before, after, reset, is_gated=is_gated)
        if task.is_teardown:
            open_between = [
                key for key in self.related(instance, self.between[instance[0]], after) if after[key] not in ENDED
            ]
            return by_rule - {"run"} if open_between else by_rule
        setups = {after[key] for key in awaited}
        if setups <= {"success", "removed"}:
            return by_rule
        return ({"upstream_failed"} if setups & {"failed", "upstream_failed"} else set()) | setups & {"skipped"}

    def _by_rule(
        self, instance: Instance, before: States, after: States, reset: Collection[Instance], *, is_gated: bool
    ) -> set[str]:
        """The verdicts of the trigger rule. `is_gated`: it is new or cleared, or a setup held it back: it was looked at only after some ends, not at the first that decides."""
        task = self.tasks[instance[0]]
        total: Counter[Kind] = Counter()
        known: Counter[Kind] = Counter()
        for key in self.related(instance, task.upstream, after):
            state = after[key] if after[key] in ENDED else "open"
            kind = (state, self.tasks[key[0]].is_setup)
            total[kind] += 1
            known[kind] += state != "open" and before.get(key) == state and key not in reset
        found: set[str] = set()
        visited: set[tuple[tuple[Kind, int], ...]] = set()
        paths = [+known]
        while paths:
            ended = paths.pop()
            token = tuple(sorted(ended.items()))
            if token in visited:
                continue
            visited.add(token)
            verdict = decide(task.trigger_rule, ended, total)
            if verdict != "wait":
                found.add(verdict)
            if verdict == "wait" or is_gated:
                paths += [ended + Counter([kind]) for kind in total if kind[0] != "open" and ended[kind] < total[kind]]
        return found

    def cleared(
        self, named: Collection[Instance], instances: Collection[Instance], *, upstream: bool, downstream: bool
    ) -> set[Instance]:
        """The instances that a clear of the named ones takes."""
        above = self._walk(named, instances, upward=True) if upstream else set()
        below = self._walk(named, instances, upward=False) if downstream else set()
        taken = {*named, *above, *below}
        for instance in {*above, *(() if downstream else named)}:
            taken |= self._teardowns(instance, instances)
        for instance in {*below, *(() if upstream else named)}:
            if not self.tasks[instance[0]].is_setup and not self.tasks[instance[0]].is_teardown:
                for setup in self.related(instance, self.scopes.setups(instance[0]), instances):
                    taken |= {setup, *self._teardowns(setup, instances)}
        return taken

    def _teardowns(self, instance: Instance, instances: Collection[Instance]) -> set[Instance]:
        is_setup = self.tasks[instance[0]].is_setup
        return set(self.related(instance, self.scopes.teardowns(instance[0]), instances)) if is_setup else set()

    def _walk(self, named: Collection[Instance], instances: Collection[Instance], *, upward: bool) -> set[Instance]:
        found: set[Instance] = set()
        unvisited = [*named]
        while unvisited:
            instance = unvisited.pop()
            next_ids = (
                self.tasks[instance[0]].upstream
                if upward
                else [other for other, task in self.tasks.items() if instance[0] in task.upstream]
            )
            for other in self.related(instance, next_ids, instances):
                if other not in found:
                    found.add(other)
                    unvisited.append(other)
        return found

    def run_outcome(self, states: States) -> str:
        """The state of a run that nobody marked: teardowns count only with `on_failure_fail_dagrun`."""
        counting = {
            task_id for task_id, task in self.tasks.items() if not task.is_teardown or task.on_failure_fail_dagrun
        }
        leaves = {
            task_id for task_id in counting if not any(task_id in self.tasks[other].upstream for other in counting)
        }
        leaves = leaves or {
            task_id for task_id in self.tasks if not any(task_id in task.upstream for task in self.tasks.values())
        }
        return (
            "failed"
            if any(states[key] in ("failed", "upstream_failed") for key in states if key[0] in leaves)
            else "success"
        )
