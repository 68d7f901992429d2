"""Instants as a person types them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import click

from gnomon.config import Config
from gnomon.model.instants import Instant, to_instant
from gnomon.sdk.timezone import find_zone


class Moment(click.ParamType):  # type: ignore[type-arg]  # generic in newer releases only
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


def instant_of(moment: datetime, cfg: Config) -> Instant:
    """The instant of a moment; a naive one is taken in [core] default_timezone."""
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=find_zone(cfg.text("core", "default_timezone")))
    return to_instant(moment)
