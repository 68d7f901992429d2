"""`params` of a task in one run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gnomon.config import ambient
from gnomon.config.values import to_boolean
from gnomon.sdk.params import ParamsDict


def params_of(dag: Any, task: Any, conf: Mapping[str, Any]) -> Any:
    """The DAG's params, over them the task's, over them the run's conf, as plain values; each checked by its schema.

    The conf counts while `[core] dag_run_conf_overrides_params` says so. Raises ParamValidationError.
    """
    params = ParamsDict()
    params.update(dag.params)
    if task.params:
        params.update(task.params)
    if conf and _conf_overrides_params():
        params.update(dict(conf))
    return params.validate()


def _conf_overrides_params() -> bool:
    return to_boolean(str(ambient().get("core", "dag_run_conf_overrides_params", fallback="True")))
