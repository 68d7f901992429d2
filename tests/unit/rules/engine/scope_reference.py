"""The scopes of setups by brute force, from Airflow's page on setup and teardown and airflow-surface.md A.3 and D.4."""

from __future__ import annotations

from gnomon.model.spec import DagSpec


class ScopeReference:
    """The scopes of one DAG, task by task, by walking along the edges."""

    def __init__(self, spec: DagSpec) -> None:
        self.tasks = {task.task_id: task for task in spec.tasks}
        self._above: dict[str, set[str]] = {}

    def above(self, task_id: str) -> set[str]:
        """All tasks above a task. They are looked for once: a DAG has more paths than tasks."""
        if task_id not in self._above:
            direct = set(self.tasks[task_id].upstream)
            self._above[task_id] = direct.union(*map(self.above, direct)) if direct else set()
        return self._above[task_id]

    def below(self, task_id: str) -> set[str]:
        """All tasks below a task."""
        return {other for other in self.tasks if task_id in self.above(other)}

    def teardowns(self, setup: str) -> set[str]:
        """The teardowns of a setup: those that come directly after it."""
        return {other for other, task in self.tasks.items() if task.is_teardown and setup in task.upstream}

    def setups(self, task_id: str) -> set[str]:
        """The setups in whose scope a task is: one of their teardowns comes after the task, or they have none."""
        below = self.below(task_id)
        found = {other for other in self.above(task_id) if self.tasks[other].is_setup}
        return {setup for setup in found if not self.teardowns(setup) or self.teardowns(setup) & below}

    def awaited_setups(self, task_id: str) -> set[str]:
        """The setups that a task waits for although its trigger rule does not count them."""
        task = self.tasks[task_id]
        if task.is_teardown or task.trigger_rule == "always":
            return set()
        return self.setups(task_id) - set(task.upstream)

    def between(self, task_id: str) -> set[str]:
        """The tasks between a teardown and its setups, without those directly before the teardown."""
        task = self.tasks[task_id]
        if not task.is_teardown or task.trigger_rule == "always":
            return set()
        own = {setup for setup in task.upstream if self.tasks[setup].is_setup}
        return {other for other in self.above(task_id) - set(task.upstream) if own & self.above(other)}

    def cleared(self, task_ids: set[str], *, upstream: bool, downstream: bool) -> set[str]:
        """The tasks that a clear of these tasks takes."""
        taken = set(task_ids)
        for task_id in task_ids:
            taken |= self.above(task_id) if upstream else set()
            taken |= self.below(task_id) if downstream else set()
        for task_id in tuple(taken):
            task = self.tasks[task_id]
            is_above = upstream and any(task_id in self.above(other) for other in task_ids)
            if is_above or (task_id in task_ids and not downstream):
                taken |= self.teardowns(task_id) if task.is_setup else set()
            needs_setups = (task_id in task_ids and not upstream) or (
                downstream and any(task_id in self.below(other) for other in task_ids - {task_id})
            )
            if needs_setups and not task.is_setup and not task.is_teardown:
                for setup in self.setups(task_id):
                    taken |= {setup, *self.teardowns(setup)}
        return taken
