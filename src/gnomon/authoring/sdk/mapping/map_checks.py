"""Checks of a mapped task or group among the other nodes of its DAG."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gnomon.authoring.sdk.arguments.code_location import format_location
from gnomon.authoring.sdk.mapping.expand_input import MappedArgument, check_return_values
from gnomon.authoring.sdk.members.task_membership import iter_lengths
from gnomon.model.errors.authoring import MappingNotSupported

if TYPE_CHECKING:
    from gnomon.authoring.sdk.arguments.code_location import CodeLocation
    from gnomon.authoring.sdk.nodes.node_types import GroupNode


def check_parts_of_groups(node: Any, group: GroupNode | None, mapped_input: Any, location: CodeLocation | None) -> None:
    """Check that the number of instances of `node` does not depend on the instance of a mapped group around it.

    Raises MappingNotSupported, and ValueError for an XCom that is not a return value.
    """
    check_return_values(mapped_input.value)
    where = f"{name_node(node)}{format_location(location)}"
    around = {inner.group_id for inner in _iter_mapped(group)}
    for value in mapped_input.factors:
        if isinstance(value, MappedArgument):
            raise MappingNotSupported(
                f"{where[0].upper()}{where[1:]} is mapped over an argument of the mapped task group around it, so each instance of the group would have another "
                "number of instances, which is not supported. Map over a list that all instances of the group share, or loop inside the task."
            )
    for task, _ in iter_lengths(mapped_input):
        shared = [inner.group_id for inner in _iter_mapped(task.task_group) if inner.group_id in around]
        if shared:
            raise MappingNotSupported(
                f"{where[0].upper()}{where[1:]} is mapped over the result of {task.task_id!r}, and both are in the mapped task group {shared[0]!r}, so each "
                "instance of the group would have another number of instances, which is not supported. Map the group over the flat list, or "
                "move the mapped task behind the group."
            )


def name_node(node: Any) -> str:
    """Return `task 'x'` or `task group 'x'` for a message."""
    return f"task {node.task_id!r}" if hasattr(node, "task_id") else f"task group {node.group_id!r}"


def mark_lengths_needed(mapped_input: Any) -> None:
    """Let the tasks whose results are mapped over report the length of their result."""
    for task, _ in iter_lengths(mapped_input):
        task.__dict__["_lengths_needed"] = True


def _iter_mapped(group: Any) -> Any:
    while group is not None:
        if getattr(group, "expand_input", None) is not None:
            yield group
        group = group.parent_group
