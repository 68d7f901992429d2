"""MappedTaskGroup: a task group that has an instance for each element of its mapped arguments."""

from __future__ import annotations

from typing import Any

from gnomon.authoring.sdk.mapping.expand_input import ExpandInput
from gnomon.authoring.sdk.mapping.map_checks import check_parts_of_groups, mark_lengths_needed
from gnomon.authoring.sdk.mapping.mapped_operator import count_literal_instances
from gnomon.authoring.sdk.members.task_group import TaskGroup


class MappedTaskGroup(TaskGroup):
    """The group that `@task_group ... .expand()` makes: each task in it has an instance for each instance of the group."""

    is_mapped = True

    def __init__(self, *, expand_input: ExpandInput, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        check_parts_of_groups(self, self.parent_group, expand_input, self._location)
        self.expand_input = expand_input
        mark_lengths_needed(expand_input)

    @property
    def mapped_input(self) -> ExpandInput:
        """The mapped arguments."""
        return self.expand_input

    def __exit__(self, *exc: object) -> None:
        for task, _key in self.expand_input.iter_references():
            self.set_upstream(task)
        super().__exit__(*exc)

    def iter_mapped_dependencies(self) -> Any:
        """Yield the tasks whose results the group is mapped over."""
        return (task for task, _key in self.expand_input.iter_references())

    def get_parse_time_mapped_ti_count(self) -> int:
        """Return the number of instances of a group that is mapped over literals only. Raises NotFullyPopulated for XComs."""
        return count_literal_instances(self.expand_input)

    def __repr__(self) -> str:
        return f"<MappedTaskGroup: {self.group_id}>"
