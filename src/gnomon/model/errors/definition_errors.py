"""What is wrong with a DAG file: DAGs, tasks, params and cluster policies."""

from __future__ import annotations

from collections.abc import Iterable

from gnomon.model.errors.airflow_errors import AirflowException


class AirflowTimetableInvalid(AirflowException):
    """A timetable is not valid as written."""


class AirflowDagCycleException(AirflowException):
    """The dependencies of the tasks of a DAG form a cycle."""


class AirflowDagDuplicatedIdException(AirflowException):
    """Two DAGs have the same id."""

    def __init__(self, dag_id: str, incoming: str, existing: str) -> None:
        super().__init__(dag_id, incoming, existing)
        self.dag_id = dag_id
        self.incoming = incoming
        self.existing = existing

    def __str__(self) -> str:
        return (
            f"DAG id {self.dag_id!r} in {self.incoming} is taken by the DAG in {self.existing}. "
            "Give one of the two another dag_id."
        )


class DuplicateTaskIdFound(AirflowException):
    """Two tasks of a DAG, or a task and a group, have the same id."""


class TaskAlreadyInTaskGroup(AirflowException):
    """The task is in a task group already."""

    def __init__(self, task_id: str, existing_group_id: str | None, new_group_id: str | None) -> None:
        super().__init__(task_id, existing_group_id, new_group_id)
        self.task_id = task_id
        self.existing_group_id = existing_group_id
        self.new_group_id = new_group_id

    def __str__(self) -> str:
        around = f"the group {self.existing_group_id!r}" if self.existing_group_id else "the DAG's top level"
        return f"Task {self.task_id!r} is in {around} already and cannot be added to {self.new_group_id!r} as well."


class FailFastDagInvalidTriggerRule(AirflowException):
    """A DAG with fail_fast has a task with a trigger rule other than all_success."""


class ParamValidationError(AirflowException):
    """A param has no value, or a value that its schema does not allow."""


class NotMapped(AirflowException):
    """A mapped task was expected."""


class AirflowClusterPolicyError(AirflowException):
    """A policy of this installation failed."""


class AirflowClusterPolicyViolation(AirflowException):
    """A policy of this installation does not allow the DAG or task."""


class AirflowClusterPolicySkipDag(AirflowException):
    """A policy of this installation excludes the DAG."""


class AirflowInactiveAssetInInletOrOutletException(AirflowException):
    """A task reads or writes an asset that is not active."""

    def __init__(self, inactive_asset_keys: Iterable[object]) -> None:
        self.inactive_asset_keys = list(inactive_asset_keys)
        super().__init__(f"assets not active: {', '.join(map(str, self.inactive_asset_keys))}")
