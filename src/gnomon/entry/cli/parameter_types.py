"""Types of command-line arguments: the --conf of a run (a JSON object) and dates."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

import click

from gnomon.authoring.sdk.arguments.timezone import find_zone
from gnomon.ground.config import Config
from gnomon.ground.config.alert_channels import read_span
from gnomon.model.instants import Instant, to_instant
from gnomon.model.json_value import find_json_fault
from gnomon.model.storable_text import escape_unstorable


class ConfType(click.ParamType):  # type: ignore[type-arg]  # generic in newer releases only
    """The click type of a JSON object."""

    name = "json"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, object]:
        """The object as a dict; fails with a usage error when the text is not a JSON object."""
        if isinstance(value, dict):
            return value
        try:
            read = json.loads(value)
        except (ValueError, RecursionError) as error:
            self.fail(f"not valid JSON: {error}", param, ctx)
        if (fault := find_json_fault(read)) is not None:
            self.fail(f"not valid JSON: {escape_unstorable(fault)}", param, ctx)
        if not isinstance(read, dict):
            self.fail(f"must be a JSON object, for example '{{\"key\": 1}}', not {type(read).__name__}", param, ctx)
        return read


class MomentType(click.ParamType):  # type: ignore[type-arg]  # generic in newer releases only
    """The click type of a date and time in ISO 8601, for example 2026-03-01 or 2026-03-01T06:00+01:00."""

    name = "datetime"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """The datetime as written, naive or aware; fails with a usage error when the text is not a date."""
        if isinstance(value, datetime):
            return value
        try:
            return datetime.fromisoformat(value.strip())
        except ValueError:
            self.fail(f"{value!r} is not a date; write it like 2026-03-01 or 2026-03-01T06:00:00+00:00", param, ctx)


def resolve_instant(moment: datetime, cfg: Config) -> Instant:
    """The instant of a datetime; a naive datetime is read in [core] default_timezone."""
    return resolve_in_zone(moment, lambda: cfg.text("core", "default_timezone"))


def resolve_in_zone(moment: datetime, find_default_timezone: Callable[[], str]) -> Instant:
    """The instant of a datetime; a naive datetime is read in the zone of this name, which is asked for only then."""
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=find_zone(find_default_timezone()))
    return to_instant(moment)


class SpanType(click.ParamType):  # type: ignore[type-arg]  # generic in newer releases only
    """The click type of a span of time: `30s`, `10m`, `12h`, `90d`, or a number of seconds."""

    name = "span"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The span in seconds; fails with a usage error for another text."""
        try:
            number = float(value)
        except ValueError:
            number = 0.0
        try:
            return read_span(number or value, "the span", "it")
        except ValueError:
            self.fail(f"{value!r} is not a span; write 30s, 10m, 12h or 90d", param, ctx)
