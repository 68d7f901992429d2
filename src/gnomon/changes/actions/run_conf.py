"""The check of a run's conf against the params of its DAG."""

from __future__ import annotations

from gnomon.ground.config import Config
from gnomon.model.errors.product import UserError
from gnomon.model.json_value import find_json_fault
from gnomon.model.sentences import Command, say
from gnomon.model.spec import DagSpec
from gnomon.model.storable_text import escape_unstorable


def check_run_conf(cfg: Config, spec: DagSpec, conf: dict[str, object]) -> None:
    """Check the conf of a run against the params of the DAG. Raises UserError, which names the param that does not fit, or the value that JSON does not have."""
    if (fault := find_json_fault(conf)) is not None:
        raise UserError(say("conf_is_no_json", fault=escape_unstorable(fault)))
    faults = list_conf_faults(cfg, spec, conf)
    if faults:
        name = next((name for name in conf if name in faults), next(iter(faults)))
        raise UserError(
            say(
                "conf_does_not_fit",
                dag=spec.dag_id,
                name=name,
                error=faults[name],
                command=Command("dags show", (spec.dag_id,)),
            )
        )


def list_conf_faults(cfg: Config, spec: DagSpec, conf: dict[str, object]) -> dict[str, str]:
    """By name of the param: why the conf of a run does not fit it."""
    from gnomon.author_code.timetable_host.param_checks import find_param_faults  # start-up cost: few commands need it

    if not spec.params:
        return {}
    values = {
        name: conf.get(name, param.default) for name, param in spec.params.items() if name in conf or not param.required
    }
    return find_param_faults(cfg, {name: param.schema for name, param in spec.params.items()}, values)
