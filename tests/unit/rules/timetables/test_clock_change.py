"""The clock-change rule (airflow-surface.md B.4), with examples, and the ground that it stands on."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from importlib import resources

import pytest

from gnomon.model.slots import DagRunInfo, TimeRestriction
from gnomon.rules.timetables.cron_timetable import CronClock
from gnomon.rules.timetables.wall_clock.clock_change import clock_of
from gnomon.rules.timetables.wall_clock.zones import PROBE_S, named_zone
from gnomon.timetables import CronTriggerTimetable

BERLIN_SPRING, BERLIN_AUTUMN = date(2024, 3, 31), date(2024, 10, 27)
HOWE_SPRING, HOWE_AUTUMN = date(2024, 10, 6), date(2024, 4, 7)

EXAMPLES = [
    # A label that does not exist runs moved forward by the gap.
    ("30 2 * * *", "Europe/Berlin", BERLIN_SPRING, "03:30+02:00"),
    ("15,45 2 * * *", "Europe/Berlin", BERLIN_SPRING, "03:15+02:00 03:45+02:00"),
    ("45 1-3 * * *", "Europe/Berlin", BERLIN_SPRING, "01:45+01:00 03:45+02:00"),
    ("0 0 * * *", "America/Sao_Paulo", date(2018, 11, 4), "01:00-02:00"),
    ("10 2 * * *", "Australia/Lord_Howe", HOWE_SPRING, "02:40+11:00"),
    ("30 1 * * *", "Antarctica/Troll", BERLIN_SPRING, "03:30+02:00"),
    # Labels that fall on one instant are one run; moved ones keep their place in time.
    ("0 2,3 * * *", "Europe/Berlin", BERLIN_SPRING, "03:00+02:00"),
    ("0 */2 * * *", "Europe/Berlin", BERLIN_SPRING, "00 03 04 06 08 10 12 14 16 18 20 22"),
    ("30 2,3 * * *", "Europe/Berlin", BERLIN_SPRING, "03:30+02:00"),
    ("15 3 * * *", "Europe/Berlin", BERLIN_SPRING, "03:15+02:00"),
    # A label that exists twice runs once, at its second occurrence.
    ("30 2 * * *", "Europe/Berlin", BERLIN_AUTUMN, "02:30+01:00"),
    ("15,45 2 * * *", "Europe/Berlin", BERLIN_AUTUMN, "02:15+01:00 02:45+01:00"),
    ("0 1-3 * * *", "Europe/Berlin", BERLIN_AUTUMN, "01:00+02:00 02:00+01:00 03:00+01:00"),
    ("45 1 * * *", "Australia/Lord_Howe", HOWE_AUTUMN, "01:45+10:30"),
    # With `*` as the hour every real hour runs, both folds.
    (
        "0 * * * *",
        "Europe/Berlin",
        BERLIN_SPRING,
        "00 01 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 20 21 22 23",
    ),
    (
        "30 0-23 27 10 *",
        "Europe/Berlin",
        BERLIN_AUTUMN,
        "00 01 02 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 20 21 22 23",
    ),
]


@pytest.mark.parametrize(("cron", "zone", "day", "expected"), EXAMPLES)
def test_rule_by_example(cron: str, zone: str, day: date, expected: str) -> None:
    place = named_zone(zone)
    midnight = datetime(day.year, day.month, day.day, tzinfo=place)
    end = datetime(day.year, day.month, day.day, tzinfo=place) + timedelta(days=1)
    found = CronTriggerTimetable(cron, timezone=zone).slots_between(midnight, end)
    shown = [moment.astimezone(place) for moment in found]
    if ":" in expected:
        assert [moment.strftime("%H:%M") + moment.isoformat()[-6:] for moment in shown] == expected.split()
    else:
        assert [moment.strftime("%H") for moment in shown] == expected.split()


def test_a_day_that_the_calendar_skipped_runs_the_day_after_once() -> None:
    samoa = CronTriggerTimetable("0 0 * * *", timezone="Pacific/Apia")
    around = samoa.slots_between(datetime(2011, 12, 29, tzinfo=UTC), datetime(2012, 1, 2, tzinfo=UTC))
    local = [moment.astimezone(named_zone("Pacific/Apia")).strftime("%m-%d %H:%M") for moment in around]
    assert local == ["12-29 00:00", "12-31 00:00", "01-01 00:00", "01-02 00:00"]


def test_half_an_hour_of_change_neither_drops_a_label_nor_makes_one_up() -> None:
    hourly = CronTriggerTimetable("0 * * * *", timezone="Australia/Lord_Howe")
    spring = hourly.slots_between(datetime(2024, 10, 5, 14, tzinfo=UTC), datetime(2024, 10, 5, 17, 30, tzinfo=UTC))
    assert [_howe(moment) for moment in spring] == ["01:00", "02:30", "03:00", "04:00"]
    autumn = hourly.slots_between(datetime(2024, 4, 6, 13, tzinfo=UTC), datetime(2024, 4, 6, 17, tzinfo=UTC))
    assert [_howe(moment) for moment in autumn] == ["00:00", "01:00", "02:00", "03:00"]


def test_clock_changes_of_every_zone_are_further_apart_than_the_probes() -> None:
    names = resources.files("tzdata").joinpath("zones").read_text(encoding="utf-8").split()
    shortest = min(_shortest_stretch(name) for name in names)
    assert shortest > PROBE_S


def _howe(moment: datetime) -> str:
    return moment.astimezone(named_zone("Australia/Lord_Howe")).strftime("%H:%M")


def _shortest_stretch(name: str) -> int:
    """Seconds between the two nearest changes of offset in the zone's file, read with the standard library's reader."""
    from zoneinfo import _zoneinfo

    with resources.files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as source:
        zone = _zoneinfo.ZoneInfo.from_file(source, key=name)
    offset, changes = zone._tti_before.utcoff, []
    for at, info in zip(zone._trans_utc, zone._ttinfos, strict=True):
        if info.utcoff != offset:
            changes.append(at)
            offset = info.utcoff
    return min((later - earlier for earlier, later in zip(changes, changes[1:], strict=False)), default=PROBE_S + 1)


def test_pieces_cover_time_without_a_hole() -> None:
    clock = clock_of(named_zone("America/New_York"))
    at, until = 1_600_000_000, 1_800_000_000
    offsets = []
    while at < until:
        piece = clock.at(at)
        assert piece.start <= at < piece.end
        assert clock.at(piece.end).start == piece.end
        offsets.append((piece.offset, piece.moved, piece.repeated))
        at = piece.end
    assert (-14400, -18000, False) in offsets
    assert (-14400, None, True) in offsets


def test_a_schedule_with_no_runs_left_is_asked_about_few_pieces_of_time() -> None:
    zone = named_zone("America/Asuncion")
    before = len(clock_of(zone)._blocks)
    past, leap = CronClock("0 0 1 1 * 0 1999", zone), CronClock("0 0 29 2 1", zone)
    assert past.on_or_after(1_700_000_000) is None
    assert CronClock("0 0 1 1 * 0 2090", zone).on_or_before(1_700_000_000) is None
    assert leap.on_or_after(1_700_000_000) is not None
    assert len(clock_of(zone)._blocks) - before < 12


@pytest.mark.parametrize("cron", ["* * * * *", "0 0 29 2 *", "0 0 1 1 * 0 2000", "0 0 L * *", "0 0 * * mon#5"])
@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "Africa/Monrovia"])
def test_the_ends_of_the_calendar_are_no_error(cron: str, zone: str) -> None:
    first, last = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
    timetable = CronTriggerTimetable(cron, timezone=zone)
    for moment in (first, first + timedelta(days=3), last, last - timedelta(days=3)):
        for now in (first, last):
            timetable.plan_next(None, TimeRestriction(moment, None, False), now)
            timetable.plan_next(DagRunInfo.exact(moment), TimeRestriction(None, None, True), now)
        assert timetable.infer_manual(moment).end == moment
    assert sum(1 for _ in timetable.slots_between(first, first + timedelta(days=3))) < 3 * 1440
    assert sum(1 for _ in timetable.slots_between(last - timedelta(days=3), last)) < 3 * 1440
