"""Times as people type them: how far back (`today`, `yesterday`, `2h`, `2026-11-01`, `2026-11-01T06:00+01:00`), and how long (`30`, `5m`)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import click

from gnomon.model.instants import Instant, to_datetime, to_instant

_UNITS_S = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 7 * 86400.0}
_SPAN = re.compile(r"(\d{1,9}(?:\.\d{1,9})?) ?([smhdw])")
_SECONDS = re.compile(r"\d{1,9}(?:\.\d{1,9})?")
_DAYS_AGO = {"today": 0, "yesterday": 1}


@dataclass(frozen=True, slots=True)
class PastTime:
    """A time as it was typed: midnight of a day, a span before now, or a date. One of the three is set."""

    days_ago: int | None = None
    span_s: float | None = None
    date: datetime | None = None

    def resolve(self, now: Instant, utc: bool) -> Instant:
        """The instant. Midnight, and a date without an offset, are in local time, or in UTC with `utc`.

        Raises BadParameter for a span that goes back before the year 1.
        """
        try:
            if self.date is not None:
                return to_instant(self.date if self.date.tzinfo is not None else _to_aware(self.date, utc))
            if self.span_s is not None:
                return to_instant(to_datetime(now) - timedelta(seconds=self.span_s))
            shown = to_datetime(now) if utc else to_datetime(now).astimezone()
            midnight = shown.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None) - timedelta(
                days=self.days_ago or 0
            )
            return to_instant(_to_aware(midnight, utc))
        except OverflowError:
            raise click.BadParameter("that is before the year 1") from None


def _to_aware(moment: datetime, utc: bool) -> datetime:
    return moment.replace(tzinfo=UTC) if utc else moment.astimezone()


class PastTimeType(click.ParamType):  # type: ignore[type-arg]  # generic in newer releases only
    """The click type of a time in the past."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> PastTime:
        """The time; fails with a usage error, which has examples, when the text is none."""
        if isinstance(value, PastTime):
            return value
        text = str(value).strip()
        if text.lower() in _DAYS_AGO:
            return PastTime(days_ago=_DAYS_AGO[text.lower()])
        span = _SPAN.fullmatch(text.lower().removesuffix("ago").strip())
        if span is not None:
            return PastTime(span_s=float(span[1]) * _UNITS_S[span[2]])
        try:
            return PastTime(date=datetime.fromisoformat(text))
        except ValueError:
            self.fail(
                f"{value!r} is not a time; write today, yesterday, 90m, 2h or 7d (so long ago), 2026-11-01 or 2026-11-01T06:00+01:00",
                param,
                ctx,
            )


class SecondsType(click.ParamType):  # type: ignore[type-arg]  # generic in newer releases only
    """The click type of a length of time, in seconds: `30`, `30s`, `5m`, `1.5h`."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The seconds; fails with a usage error, which has examples, when the text is no length of time."""
        if isinstance(value, (int, float)):
            return float(value)
        text = str(value).strip().lower()
        span = _SPAN.fullmatch(text)
        if span is not None:
            return float(span[1]) * _UNITS_S[span[2]]
        if _SECONDS.fullmatch(text) is None:
            self.fail(f"{value!r} is not a length of time; write 30s, 5m or 2h", param, ctx)
        return float(text)
