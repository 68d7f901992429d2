"""Laws that hold for every built-in timetable, in tricky zones, from 1990 to 2050."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import time_machine
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.unit.rules.timetables import made as m

from gnomon.model.slots import DagRunInfo, DataInterval, TimeRestriction
from gnomon.timetables import BuiltinTimetable, ContinuousTimetable, EventsTimetable, MultipleCronTriggerTimetable

law = settings(derandomize=True, max_examples=150, deadline=None)


@law
@given(st.data(), m.TIMETABLES, m.MOMENTS)
def test_instants_are_utc_and_strictly_increase(
    data: st.DataObject, timetable: BuiltinTimetable, now: datetime
) -> None:
    answers = m.walk(timetable, data.draw(m.restrictions(now)), now, 6)
    for info in answers:
        assert info.data_interval is not None
        for moment in (info.run_after, *info.data_interval):
            assert type(moment) is datetime
            assert moment.tzinfo is UTC
        assert info.data_interval.start <= info.data_interval.end
    moments = [info.run_after for info in answers]
    assert moments == sorted(set(moments))


@law
@given(st.data(), m.TIMETABLES, m.MOMENTS)
def test_bounds_are_respected(data: st.DataObject, timetable: BuiltinTimetable, now: datetime) -> None:
    restriction = data.draw(m.restrictions(now))
    for info in m.walk(timetable, restriction, now, 4):
        assert info.data_interval is not None
        begins = info.data_interval.start if hasattr(timetable, "_newest_start") else info.run_after
        assert restriction.earliest is None or begins >= restriction.earliest
        assert restriction.latest is None or begins <= restriction.latest


@law
@given(st.data(), m.TIMETABLES, m.MOMENTS, st.integers(1, 5))
def test_two_halves_make_the_whole(data: st.DataObject, timetable: BuiltinTimetable, now: datetime, half: int) -> None:
    restriction = data.draw(m.restrictions(now))
    whole = m.walk(timetable, restriction, now, 8)
    first = m.walk(timetable, restriction, now, half)
    assume(first)
    assert first + m.walk(m.stored(timetable), restriction, now, 8 - half, first[-1]) == whole


@law
@given(m.TIMETABLES)
def test_a_stored_timetable_is_equal(timetable: BuiltinTimetable) -> None:
    assert m.stored(timetable) == timetable
    assert hash(m.stored(timetable)) == hash(timetable)
    assert (m.stored(timetable).summary, m.stored(timetable).description) == (timetable.summary, timetable.description)


@law
@given(m.TIMETABLES, m.MOMENTS)
def test_a_manual_interval_does_not_reach_into_the_future(timetable: BuiltinTimetable, run_after: datetime) -> None:
    interval = timetable.infer_manual(run_after)
    before_all_events = isinstance(timetable, EventsTimetable) and timetable.restrict_to_events
    assert interval.start <= interval.end
    assert interval.end <= run_after or before_all_events


@law
@given(m.CRON_INTERVALS, m.MOMENTS)
def test_a_manual_interval_is_one_of_the_schedule(timetable: BuiltinTimetable, run_after: datetime) -> None:
    interval = timetable.infer_manual(run_after)
    last = DagRunInfo.interval(interval.start - timedelta(microseconds=1), interval.start)
    assert timetable.plan_next(last, TimeRestriction(None, None, True), run_after) == DagRunInfo.interval(*interval)


@law
@given(m.GRIDS, m.MOMENTS)
def test_slots_between_are_those_of_the_walk(timetable: BuiltinTimetable, start: datetime) -> None:
    walked = m.walk(timetable, TimeRestriction(start, None, True), start, 5)
    boundaries = [
        info.data_interval.start if hasattr(timetable, "_newest_start") else info.run_after for info in walked
    ]  # type: ignore[union-attr]
    until = boundaries[-1] + timedelta(microseconds=1)
    assert list(timetable.slots_between(start, until)) == boundaries
    assert list(timetable.slots_between(start, boundaries[-1])) == boundaries[:-1]


@law
@given(st.data(), m.GRIDS, m.MOMENTS)
def test_without_catchup_the_first_run_is_the_newest_that_is_due(
    data: st.DataObject, timetable: BuiltinTimetable, now: datetime
) -> None:
    restriction = data.draw(m.restrictions(now, catchup=False))
    assume(restriction.earliest is not None or not isinstance(timetable, MultipleCronTriggerTimetable))
    info = timetable.plan_next(None, restriction, now)
    assume(info is not None)
    assert info is not None
    following = timetable.plan_next(info, restriction, now)
    assert following is None or following.run_after > now


@law
@given(m.MOMENTS, st.none() | st.integers(0, 7200), st.lists(st.integers(1, 7200), min_size=2, max_size=4))
def test_continuous_intervals_follow_one_another(now: datetime, age_s: int | None, pauses_s: list[int]) -> None:
    restriction = TimeRestriction(None if age_s is None else now - timedelta(seconds=age_s), None, False)
    intervals, last = list[DataInterval](), None
    for pause_s in [0, *pauses_s]:
        now += timedelta(seconds=pause_s)
        last = ContinuousTimetable().plan_next(last, restriction, now)
        assert last is not None
        assert last.data_interval is not None
        assert last.run_after == last.data_interval.end == now
        intervals.append(last.data_interval)
    starts = [interval.start for interval in intervals]
    assert starts == sorted(set(starts)), "no two runs share a logical date"
    for before, after in zip(intervals, intervals[1:], strict=False):
        assert timedelta() <= after.start - before.end <= timedelta(microseconds=1)


@law
@given(m.ALL)
def test_every_timetable_has_words(timetable: BuiltinTimetable) -> None:
    with_seconds = any(len(cron.split()) > 5 for cron in timetable.summary.split(", "))
    by_span = "delta" in timetable.serialize()
    assert timetable.summary
    assert timetable.description or with_seconds or by_span, "no describer reads seconds; a span is its own summary"


@law
@given(st.data(), m.ALL, m.MOMENTS, st.booleans())
def test_authors_are_answered_as_planning_is(
    data: st.DataObject, timetable: BuiltinTimetable, now: datetime, again: bool
) -> None:
    restriction = data.draw(m.restrictions(now))
    with time_machine.travel(now, tick=False):
        first = timetable.next_dagrun_info(last_automated_data_interval=None, restriction=restriction)
        assert first == timetable.plan_next(None, restriction, now)
        if again and first is not None:
            interval = first.data_interval
            second = timetable.next_dagrun_info(last_automated_data_interval=interval, restriction=restriction)
            assert second == timetable.plan_next(first, restriction, now)
        assert timetable.infer_manual_data_interval(run_after=now) == timetable.infer_manual(now)


@law
@given(m.GRIDS, m.MOMENTS)
def test_slots_are_the_same_however_a_stretch_is_cut(timetable: BuiltinTimetable, start: datetime) -> None:
    walked = m.walk(timetable, TimeRestriction(start, None, True), start, 5)
    until, cut = walked[-1].run_after, walked[len(walked) // 2].run_after
    whole = list(timetable.slots_between(start, until))
    assert [*timetable.slots_between(start, cut), *timetable.slots_between(cut, until)] == whole
    assert whole == sorted(set(whole))


@law
@given(m.CRON_INTERVALS, m.MOMENTS)
def test_a_manual_interval_is_the_one_before_the_next_slot(timetable: BuiltinTimetable, run_after: datetime) -> None:
    start, end = timetable.infer_manual(run_after)
    assert start < end <= run_after
    assert list(timetable.slots_between(start, run_after + timedelta(microseconds=1))) == [start, end]
