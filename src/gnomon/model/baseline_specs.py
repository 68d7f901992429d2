"""`BaselineSpec`: a promise that DAGs or tasks are done by a local time, and how its parts are read. A module of its own: options are read without msgspec."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
DAYS_MAX = 7
"""So many days after the day of the runs a baseline may be due at most."""
MARGIN_MAX_S = 86_400
"""A margin is shorter."""
_OF_DUE_TIMES = ("of", "by", "days", "timezone", "weekdays", "calendar")
_OF_DAG = "DAG "
_STORED = "gnomon baselines edit "
PRIORITY_MAX = 1_000_000
"""The greatest upper bound of a raised priority."""
_BY = re.compile(r"([01]\d|2[0-3]):([0-5]\d)(?: \+(\d) days?)?")
_NAME = re.compile(r"[\w.-]{1,100}")


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineSpec:
    """A promise: at each due time all runs of the local day are done."""

    name: str
    of: tuple[str, ...]
    """What must be done: `dag_id` or `dag_id.task_id`."""
    by: str
    """The time of day, `HH:MM`."""
    days: int = 0
    """So many days after the day of the runs."""
    timezone: str = "UTC"
    """Of one in a DAG file: empty for the zone of the DAG."""
    margin_s: float = 0.0
    """The end is wanted so many seconds before the due time."""
    at_risk: float = 0.2
    """The probability of a breach above which the baseline is at risk."""
    weekdays: tuple[int, ...] = ()
    """Days of the runs on which it holds, Monday is 0; empty: all."""
    calendar: str = ""
    """Of these days only the business days of this calendar, `[calendars.NAME]`; empty: all."""
    owner: str = ""
    to: tuple[str, ...] = ()
    """Channels that are told of it, `[alerts.channels.NAME]`, beside those of rules."""
    priority: tuple[int, int] | None = None
    """The bounds of the priority weight of tasks on its key path while it is at risk; None: their priority is not raised."""
    place: str = ""
    """Where it is written: a file and line, a DAG, or the command that changes a stored one."""

    @property
    def due_text(self) -> str:
        """The time of day with the days after it, as `read_by` reads it."""
        return f"{self.by} +{self.days} day{'' if self.days == 1 else 's'}" if self.days else self.by

    @property
    def is_stored(self) -> bool:
        """It was made on the page, over the API or by the command line, and can be changed there."""
        return self.place.startswith(_STORED)

    @property
    def is_of_dag_file(self) -> bool:
        """A DAG file has it."""
        return self.place.startswith(_OF_DAG)

    @property
    def shown_place(self) -> str:
        """The place without the folder of a file."""
        return self.place.rpartition("/")[2]

    def has_same_due_times(self, other: BaselineSpec) -> bool:
        """Whether both promise the same things by the same times: what was predicted of one holds for the other."""
        return all(getattr(self, name) == getattr(other, name) for name in _OF_DUE_TIMES)


def read_by(text: object) -> tuple[str, int] | None:
    """The time of day, `HH:MM`, and the days after it, of "07:00" or "07:00 +1 day"; None for anything else."""
    match = _BY.fullmatch(text) if isinstance(text, str) else None
    if match is None or int(match[3] or 0) > DAYS_MAX:
        return None
    return f"{match[1]}:{match[2]}", int(match[3] or 0)


def is_name(text: object) -> bool:
    """Whether a baseline may have this name."""
    return isinstance(text, str) and _NAME.fullmatch(text) is not None


def read_zone(text: object) -> str | None:
    """The key of the zone; None when there is no zone of this name."""
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # most homes have no baseline

    try:
        return ZoneInfo(text).key if isinstance(text, str) and text else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def read_share(value: object) -> float | None:
    """A probability between 0 and 1; None for anything else, 0 and 1 included."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 < value < 1 else None  # type: ignore[arg-type,operator]


def read_margin(value: object) -> float | None:
    """Seconds; None for what is no number of seconds from 0 on and shorter than a day."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value < MARGIN_MAX_S else None  # type: ignore[arg-type,operator]


def read_priority(value: object) -> tuple[int, int] | None:
    """The lower and the upper bound of a raised priority, of one number or of two in order; None for anything else."""
    bounds = list(value) if isinstance(value, list | tuple) else [value, value]
    least, most = bounds if len(bounds) == 2 else (None, None)
    if type(least) is not int or type(most) is not int or not 1 <= least <= most <= PRIORITY_MAX:
        return None
    return least, most


def read_weekdays(names: Iterable[str]) -> tuple[int, ...]:
    """The weekdays in order, Monday is 0. Raises ValueError with the name that is none."""
    numbers = set()
    for name in names:
        if name not in WEEKDAYS:
            raise ValueError(name)
        numbers.add(WEEKDAYS.index(name))
    return tuple(sorted(numbers))


def name_for_dag(spec: BaselineSpec, dag_id: str, timezone: str) -> BaselineSpec:
    """The baseline of a DAG file, which is written about the DAG itself: with the ids of the DAG and of its tasks."""
    return replace(
        spec,
        name=spec.name or dag_id,
        of=tuple(f"{dag_id}.{task_id}" for task_id in spec.of) or (dag_id,),
        timezone=spec.timezone or timezone,
        place=f"{_OF_DAG}{dag_id}",
    )


def mark_stored(spec: BaselineSpec) -> BaselineSpec:
    """The baseline with the place of one that stands in the store."""
    return replace(spec, place=f"{_STORED}{spec.name}")
