"""What a provider package declares."""

from __future__ import annotations

from importlib import metadata

from packaging.requirements import Requirement


def get_provider_min_airflow_version(provider: str) -> tuple[int, ...]:
    """The lowest version of Airflow that the package accepts, as numbers."""
    (found,) = (
        one
        for one in map(Requirement, metadata.requires(provider) or ())
        if one.name == "apache-airflow" and one.marker is None
    )
    (lowest,) = (one.version for one in found.specifier if one.operator == ">=")
    return tuple(int(part) for part in lowest.split("."))
