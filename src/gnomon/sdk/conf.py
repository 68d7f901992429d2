"""The conf of a run against the params of its DAG."""

from __future__ import annotations

from collections.abc import Mapping

from gnomon.model.spec import DagSpec
from gnomon.sdk.params import Param, ParamsDict


def check_conf(spec: DagSpec, conf: Mapping[str, object]) -> None:
    """The conf fits the params of the DAG; ParamValidationError names the param that it does not fit."""
    params = ParamsDict({
        name: Param(schema=param.schema) if param.required else Param(param.default, schema=param.schema)
        for name, param in spec.params.items()
    })  # fmt: skip
    params.update({name: value for name, value in conf.items() if name in spec.params})
    params.validate()
