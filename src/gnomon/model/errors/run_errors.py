"""Runs and backfills that cannot be created or changed."""

from __future__ import annotations

from gnomon.model.errors.airflow_errors import AirflowBadRequest, AirflowException


class DagRunAlreadyExists(AirflowBadRequest):
    """A run with that id or logical date exists."""


class DagRunTypeNotAllowed(AirflowBadRequest):
    """The DAG does not take runs of that type."""


class DagNotPartitionedError(AirflowBadRequest):
    """A partition key was given for a DAG without partitions."""


class InvalidPartitionKeyError(AirflowBadRequest):
    """The partition key is not valid."""


class BackfillUnfinished(AirflowException):
    """Not every run of a backfill succeeded."""


class AirflowClearRunningTaskException(AirflowException):
    """A running task cannot be cleared."""
