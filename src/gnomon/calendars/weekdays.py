"""Days of the week as authors write them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from gnomon.errors.timetable import AirflowTimetableInvalid

NAMES = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_NUMBERS = {name: number for number, name in enumerate(NAMES)} | {
    name: number
    for number, name in enumerate(("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"))
}
SATURDAY_SUNDAY = frozenset({5, 6})


def weekday_numbers(given: Iterable[str | int]) -> frozenset[int]:
    """Weekdays by name (`sat`, `Saturday`) or number (0: Monday) as numbers; AirflowTimetableInvalid for others."""
    if isinstance(given, str):
        given = [word.strip() for word in given.split(",") if word.strip()]
    found = set()
    for one in given:
        number = _NUMBERS.get(one.strip().lower()) if isinstance(one, str) else one
        if number is None or isinstance(number, bool) or number not in range(7):
            raise AirflowTimetableInvalid(f"{one!r} is no weekday; write {', '.join(NAMES)}, or 0 for Monday to 6 for Sunday")
        found.add(number)
    return frozenset(found)


def day_of(given: object) -> date:
    """A date that is given as one or as `YYYY-MM-DD`; AirflowTimetableInvalid for anything else."""
    if type(given) is date:
        return given
    if isinstance(given, str):
        try:
            return date.fromisoformat(given.strip())
        except ValueError:
            pass
    raise AirflowTimetableInvalid(f"{given!r} is no date; write it as YYYY-MM-DD")
