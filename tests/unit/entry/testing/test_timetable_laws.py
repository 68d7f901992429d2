"""`check_timetable` finds each mistake, and shows it small; what is right, it leaves alone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from gnomon.entry.testing.timetables import LAWS, TimetableLawBroken, Violation, assert_timetable, check_timetable
from gnomon.model.errors.timetable import PlanningError
from gnomon.model.slots import DagRunInfo, DataInterval, TimeRestriction
from gnomon.timetables import (
    ContinuousTimetable,
    CronDataIntervalTimetable,
    CronTriggerTimetable,
    DeltaDataIntervalTimetable,
    DeltaTriggerTimetable,
    EventsTimetable,
    MultipleCronTriggerTimetable,
    NullTimetable,
    OnceTimetable,
    Timetable,
)

pytestmark = pytest.mark.pure

DAY = timedelta(days=1)
LAWS_OF_TIME = ("increasing", "bounded")


class Workdays(Timetable):
    """Right: each workday as an interval of its own, in UTC."""

    def __init__(self, hour: int = 0) -> None:
        self.hour = hour

    description = "Every workday"

    @property
    def summary(self) -> str:
        return f"workdays at {self.hour}"

    def infer_manual_data_interval(self, *, run_after: datetime) -> DataInterval:
        start = (run_after - timedelta(hours=self.hour) - DAY).replace(hour=0, minute=0, second=0, microsecond=0)
        while start.weekday() > 4:
            start -= DAY
        start += timedelta(hours=self.hour)
        return DataInterval(start, start + DAY)

    def next_dagrun_info(
        self, *, last_automated_data_interval: DataInterval | None, restriction: TimeRestriction
    ) -> DagRunInfo | None:
        if last_automated_data_interval is not None:
            start = last_automated_data_interval.start + DAY
        elif restriction.earliest is None:
            return None
        else:
            earliest = restriction.earliest
            start = earliest.replace(hour=self.hour, minute=0, second=0, microsecond=0)
            if start < earliest:
                start += DAY
            if not restriction.catchup:
                now = datetime.now(UTC)
                start = max(start, (now - timedelta(days=4)).replace(hour=self.hour, minute=0, second=0, microsecond=0))
                while (following := self._workday(start + DAY)) + DAY <= now:
                    start = following
        start = self._workday(start)
        if restriction.latest is not None and start > restriction.latest:
            return None
        return DagRunInfo.interval(start, start + DAY)

    @staticmethod
    def _workday(start: datetime) -> datetime:
        while start.weekday() > 4:
            start += DAY
        return start

    def serialize(self) -> dict[str, Any]:
        return {"hour": self.hour}

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> Workdays:
        return cls(**data)


class Raises(Workdays):
    def next_dagrun_info(
        self, *, last_automated_data_interval: DataInterval | None, restriction: TimeRestriction
    ) -> DagRunInfo | None:
        raise LookupError("no such holiday")


class Naive(Workdays):
    def next_dagrun_info(
        self, *, last_automated_data_interval: DataInterval | None, restriction: TimeRestriction
    ) -> DagRunInfo | None:
        info = super().next_dagrun_info(
            last_automated_data_interval=last_automated_data_interval, restriction=restriction
        )
        return info and DagRunInfo.exact(info.run_after.replace(tzinfo=None))


class Backwards(Workdays):
    def next_dagrun_info(
        self, *, last_automated_data_interval: DataInterval | None, restriction: TimeRestriction
    ) -> DagRunInfo | None:
        info = super().next_dagrun_info(
            last_automated_data_interval=last_automated_data_interval, restriction=restriction
        )
        return info and DagRunInfo.exact(
            info.run_after - timedelta(days=5 * (info.run_after.weekday() == 4))
        )  # each week, whatever the date


class SameMoment(Workdays):
    """All runs of a week wait for its end."""

    def next_dagrun_info(
        self, *, last_automated_data_interval: DataInterval | None, restriction: TimeRestriction
    ) -> DagRunInfo | None:
        info = super().next_dagrun_info(
            last_automated_data_interval=last_automated_data_interval, restriction=restriction
        )
        if info is None or info.data_interval is None:
            return info
        return DagRunInfo(info.run_after + timedelta(days=6 - info.data_interval.start.weekday()), info.data_interval)


class EarlyBird(Workdays):
    def next_dagrun_info(
        self, *, last_automated_data_interval: DataInterval | None, restriction: TimeRestriction
    ) -> DagRunInfo | None:
        earliest = restriction.earliest and restriction.earliest - timedelta(days=9)
        return super().next_dagrun_info(
            last_automated_data_interval=last_automated_data_interval,
            restriction=restriction._replace(earliest=earliest),
        )


class Endless(Workdays):
    def next_dagrun_info(
        self, *, last_automated_data_interval: DataInterval | None, restriction: TimeRestriction
    ) -> DagRunInfo | None:
        return super().next_dagrun_info(
            last_automated_data_interval=last_automated_data_interval, restriction=restriction._replace(latest=None)
        )


class AllMissed(Workdays):
    def next_dagrun_info(
        self, *, last_automated_data_interval: DataInterval | None, restriction: TimeRestriction
    ) -> DagRunInfo | None:
        return super().next_dagrun_info(
            last_automated_data_interval=last_automated_data_interval, restriction=restriction._replace(catchup=True)
        )


class Remembers(Workdays):
    """Counts on being asked by one object for ever."""

    first: datetime | None = None

    def next_dagrun_info(
        self, *, last_automated_data_interval: DataInterval | None, restriction: TimeRestriction
    ) -> DagRunInfo | None:
        last = last_automated_data_interval
        if last is None:
            self.first = restriction.earliest
        elif self.first is not None and last.start - self.first > timedelta(days=3):
            last = DataInterval(last.start + DAY, last.end + DAY)
        return super().next_dagrun_info(last_automated_data_interval=last, restriction=restriction)


class Forgets(Workdays):
    """Leaves its argument out of what is stored."""

    def serialize(self) -> dict[str, Any]:
        return {}


class NoJson(Workdays):
    def serialize(self) -> dict[str, Any]:
        return {"hour": timedelta(hours=self.hour)}


class Tomorrow(Workdays):
    def infer_manual_data_interval(self, *, run_after: datetime) -> DataInterval:
        return DataInterval(run_after, run_after + DAY)


class AnyDay(Workdays):
    """A manual run on a Sunday is about Saturday, which the schedule does not have."""

    def infer_manual_data_interval(self, *, run_after: datetime) -> DataInterval:
        start = run_after.replace(hour=self.hour, minute=0, second=0, microsecond=0) - 2 * DAY
        return DataInterval(start, start + DAY)


class OneName(Workdays):
    def generate_run_id(self, *, run_type: Any, **_: Any) -> str:
        return "workday"


class Monthly(Workdays):
    """Two workdays of a month are called alike."""

    def generate_run_id(self, *, run_type: Any, data_interval: DataInterval, **_: Any) -> str:
        return f"{data_interval.start:%Y %B}"


class Speechless(Workdays):
    description = " "


class Numeric(Workdays):
    @property
    def summary(self) -> int:  # type: ignore[override]
        return 7


@pytest.mark.parametrize(
    "timetable",
    [
        Workdays(),
        Workdays(hour=7),
        CronTriggerTimetable("30 2 * * *", timezone="America/New_York", interval=DAY),
        CronDataIntervalTimetable("15,45 1-3 * * *", "Europe/Berlin"),
        DeltaDataIntervalTimetable(DAY),
        DeltaTriggerTimetable(DAY, interval=DAY),
        MultipleCronTriggerTimetable("0 1 * * *", "0 0 * * 1", timezone="UTC"),
        EventsTimetable([datetime(2024, 1, 1, tzinfo=UTC), datetime(2025, 1, 1, tzinfo=UTC)], restrict_to_events=True),
        OnceTimetable(),
        NullTimetable(),
        ContinuousTimetable(),
    ],
    ids=lambda timetable: type(timetable).__name__,
)
def test_what_is_right_keeps_all_laws(timetable: Timetable) -> None:
    assert_timetable(timetable, cases=20)


@pytest.mark.parametrize(
    ("cls", "law", "words"),
    [
        (Raises, "usable", "Raises.next_dagrun_info raised LookupError: no such holiday"),
        (Naive, "usable", "naive datetime"),
        (Backwards, "usable", "not later than the last one"),
        (SameMoment, "increasing", "after a run at"),
        (EarlyBird, "bounded", "the earliest is"),
        (Endless, "bounded", "the latest is"),
        (AllMissed, "newest_only", "is also due already"),
        (Remembers, "halves", "after serialize and deserialize"),
        (Forgets, "stored", "'workdays at 7', and after deserialize 'workdays at 0'"),
        (NoJson, "stored", "JSON cannot represent"),
        (Tomorrow, "manual_past", "in the future"),
        (AnyDay, "manual_own", "none of the schedule's own"),
        (Monthly, "run_ids", "are both called"),
        (OneName, "run_ids", "are both called 'workday'"),
        (Speechless, "worded", "description is empty"),
        (Numeric, "worded", "summary is 7; it must be a text"),
    ],
)
def test_each_mistake_is_found_in_words(cls: type[Workdays], law: str, words: str) -> None:
    broken = {violation.law: violation for violation in check_timetable(cls(7), laws=("usable", law))}
    assert law in broken
    assert words in broken[law].found
    assert broken[law].claim == LAWS[law].claim


def test_the_example_is_small_and_the_call_shows_it_again() -> None:
    (violation,) = [each for each in check_timetable(AnyDay(), laws=["manual_own"]) if each.law == "manual_own"]
    ask = violation.repeat.splitlines()[-1]
    moment = eval(ask.partition("run_after=")[2][:-1], {"datetime": datetime, "UTC": UTC})
    assert (moment.hour, moment.minute, moment.second, moment.microsecond) == (0, 0, 0, 0), violation
    interval = eval(ask, {"timetable": AnyDay(), "datetime": datetime, "UTC": UTC})
    assert interval.start.weekday() > 4


def test_the_smallest_example_of_a_walk_has_few_steps() -> None:
    (violation,) = [each for each in check_timetable(Backwards(), laws=["usable"]) if each.law == "usable"]
    names = {
        "timetable": Backwards(),
        "datetime": datetime,
        "UTC": UTC,
        "TimeRestriction": TimeRestriction,
        "DataInterval": DataInterval,
    }
    for call in violation.repeat.splitlines():
        assert ", 0, 0, 0, " not in call
        eval(call, names)


def test_the_same_seed_finds_the_same() -> None:
    assert check_timetable(SameMoment(), laws=LAWS_OF_TIME) == check_timetable(SameMoment(), laws=LAWS_OF_TIME) != []


def test_a_broken_law_fails_a_test_with_all_of_it() -> None:
    with pytest.raises(TimetableLawBroken) as raised:
        assert_timetable(Tomorrow(), cases=5)
    assert str(raised.value).startswith("Tomorrow breaks ")
    assert "manual_past: the data interval of a manual run does not end in the future" in str(raised.value)
    assert isinstance(raised.value.violations[0], Violation)
    assert isinstance(raised.value, AssertionError)


def test_a_window_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="is not before end"):
        check_timetable(OnceTimetable(), start=datetime(2024, 1, 1, tzinfo=UTC), end=datetime(2024, 1, 1, tzinfo=UTC))


def test_a_planning_error_is_told_by_one_law_only() -> None:
    assert [violation.law for violation in check_timetable(Raises(), cases=5)] == ["usable"]
    assert issubclass(PlanningError, Exception)
