"""What becomes of each run when another schedule takes over."""

from __future__ import annotations

from datetime import datetime

from gnomon.model.instants import to_instant
from gnomon.model.sentences import render
from gnomon.model.slots import PlannedRun
from gnomon.queries.report.schedule_difference import MAX_PAIRED, compute_difference
from gnomon.rules.timetables.wall_clock.zones import named_zone

BERLIN = named_zone("Europe/Berlin")


def _runs(*moments: str, about: str | None = None) -> list[PlannedRun]:
    return [_run(moment, about or moment) for moment in moments]


def _run(moment: str, about: str) -> PlannedRun:
    at, start = to_instant(datetime.fromisoformat(moment + "Z")), to_instant(datetime.fromisoformat(about + "Z"))
    return PlannedRun(run_id=moment, run_after=at, interval_start=start, interval_end=at)


def test_the_nearest_of_one_day_are_one_run_that_moved() -> None:
    found = compute_difference(_runs("2024-03-01T06:00", "2024-03-01T12:00"), _runs("2024-03-01T11:00"), BERLIN)
    assert [(pair.before.run_id, pair.delay_s) for pair in found.moved] == [("2024-03-01T12:00", -3600.0)]
    assert [run.run_id for run in found.lost] == ["2024-03-01T06:00"] and not found.gained


def test_days_are_those_of_the_zone() -> None:
    before, after = _runs("2024-03-01T22:30"), _runs("2024-03-01T23:30")  # 23:30, and 00:30 the next day
    found = compute_difference(before, after, BERLIN)
    assert (len(found.lost), len(found.gained), len(found.moved)) == (1, 1, 0)
    assert len(compute_difference(before, after, named_zone("UTC")).moved) == 1


def test_the_same_instant_about_other_data_is_redefined() -> None:
    found = compute_difference(_runs("2024-03-01T06:00"), _runs("2024-03-01T06:00", about="2024-02-29T06:00"), BERLIN)
    assert len(found.redefined) == 1 and not (found.same or found.moved or found.lost or found.gained)
    assert (
        render(found.describe())
        == "1 run before, 1 run after: 0 gained, 0 lost, 0 moved, 0 the same, 1 at the same time with another data interval"
    )


def test_a_crowded_day_has_none_that_moved() -> None:
    before = _runs(*(f"2024-03-01T{minute // 60:02d}:{minute % 60:02d}" for minute in range(MAX_PAIRED + 1)))
    after = _runs("2024-03-01T09:00")
    found = compute_difference(before, after, BERLIN)
    assert (len(found.lost), len(found.gained), len(found.moved)) == (MAX_PAIRED + 1, 1, 0)


def test_every_run_is_in_one_place() -> None:
    before = _runs(*(f"2024-03-{day:02d}T06:00" for day in range(1, 20)))
    after = _runs(*(f"2024-03-{day:02d}T{6 + day % 3:02d}:00" for day in range(5, 25, 2)))
    found = compute_difference(before, after, BERLIN)
    assert sorted([run.run_id for run in found.same + found.lost] + [pair.before.run_id for pair in found.moved]) == [
        run.run_id for run in before
    ]
    assert sorted([run.run_id for run in found.same + found.gained] + [pair.after.run_id for pair in found.moved]) == [
        run.run_id for run in after
    ]
