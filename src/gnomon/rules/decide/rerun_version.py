"""Which version of its DAG a run takes when it is cleared."""

from __future__ import annotations

from gnomon.model.spec import DagSpec


def takes_newest_version(requested: bool | None, spec: DagSpec, default: bool = False) -> bool:
    """True if a cleared run takes the newest version, False if it keeps the version of its DAG bundle that it had.

    `requested`: what the request says; without it the DAG's `rerun_with_latest_version` counts, which has the option of that name as
    default, and then `default`: False for a clear, True for a backfill, as in Airflow. A run without a bundle version has nothing to keep.
    """
    for choice in (requested, spec.rerun_with_latest_version):
        if choice is not None:
            return choice
    return default
