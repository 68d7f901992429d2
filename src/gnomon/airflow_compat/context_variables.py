"""`context_to_airflow_vars`: the values of a context that tell another program to which run and task its work belongs.

Hooks of databases send them with a query, and operators give them to programs in the environment.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from gnomon.author_code.loading.cluster_policies import collect_context_variables

DEFAULT_FORMAT_PREFIX = "airflow.ctx."
ENV_VAR_FORMAT_PREFIX = "AIRFLOW_CTX_"
_FIELDS = (
    ("task", "email", "dag_email"),
    ("task", "owner", "dag_owner"),
    ("task_instance", "dag_id", "dag_id"),
    ("task_instance", "task_id", "task_id"),
    ("dag_run", "logical_date", "logical_date"),
    ("task_instance", "try_number", "try_number"),
    ("dag_run", "run_id", "dag_run_id"),
)
"""(entry of the context, its attribute, name of the variable without a prefix), in Airflow's order."""
AIRFLOW_VAR_NAME_FORMAT_MAPPING = {
    f"AIRFLOW_CONTEXT_{name.upper()}": {
        "default": DEFAULT_FORMAT_PREFIX + name,
        "env_var_format": ENV_VAR_FORMAT_PREFIX + name.upper(),
    }
    for name in ("dag_id", "task_id", "logical_date", "try_number", "dag_run_id", "dag_owner", "dag_email", "team_name")
}
"""Airflow's name of each value to its two forms. There are no teams: nothing has a value for `team_name`."""


def context_to_airflow_vars(context: Mapping[str, Any], in_env_var_format: bool = False) -> dict[str, str]:
    """Return `airflow.ctx.dag_id` and so on, or `AIRFLOW_CTX_DAG_ID` and so on, with the values of the context that are not empty.

    What the cluster policy `get_airflow_context_vars` returns is added with the same prefix. `context` may be any mapping: an entry that is
    absent has no variable. Raises ClusterPolicyFailed when that policy returns other values than text.
    """
    prefix = ENV_VAR_FORMAT_PREFIX if in_env_var_format else DEFAULT_FORMAT_PREFIX
    variables = {_add_prefix(prefix, name): text for name, text in collect_context_variables(context).items()}
    for entry, attribute, name in _FIELDS:
        value = getattr(context.get(entry), attribute, None)
        if value:
            variables[_add_prefix(prefix, name)] = _to_text(value)
    return variables


def _add_prefix(prefix: str, name: str) -> str:
    name = name.upper() if prefix == ENV_VAR_FORMAT_PREFIX else name
    return name if name.startswith(prefix) else prefix + name


def _to_text(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    return ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
