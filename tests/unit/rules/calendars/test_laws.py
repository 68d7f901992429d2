"""Laws of all calendars, against a walk from day to day."""

from __future__ import annotations

import json
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.rules.calendars.made import DAY, FIRST, LAST, calendars, days, inner_days, walked

from gnomon.calendars import Calendar, decode


@settings(derandomize=True, max_examples=60, deadline=None)
@given(calendars)
def test_a_stored_calendar_is_equal_and_answers_alike(calendar: Calendar) -> None:
    stored = json.loads(json.dumps(calendar.encode()))
    again = decode(stored)
    assert again == calendar
    assert again.encode() == stored
    assert walked(again, FIRST, LAST) == walked(calendar, FIRST, LAST)
    assert (again.label, again.coverages, again.weekly) == (calendar.label, calendar.coverages, calendar.weekly)


@settings(derandomize=True, max_examples=60, deadline=None)
@given(calendars, inner_days)
def test_roll_goes_to_the_nearest_business_day_on_its_side(calendar: Calendar, day: date) -> None:
    forward, back = calendar.roll(day, "forward"), calendar.roll(day, "back")
    assert back <= day <= forward
    assert calendar.is_business_day(forward) and calendar.is_business_day(back)
    assert walked(calendar, day, forward) == [forward]
    assert walked(calendar, back, day) == [back]
    assert (forward == day) == (back == day) == calendar.is_business_day(day)
    assert calendar.roll(forward, "back") == forward


@settings(derandomize=True, max_examples=60, deadline=None)
@given(calendars, inner_days)
def test_next_and_previous_business_day_are_strict_and_inverse(calendar: Calendar, day: date) -> None:
    after, before = calendar.next_business_day(day), calendar.previous_business_day(day)
    assert before < day < after
    assert walked(calendar, day + DAY, after) == [after]
    assert walked(calendar, before, day - DAY) == [before]
    if calendar.is_business_day(day):
        assert calendar.previous_business_day(after) == day == calendar.next_business_day(before)


@settings(derandomize=True, max_examples=60, deadline=None)
@given(calendars, days, days)
def test_rolling_keeps_the_order_of_days(calendar: Calendar, one: date, other: date) -> None:
    low, high = sorted(min(max(day, FIRST + 40 * DAY), LAST - 40 * DAY) for day in (one, other))
    assert calendar.roll(low, "forward") <= calendar.roll(high, "forward")
    assert calendar.roll(low, "back") <= calendar.roll(high, "back")


@settings(derandomize=True, max_examples=60, deadline=None)
@given(calendars, inner_days, st.sampled_from(["week", "month", "quarter"]), st.integers(1, 70))
def test_the_nth_business_day_is_that_of_a_list(calendar: Calendar, day: date, of: str, n: int) -> None:
    all_days = [one for number in range(-95, 96) if _same(one := day + number * DAY, day, of)]
    worked = walked(calendar, all_days[0], all_days[-1])
    assert calendar.nth_business_day(day, n, of) == (worked[n - 1] if n <= len(worked) else None)
    assert calendar.nth_business_day(day, -n, of) == (worked[-n] if n <= len(worked) else None)
    assert calendar.last_business_day(day, of) == (worked[-1] if worked else None)


@settings(derandomize=True, max_examples=60, deadline=None)
@given(calendars, calendars, days)
def test_union_and_difference_are_those_of_days_off(one: Calendar, other: Calendar, day: date) -> None:
    off, off_too = not one.is_business_day(day), not other.is_business_day(day)
    assert (one | other).is_business_day(day) == (not (off or off_too))
    assert (one - other).is_business_day(day) == (not (off and not off_too))
    assert (one | other).covers(day)


@settings(derandomize=True, max_examples=60, deadline=None)
@given(calendars, st.sets(days, max_size=6), days)
def test_extra_working_days_are_worked_and_nothing_else_changes(
    calendar: Calendar, extra: set[date], day: date
) -> None:
    assert calendar.working(extra).is_business_day(day) == (day in extra or calendar.is_business_day(day))


@settings(derandomize=True, max_examples=60, deadline=None)
@given(calendars, days, days)
def test_business_days_are_those_of_a_walk(calendar: Calendar, start: date, end: date) -> None:
    assert list(calendar.business_days(start, end)) == walked(calendar, start, end - DAY)


@pytest.mark.parametrize("way", ["up", "", None])
def test_a_calendar_rolls_forward_or_back_only(way: str) -> None:
    with pytest.raises(Exception, match="write 'forward' or 'back'"):
        decode({"kind": "weekends", "days": [5, 6]}).roll(FIRST, way)


def _same(one: date, other: date, of: str) -> bool:
    """Whether two days lie in one week, month or quarter, by the standard library's own numbers."""
    if of == "week":
        return one.isocalendar()[:2] == other.isocalendar()[:2]
    if of == "month":
        return (one.year, one.month) == (other.year, other.month)
    return (one.year, (one.month + 2) // 3) == (other.year, (other.month + 2) // 3)
