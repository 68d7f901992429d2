"""Sessions of exchanges from the library `exchange_calendars`, an extra. They are read once and stored as plain dates."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable
from datetime import date, timedelta
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, Self

from gnomon.model.errors.product import find_close_matches
from gnomon.model.errors.timetable import AirflowTimetableInvalid
from gnomon.rules.calendars.calendar import Calendar
from gnomon.rules.calendars.coverage import Coverage
from gnomon.rules.calendars.date_units import parse_day

FIRST_YEAR = 2000
LAST_YEAR = 2049
"""The years whose sessions are read where the library has no bound."""
_DAY = timedelta(1)
_QUOTED = 100
"""Characters of the library's message that an error message quotes."""


class Sessions(NamedTuple):
    """The sessions of one exchange, stored as exceptions to its usual weekdays."""

    first: date
    last: date
    """The last known session."""
    weekend: frozenset[int]
    closed: frozenset[date]
    """Days without a session on weekdays that have one."""
    open: frozenset[date]
    """Sessions on other weekdays."""


class Exchange(Calendar):
    """Business days are the sessions of an exchange (`XNYS`, `XLON`, or an alias such as `NYSE`).

    The sessions are read from the library at the first use, which raises AirflowTimetableInvalid if the extra is not
    installed or the exchange is not known. A calendar that was decoded does not need the library.
    """

    def __init__(self, name: str, *, sessions: Sessions | None = None) -> None:
        self._name = name
        self._given = sessions

    @property
    def label(self) -> str:
        return self._name

    @property
    def coverages(self) -> tuple[Coverage, ...]:
        remedy = "install a newer release of the package exchange_calendars, and have the DAG file parsed again"
        return (Coverage(f"the list of sessions of {self._name}", self._sessions.first, self._sessions.last, remedy),)

    @property
    def weekly(self) -> frozenset[int]:
        return self._sessions.weekend

    def is_off(self, day: date) -> bool:
        sessions = self._sessions
        return day in sessions.closed or (day.weekday() in sessions.weekend and day not in sessions.open)

    def reason(self, day: date) -> str:
        return "weekend" if day.weekday() in self._sessions.weekend else f"no session of {self._name}"

    def encode(self) -> dict[str, Any]:
        sessions = self._sessions
        return {
            "kind": "exchange",
            "name": self._name,
            "first": sessions.first.isoformat(),
            "last": sessions.last.isoformat(),
            "weekend": sorted(sessions.weekend),
            "closed": [day.isoformat() for day in sorted(sessions.closed)],
            "open": [day.isoformat() for day in sorted(sessions.open)],
        }

    @classmethod
    def decode(cls, data: dict[str, Any]) -> Self:
        """The calendar whose `encode` returned `data`."""
        return cls(
            data["name"],
            sessions=Sessions(
                parse_day(data["first"]),
                parse_day(data["last"]),
                frozenset(data["weekend"]),
                frozenset(map(parse_day, data["closed"])),
                frozenset(map(parse_day, data["open"])),
            ),
        )

    @cached_property
    def _sessions(self) -> Sessions:
        return self._given if self._given is not None else _sessions_of(self._name)


def summarize_sessions(sessions: Iterable[date]) -> Sessions:
    """The sessions as a usual week with exceptions."""
    days = frozenset(sessions)
    first, last = min(days), max(days)
    span = [first + _DAY * number for number in range((last - first).days + 1)]
    on, all_days = Counter(day.weekday() for day in days), Counter(day.weekday() for day in span)
    weekend = frozenset(weekday for weekday in range(7) if 2 * on[weekday] < all_days[weekday])
    closed = frozenset(day for day in span if day.weekday() not in weekend and day not in days)
    return Sessions(first, last, weekend, closed, frozenset(day for day in days if day.weekday() in weekend))


@lru_cache(maxsize=64)
def _sessions_of(name: str) -> Sessions:
    return summarize_sessions(_read_sessions(name))


def _read_sessions(name: str) -> list[date]:
    """The sessions from the library, with explicit bounds: by default it derives them from today's date."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings of the library's dependencies do not concern the user
        return _read_sessions_with_warnings(name)


def _read_sessions_with_warnings(name: str) -> list[date]:
    try:
        import exchange_calendars as library  # an extra, and slow to import
        from exchange_calendars.calendar_utils import global_calendar_dispatcher as dispatcher
    except ImportError as error:
        raise AirflowTimetableInvalid(
            f"the sessions of exchange {name!r} need the package exchange_calendars ({error}); "
            "install it with: pip install gnomon[exchanges]"
        ) from None
    names = library.get_calendar_names()
    if name not in names:
        near = find_close_matches(str(name), names, cutoff=0.5)
        raise AirflowTimetableInvalid(
            f"exchange_calendars {library.__version__} has no exchange {name!r}; "
            + (f"did you mean {near[0]!r}?" if near else "write its ISO code, such as 'XNYS'")
        )
    cls = dispatcher._calendar_factories[dispatcher.resolve_alias(name)]
    low, high = cls.bound_min(), cls.bound_max()
    start = max(date(FIRST_YEAR, 1, 1), date.min if low is None else low.date())
    end = date(LAST_YEAR, 12, 31) if high is None else high.date()
    try:
        return [moment.date() for moment in cls(start=start.isoformat(), end=end.isoformat()).sessions]
    except ValueError as error:
        raise AirflowTimetableInvalid(
            f"exchange_calendars {library.__version__} cannot compute the sessions of {name!r} ({str(error)[:_QUOTED]}); "
            "install another release of it"
        ) from None
