"""The argument `baselines` of a DAG, and `gnomon.Baseline`: promised ends in a DAG file."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection
from typing import Any

from gnomon.model.baseline_specs import (
    DAYS_MAX,
    MARGIN_MAX_S,
    PRIORITY_MAX,
    WEEKDAYS,
    BaselineSpec,
    is_name,
    read_by,
    read_priority,
    read_share,
    read_weekdays,
    read_zone,
)


class Baseline:
    """One promise: `DAG(baselines=[Baseline("07:00")])` says that the runs of each day are done by seven."""

    def __init__(
        self,
        by: str | dt.time,
        *,
        name: str | None = None,
        tasks: str | Collection[str] = (),
        timezone: str | None = None,
        margin: dt.timedelta | float = 0,
        at_risk: float = 0.2,
        weekdays: str | Collection[str] = (),
        calendar: str | None = None,
        owner: str = "",
        to: str | Collection[str] = (),
        priority: int | tuple[int, int] | None = None,
    ) -> None:
        """`by`: a time of day such as "07:00", or "01:30 +1 day". `name`: default is the id of the DAG. `tasks`: only these must be done.

        `timezone`: default is that of the schedule, or of the DAG if that has none. `margin`: the end is wanted so long before, a timedelta or seconds. `at_risk`: the probability of a
        breach from which it is at risk. `weekdays`: the days of the runs on which it holds, "mon" to "sun"; default: all. `calendar`: the name of a
        calendar of gnomon.toml; it holds on business days. `to`: channels of gnomon.toml that are told. `priority`: the priority weight that tasks on
        the key path get while it is at risk, or its lower and upper bound; default: their own. Raises ValueError and TypeError, which name the
        argument and the remedy.
        """
        self.by = by.strftime("%H:%M") if isinstance(by, dt.time) else by
        due = read_by(self.by)
        if due is None:
            raise ValueError(
                f'Baseline({by!r}): write a time of day such as "07:00", or "01:30 +1 day", at most {DAYS_MAX} days'
            )
        if name is not None and not is_name(name):
            raise ValueError(f"Baseline({by!r}, name={name!r}): write letters, digits, '_', '-' and '.', at most 100")
        margin_s = margin.total_seconds() if isinstance(margin, dt.timedelta) else margin
        if isinstance(margin_s, bool) or not isinstance(margin_s, int | float) or not 0 <= margin_s < MARGIN_MAX_S:
            raise ValueError(f"Baseline({by!r}, margin={margin!r}): give a timedelta or seconds, shorter than a day")
        share = read_share(at_risk)
        if share is None:
            raise ValueError(f"Baseline({by!r}, at_risk={at_risk!r}): give a probability between 0 and 1")
        if not isinstance(owner, str):
            raise TypeError(f"Baseline({by!r}, owner={owner!r}): give a text")
        if calendar is not None and (not isinstance(calendar, str) or not calendar):
            raise TypeError(f"Baseline({by!r}, calendar={calendar!r}): give the name of a calendar of gnomon.toml")
        bounds = None if priority is None else read_priority(priority)
        if priority is not None and bounds is None:
            raise ValueError(
                f"Baseline({by!r}, priority={priority!r}): give a weight, or the least and the most, (100, 1000), up to {PRIORITY_MAX}"
            )
        self.spec = BaselineSpec(
            name=name or "",
            of=_read_texts(by, "tasks", tasks),
            by=due[0],
            days=due[1],
            timezone=_read_zone(by, timezone),
            margin_s=float(margin_s),
            at_risk=share,
            weekdays=_read_weekdays(by, weekdays),
            calendar=calendar or "",
            owner=owner,
            to=_read_texts(by, "to", to),
            priority=bounds,
        )

    def __repr__(self) -> str:
        return f"Baseline({self.by!r})"


def _read_texts(by: object, argument: str, value: object) -> tuple[str, ...]:
    texts = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, Collection) else (None,)
    if not all(isinstance(text, str) and text for text in texts):
        raise TypeError(f"Baseline({by!r}, {argument}={value!r}): give a text or a list of texts")
    return tuple(str(text) for text in texts)


def _read_zone(by: object, timezone: object) -> str:
    zone = "" if timezone is None else read_zone(timezone)
    if zone is None:
        raise ValueError(f'Baseline({by!r}, timezone={timezone!r}): give the name of a zone such as "Europe/Berlin"')
    return zone


def _read_weekdays(by: object, value: object) -> tuple[int, ...]:
    names = _read_texts(by, "weekdays", value)
    try:
        return read_weekdays(names)
    except ValueError:
        raise ValueError(f"Baseline({by!r}, weekdays={value!r}): write some of {', '.join(WEEKDAYS)}") from None


def as_baselines(name: str, value: Any) -> list[Baseline]:
    """The promises of the argument: one Baseline or several, each with a name of its own. Raises TypeError and ValueError."""
    if value is None:
        return []
    listed: list[Any] = (
        [value] if isinstance(value, Baseline) else list(value) if isinstance(value, list | tuple) else [None]
    )
    if not all(isinstance(item, Baseline) for item in listed):
        raise TypeError(f'{name} is {value!r}; write {name}=[gnomon.Baseline("07:00")]')
    names = [item.spec.name for item in listed]
    if len(set(names)) < len(names):
        raise ValueError(f"{name} has two baselines with the same name; give each its own: Baseline(..., name=...)")
    return listed


def encode_baselines(baselines: list[Baseline] | None) -> tuple[BaselineSpec, ...]:
    """The promises as the spec of the DAG has them."""
    return tuple(baseline.spec for baseline in baselines or ())
