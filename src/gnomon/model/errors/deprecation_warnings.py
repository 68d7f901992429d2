"""Warnings about names that a later release of Airflow removes."""

from __future__ import annotations


class RemovedInAirflow3Warning(DeprecationWarning):
    """A feature that Airflow 3 no longer has."""


class RemovedInAirflow4Warning(DeprecationWarning):
    """A feature that Airflow 4 will no longer have."""


class AirflowProviderDeprecationWarning(DeprecationWarning):
    """A feature that a provider package will no longer have."""
