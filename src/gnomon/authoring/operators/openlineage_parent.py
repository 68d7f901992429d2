"""The section `openlineage` in the conf of a run that a task triggers: which task is its parent, for the OpenLineage provider.

Nothing is added where that provider is not installed or is disabled. Source: the documentation of apache-airflow-providers-standard.
"""

from __future__ import annotations

import logging
from importlib import import_module
from typing import Any

PROVIDER_MIN_VERSION = "2.8.0"
"""The first release of apache-airflow-providers-openlineage whose macros give the root run."""
_PARENT_KEYS = (
    "parentRunId",
    "parentJobName",
    "parentJobNamespace",
    "rootParentRunId",
    "rootJobName",
    "rootJobNamespace",
)
_MACROS = {
    "parentRunId": "lineage_run_id",
    "parentJobName": "lineage_job_name",
    "rootParentRunId": "lineage_root_run_id",
    "rootParentJobName": "lineage_root_job_name",
    "rootParentJobNamespace": "lineage_root_job_namespace",
}

log = logging.getLogger("airflow.task.openlineage")


def safe_inject_openlineage_properties_into_dagrun_conf(dr_conf: Any, ti: Any) -> Any:
    """Return the conf with the parent task in its section `openlineage`; the conf as it is where that is not possible. Never raises."""
    try:
        if ti is None or not _is_openlineage_provider_accessible():
            return dr_conf
        return _inject_openlineage_parent_info_to_dagrun_conf(dr_conf, _get_openlineage_parent_info(ti=ti))
    except Exception as error:  # the edge of a provider package
        log.warning(
            "The conf of the triggered run does not name its parent task for OpenLineage: %s: %s. "
            "apache-airflow-providers-openlineage %s or newer is needed.",
            type(error).__name__,
            error,
            PROVIDER_MIN_VERSION,
        )
        return dr_conf


def _is_openlineage_provider_accessible() -> bool:
    try:
        conf = import_module("airflow.providers.openlineage.conf")
        listener = import_module("airflow.providers.openlineage.plugins.listener")
        return not conf.is_disabled() and bool(listener.get_openlineage_listener())
    except (ImportError, AttributeError):
        return False


def _get_openlineage_parent_info(ti: Any) -> dict[str, str]:
    macros = import_module("airflow.providers.openlineage.plugins.macros")
    info = {key: str(getattr(macros, name)(ti)) for key, name in _MACROS.items()}
    return {**info, "parentJobNamespace": str(macros.lineage_job_namespace())}


def _inject_openlineage_parent_info_to_dagrun_conf(dr_conf: Any, ol_parent_info: dict[str, str]) -> Any:
    own_info = dr_conf.get("openlineage") or {} if isinstance(dr_conf, dict) else {}
    if not isinstance(own_info, dict):
        log.warning(
            "The section 'openlineage' in the conf of the triggered run is not a dictionary; the parent task is not added to it."
        )
        return dr_conf
    present = [key for key in _PARENT_KEYS if key in own_info]
    if present:
        log.warning(
            "The section 'openlineage' in the conf of the triggered run has %s already; the parent task is not added.",
            ", ".join(present),
        )
        return dr_conf
    return {**(dr_conf or {}), "openlineage": {**ol_parent_info, **own_info}}
