"""The check of a run's conf against the params of its DAG."""

from __future__ import annotations

from gnomon.errors.authoring import ParamValidationError
from gnomon.errors.product import UserError
from gnomon.model.json_text import find_json_fault
from gnomon.model.spec import DagSpec
from gnomon.model.storable_text import escape_unstorable
from gnomon.sdk.arguments import params as conf_of_params


def check_run_conf(spec: DagSpec, conf: dict[str, object]) -> None:
    """Check the conf of a run against the params of the DAG. Raises UserError, which names the param that does not fit, or the value that JSON does not have."""
    if (fault := find_json_fault(conf)) is not None:
        raise UserError(f"the conf is not JSON: {escape_unstorable(fault)}")
    try:
        conf_of_params.check_conf(spec, conf)
    except ParamValidationError as error:
        raise UserError(
            f"the conf does not fit the params of DAG {spec.dag_id!r}: {error} See: gnomon dags show {spec.dag_id}"
        ) from None


def list_conf_faults(spec: DagSpec, conf: dict[str, object]) -> dict[str, str]:
    """By name of the param: why the conf of a run does not fit it."""
    return conf_of_params.list_conf_faults(spec, conf)
