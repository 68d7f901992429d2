"""The --conf of a run: a JSON object, checked against the params of its DAG."""

from __future__ import annotations

import json
from typing import Any

import click

from gnomon.errors.authoring import ParamValidationError
from gnomon.errors.product import UserMistake
from gnomon.model.spec import DagSpec
from gnomon.sdk import conf as conf_of_params


class Conf(click.ParamType):  # type: ignore[type-arg]  # generic in newer releases only
    """A JSON object."""

    name = "json"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, object]:
        """The object as a dict."""
        if isinstance(value, dict):
            return value
        try:
            read = json.loads(value)
        except ValueError as error:
            self.fail(f"it is no JSON: {error}", param, ctx)
        if not isinstance(read, dict):
            self.fail(f'it must be a JSON object, for example \'{{"key": 1}}\', not {type(read).__name__}', param, ctx)
        return read


def check_conf(spec: DagSpec, conf: dict[str, object]) -> None:
    """The conf fits the params of the DAG; UserMistake names the param that it does not fit."""
    try:
        conf_of_params.check_conf(spec, conf)
    except ParamValidationError as error:
        raise UserMistake(
            f"the conf does not fit DAG {spec.dag_id!r}: {error} `gnomon dags show {spec.dag_id}` shows its params"
        ) from None
