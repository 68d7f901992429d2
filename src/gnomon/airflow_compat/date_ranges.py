"""`date_range` and `round_time` of `airflow.utils.dates`, which are of Airflow 2."""

from __future__ import annotations

import calendar
import datetime as dt
from collections.abc import Callable
from typing import NamedTuple

from gnomon.authoring.sdk.arguments import timezone
from gnomon.rules.timetables.cron.cron_fields import parse_cron
from gnomon.rules.timetables.cron_timetable import CronLabels

_SECOND = dt.timedelta(seconds=1)
Step = Callable[[dt.datetime], dt.datetime]


class _Steps(NamedTuple):
    """The moments of a wall clock that a timedelta or a cron text selects."""

    align: Step
    """The first selected moment that is not before this one."""
    after: Step
    before: Step


def date_range(
    start_date: dt.datetime,
    end_date: dt.datetime | None = None,
    num: int | None = None,
    delta: str | dt.timedelta | float | None = None,
) -> list[dt.datetime]:
    """Return the moments from `start_date` on, `delta` apart, in order: those up to `end_date` (default: now), or `num` of them.

    A negative `num` counts backwards. `delta` is a timedelta, a number of seconds, or a cron text; an empty one gives an empty list.
    Raises ValueError for an end before the start and for both `end_date` and `num`, TypeError for another `delta`.
    """
    if not delta:
        return []
    if end_date and start_date > end_date:
        raise ValueError(f"date_range: start_date {start_date} is after end_date {end_date}")
    if end_date and num:
        raise ValueError("date_range: give end_date or num, not both")
    zone = start_date.tzinfo
    steps = _make_steps(delta)
    moment = steps.align(_wall_time(start_date, zone))
    moments = []
    if num:
        for _ in range(abs(num)):
            moments.append(moment)
            moment = steps.after(moment) if num > 0 else steps.before(moment)
    else:
        last = _wall_time(end_date or timezone.utcnow(), zone)
        while moment <= last:
            moments.append(moment)
            moment = steps.after(moment)
    return sorted(moments if zone is None else [timezone.make_aware(each, zone) for each in moments])


def round_time(moment: dt.datetime, delta: str | dt.timedelta, start_date: dt.datetime | None = None) -> dt.datetime:
    """Return the moment nearest to `moment` among `start_date`, `start_date` + `delta`, ...; for a cron text, the last match before it.

    `start_date` defaults to the first moment of the year 1, UTC. For a cron text that selects `start_date`, that is the result.
    """
    start = start_date or dt.datetime(1, 1, 1, tzinfo=dt.UTC)
    if isinstance(delta, dt.timedelta):
        steps, rest = divmod(moment - start, delta)
        return start + delta * (steps + (rest * 2 > delta))
    cron = _make_steps(delta)
    wall = _wall_time(start, start.tzinfo)
    if cron.before(cron.after(wall)) == wall:
        return start
    before = cron.before(_wall_time(moment, start.tzinfo))
    return before if start.tzinfo is None else timezone.make_aware(before, start.tzinfo)


def _wall_time(moment: dt.datetime, zone: dt.tzinfo | None) -> dt.datetime:
    return moment if moment.tzinfo is None else moment.astimezone(zone).replace(tzinfo=None)


def _make_steps(delta: str | dt.timedelta | float) -> _Steps:
    if isinstance(delta, int | float):
        delta = dt.timedelta(seconds=delta)
    if isinstance(delta, dt.timedelta):
        step = abs(delta)
        return _Steps(lambda moment: moment, lambda moment: moment + step, lambda moment: moment - step)
    if not isinstance(delta, str):
        raise TypeError(
            f"delta must be a timedelta, a number of seconds or a cron text, not {delta!r} ({type(delta).__name__})"
        )
    labels = CronLabels(parse_cron(delta))

    def on_or_after(moment: dt.datetime) -> dt.datetime:
        seconds = calendar.timegm(moment.timetuple()) + (moment.microsecond > 0)
        return _moment(labels.on_or_after(seconds), delta)

    def before(moment: dt.datetime) -> dt.datetime:
        seconds = calendar.timegm(moment.timetuple()) - (moment.microsecond == 0)
        return _moment(labels.on_or_before(seconds), delta)

    return _Steps(on_or_after, lambda moment: on_or_after(moment.replace(microsecond=0) + _SECOND), before)


def _moment(label: int | None, cron: str) -> dt.datetime:
    if label is None:
        raise ValueError(f"the cron text {cron!r} selects no further moment")
    return dt.datetime(1970, 1, 1) + dt.timedelta(seconds=label)  # noqa: DTZ001 (a wall time)
