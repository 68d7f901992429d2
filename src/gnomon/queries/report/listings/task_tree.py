"""The tasks of a DAG as an indented tree of its task groups."""

from __future__ import annotations

from gnomon.model.spec import DagSpec, TaskSpec

_INDENT = "  "


def format_tree(spec: DagSpec) -> list[str]:
    """One line a group or task: `task_id (operator) after upstream, ...`; a group is at the position of its first task."""
    lines: list[str] = []
    shown: set[str | None] = {None}
    for task in _group_tasks(spec):
        path = _group_path(spec, task.group)
        for depth, group in enumerate(path):
            if group not in shown:
                shown.add(group)
                lines.append(f"{_INDENT * depth}[{group}]")
        lines.append(f"{_INDENT * len(path)}{_format_task(task)}")
    return lines


def _format_task(task: TaskSpec) -> str:
    after = f" after {', '.join(task.upstream)}" if task.upstream else ""
    rule = f" if {task.trigger_rule}" if task.trigger_rule != "all_success" else ""
    return f"{task.task_id} ({task.operator}){after}{rule}"


def _group_tasks(spec: DagSpec) -> list[TaskSpec]:
    """The tasks in topological order, but those of a group together, at the position of its first task."""
    first: dict[str, int] = {}
    for position, task in enumerate(spec.tasks):
        for group in _group_path(spec, task.group):
            first.setdefault(group, position)

    def sort_key(numbered: tuple[int, TaskSpec]) -> list[int]:
        position, task = numbered
        return [*(first[group] for group in _group_path(spec, task.group)), position]

    return [task for _, task in sorted(enumerate(spec.tasks), key=sort_key)]


def _group_path(spec: DagSpec, group: str | None) -> list[str]:
    """The group and the groups that contain it, outermost first."""
    path: list[str] = []
    while group is not None and group not in path:
        path.insert(0, group)
        group = spec.groups.get(group)
    return path
