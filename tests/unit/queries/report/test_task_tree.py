"""The tree of tasks and groups."""

from __future__ import annotations

from gnomon.model.slots import TimetableRef
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.queries.report.listings.task_tree import format_tree


def test_a_group_is_whole_at_the_place_of_its_first_task() -> None:
    spec = DagSpec(
        dag_id="d",
        timetable=TimetableRef(path="none"),
        groups={"outer": None, "outer.inner": "outer"},
        tasks=(
            TaskSpec(task_id="start"),
            TaskSpec(task_id="outer.x", group="outer", upstream=("start",)),
            TaskSpec(task_id="between", upstream=("start",), trigger_rule="all_done"),
            TaskSpec(task_id="outer.inner.y", group="outer.inner", upstream=("outer.x",)),
        ),
    )
    assert format_tree(spec) == [
        "start (BaseOperator)",
        "[outer]",
        "  outer.x (BaseOperator) after start",
        "  [outer.inner]",
        "    outer.inner.y (BaseOperator) after outer.x",
        "between (BaseOperator) after start if all_done",
    ]
