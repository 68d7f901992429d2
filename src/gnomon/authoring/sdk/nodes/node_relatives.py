"""The tasks directly before and after a node of a DAG: a task or a task group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gnomon.authoring.sdk.nodes.node_types import DagNode, TaskNode


class NodeRelatives:
    """Base class of BaseOperator and TaskGroup: the methods that read the ids of the neighbours."""

    upstream_task_ids: set[str]
    downstream_task_ids: set[str]

    if TYPE_CHECKING:

        @property
        def dag(self) -> DagNode: ...

    @property
    def upstream_list(self) -> Sequence[TaskNode]:
        """The tasks directly before this node, sorted by id."""
        return [self.dag.get_task(task_id) for task_id in sorted(self.upstream_task_ids)]

    @property
    def downstream_list(self) -> Sequence[TaskNode]:
        """The tasks directly after this node, sorted by id."""
        return [self.dag.get_task(task_id) for task_id in sorted(self.downstream_task_ids)]

    def get_direct_relative_ids(self, upstream: bool = False) -> set[str]:
        """Return the ids of the tasks directly after this node, or before it (`upstream`)."""
        return self.upstream_task_ids if upstream else self.downstream_task_ids

    def get_direct_relatives(self, upstream: bool = False) -> Sequence[TaskNode]:
        """Return the tasks directly after this node, or before it (`upstream`)."""
        return self.upstream_list if upstream else self.downstream_list
