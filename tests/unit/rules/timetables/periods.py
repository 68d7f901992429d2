"""Period timetables of the notation that the shared cases use, and as hypothesis strategies."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from hypothesis import strategies as st
from tests.unit.rules.timetables.made import ZONES
from tests.unit.rules.timetables.walked import Spec, random_spec

from gnomon.calendars import Weekends
from gnomon.rules.timetables.periods.period_timetable import PeriodTimetable
from gnomon.timetables import Daily, DiscreteHours, Hourly, Minutely, Monthly, Weekly

CLASSES: dict[str, Callable[..., PeriodTimetable]] = {
    "minute": Minutely,
    "hour": Hourly,
    "discrete_hours": DiscreteHours,
    "day": Daily,
    "week": Weekly,
    "month": Monthly,
}
ABOUT = st.sampled_from(["period", "period", None])


def timetable_of(spec: Spec, **common: Any) -> PeriodTimetable:
    """The timetable that a specification means."""
    return CLASSES[spec["kind"]](**{key: value for key, value in spec.items() if key != "kind"}, **common)


SPECS = st.builds(lambda seed: random_spec(Random(seed)), st.integers(0, 2**32))
PERIODS = st.builds(timetable_of, SPECS, timezone=ZONES, interval=ABOUT)
WORKDAY_PERIODS = st.builds(
    timetable_of,
    SPECS.filter(lambda spec: spec["kind"] not in ("week", "month")),
    timezone=ZONES,
    calendar=st.just(Weekends()),
    on_holiday=st.sampled_from(["skip", "previous", "next"]),
)
