"""The --conf of a run: a JSON object, checked against the params of its DAG."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import click

from gnomon.config import Config
from gnomon.errors.authoring import ParamValidationError
from gnomon.errors.product import UserError
from gnomon.model.instants import Instant, to_instant
from gnomon.model.spec import DagSpec
from gnomon.sdk.arguments import params as conf_of_params
from gnomon.sdk.schedules.timezone import find_zone


class ConfType(click.ParamType):  # type: ignore[type-arg]  # generic in newer releases only
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


def check_run_conf(spec: DagSpec, conf: dict[str, object]) -> None:
    """The conf fits the params of the DAG; UserMistake names the param that it does not fit."""
    try:
        conf_of_params.check_conf(spec, conf)
    except ParamValidationError as error:
        raise UserError(
            f"the conf does not fit DAG {spec.dag_id!r}: {error} `gnomon dags show {spec.dag_id}` shows its params"
        ) from None


class MomentType(click.ParamType):  # type: ignore[type-arg]  # generic in newer releases only
    """ISO 8601, for example 2026-03-01 or 2026-03-01T06:00+01:00; without a zone it is in [core] default_timezone."""

    name = "datetime"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """The datetime as written; it may be naive."""
        if isinstance(value, datetime):
            return value
        try:
            return datetime.fromisoformat(value.strip())
        except ValueError:
            self.fail(f"{value!r} is no date; write it like 2026-03-01 or 2026-03-01T06:00:00+00:00", param, ctx)


def resolve_instant(moment: datetime, cfg: Config) -> Instant:
    """The instant of a moment; a naive one is taken in [core] default_timezone."""
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=find_zone(cfg.text("core", "default_timezone")))
    return to_instant(moment)
