"""Things that are not there: DAGs, runs, tasks, pools, XComs."""

from __future__ import annotations

from gnomon.model.errors.airflow_errors import AirflowException, AirflowNotFoundException


class DagNotFound(AirflowNotFoundException):
    """There is no DAG with that id."""


class DagCodeNotFound(AirflowNotFoundException):
    """The source of the DAG is not stored."""


class DagRunNotFound(AirflowNotFoundException):
    """There is no such run."""


class TaskNotFound(AirflowNotFoundException):
    """The DAG has no task with that id."""


class NodeNotFound(TaskNotFound, KeyError):
    """The DAG or group has no task and no group with that id."""

    __str__ = Exception.__str__  # a KeyError shows its message in quotes


class TaskInstanceNotFound(AirflowNotFoundException):
    """There is no such task instance."""


class PoolNotFound(AirflowNotFoundException):
    """There is no pool with that name."""


class XComNotFound(AirflowException):
    """The task pushed nothing under that key."""

    def __init__(self, dag_id: str, task_id: str, key: str) -> None:
        super().__init__(dag_id, task_id, key)
        self.dag_id = dag_id
        self.task_id = task_id
        self.key = key

    def __str__(self) -> str:
        return f"Task {self.task_id!r} of DAG {self.dag_id!r} pushed no XCom with the key {self.key!r}."


class XComForMappingNotPushed(AirflowException):
    """A mapped task needs the value of a task that pushed none."""


class UnmappableXComTypePushed(AirflowException):
    """A mapped task needs a list or dict and was given something else."""


class UnmappableXComLengthPushed(AirflowException):
    """A mapped task was given more than `[core] max_map_length` values."""
