"""The lines of a day: which, in how few rows, and where they are drawn."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from datetime import date, datetime
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from gnomon.model.sentences import render
from gnomon.model.spec import DagSpec, collect_edges
from gnomon.model.upstream_edges import DependencySpec
from gnomon.queries.report.local_time import DayClock
from gnomon.queries.report.pictures.day_lanes_svg import WIDTH, render_day_lanes_svg
from gnomon.queries.report.waits.day_lanes import GAP_PX, LanePanel, build_panel
from gnomon.queries.report.waits.day_preview import (
    COLUMNS,
    MAX_ROWS,
    DayPreview,
    build_day_preview,
    build_rows,
    build_side,
)
from gnomon.queries.report.waits.edge_wording import describe_edge
from gnomon.rules.timetables.registry import reference
from gnomon.timetables import BuiltinTimetable, Daily, DiscreteHours, Hourly, Minutely

ZONE = "Europe/Berlin"
DAY = date(2026, 3, 3)
HOURLY, HALF_PAST, DAILY = Hourly(timezone=ZONE), Hourly(start="00:30", timezone=ZONE), Daily("12:00", timezone=ZONE)
MINUTELY, MORNING = Minutely(timezone=ZONE), DiscreteHours([3, 6, 8], timezone=ZONE)
SVG = "{http://www.w3.org/2000/svg}"


def lines(
    mine: BuiltinTimetable, theirs: BuiltinTimetable, day: date = DAY, **options: object
) -> tuple[DayPreview, DayClock]:
    clock = DayClock(ZoneInfo(ZONE), day)
    down, up = DagSpec(dag_id="report", timetable=reference(mine)), DagSpec(dag_id="loads", timetable=reference(theirs))
    after = DependencySpec(dag_id="loads", **options)  # type: ignore[arg-type]
    found = build_day_preview(
        after=after, downstream=build_side(down, None), upstream=build_side(up, None), start=clock.start, end=clock.end
    )
    return found, clock


def rows(
    mine: BuiltinTimetable, theirs: BuiltinTimetable, day: date = DAY, **options: object
) -> list[tuple[object, ...]]:
    found, clock = lines(mine, theirs, day, **options)
    return [tuple(row[column] for column in COLUMNS) for row in build_rows(found.lines, clock)]


def panel(mine: BuiltinTimetable, theirs: BuiltinTimetable, day: date = DAY, **options: object) -> LanePanel:
    found, clock = lines(mine, theirs, day, **options)
    (edge,) = collect_edges(
        DagSpec(dag_id="report", timetable=reference(mine), depends_on=(DependencySpec(dag_id="loads", **options),))
    )  # type: ignore[arg-type]
    return build_panel(render(describe_edge("report", edge)), "report", edge, found, clock)


def test_runs_that_wait_for_the_same_are_one_row() -> None:
    assert rows(HOURLY, MORNING) == [
        ("00:00 to 02:00 (3)", "03:00", "rule two, forward", "[00:00, 24:00) ..."),
        ("03:00", "03:00", "rule two, backward", "(02:00, 03:00]"),
        ("04:00 to 05:00 (2)", "03:00", "rule two, carried", "(02:00, 03:00]"),
        ("06:00", "06:00", "rule two, backward", "(05:00, 06:00]"),
        ("07:00", "06:00", "rule two, carried", "(05:00, 06:00]"),
        ("08:00", "08:00", "rule two, backward", "(07:00, 08:00]"),
        ("09:00 to 23:00 (15)", "08:00", "rule two, carried", "(07:00, 08:00]"),
    ]


def test_many_slots_are_told_by_their_ends_their_step_and_their_number() -> None:
    assert rows(DAILY, HOURLY) == [("12:00", "00:00 to 23:00, each 1 h (24)", "whole day", "[00:00, 24:00)")]


def test_yesterdays_slots_have_their_date() -> None:
    assert rows(HOURLY, HOURLY, previous=1)[0] == ("00:00", "03-02 23:00", "previous", "[03-02 23:00, 00:00)")


def test_a_minute_dag_on_a_minute_dag_is_one_row() -> None:
    assert rows(MINUTELY, MINUTELY) == [
        ("00:00 to 23:59 (1440)", "00:00 ... 23:59", "span", "(03-02 23:59, 00:00] ...")
    ]


@pytest.mark.parametrize(
    ("mine", "theirs"), [(MINUTELY, HOURLY), (HOURLY, MINUTELY), (DAILY, MINUTELY), (MINUTELY, DAILY)]
)
def test_tables_of_minute_dags_stay_short(mine: BuiltinTimetable, theirs: BuiltinTimetable) -> None:
    shown = rows(mine, theirs)
    assert len(shown) <= MAX_ROWS
    assert max(len("  ".join(map(str, row))) for row in shown) <= 100


def test_an_hour_that_comes_twice_has_its_offset() -> None:
    shown = rows(HOURLY, HALF_PAST, date(2026, 10, 25))
    assert shown[2][:2] == ("02:00+02 to 02:00+01 (2)", "02:30+02 02:30+01")
    assert len(shown) == 24


def test_every_run_has_its_lines_to_the_slots_that_it_waits_for() -> None:
    drawn = panel(HOURLY, MORNING)
    heights = {mark.label: mark.y for mark in drawn.slots}
    assert list(heights) == ["03:00", "06:00", "08:00"]
    ends = {mark.label: [link.right_y for link in links] for mark, links in drawn.runs}
    assert len(ends) == 24
    assert (ends["00:00"], ends["07:00"], ends["23:00"]) == ([heights["03:00"]], [heights["06:00"]], [heights["08:00"]])
    assert drawn.runs[7][0].words == "07:00 waits for 06:00: rule two, carried"


def test_the_axis_begins_on_the_day_that_lines_reach() -> None:
    assert [text for _, text in panel(HOURLY, HOURLY).days] == ["Tue 2026-03-03"]
    assert [text for _, text in panel(HOURLY, HOURLY, previous=1).days] == ["Mon 2026-03-02", "Tue 2026-03-03"]
    assert [text for _, text in panel(DAILY, DAILY, previous=30).days] == ["Sun 2026-02-01", "Tue 2026-03-03"]


def test_slots_that_nothing_waits_for_are_told_apart() -> None:
    assert [mark.label for mark in panel(HOURLY, HOURLY, previous=1).slots if not mark.waits] == ["23:00"]


PAIRS = [
    (HOURLY, MORNING, {}), (HOURLY, HALF_PAST, {}), (HOURLY, HOURLY, {"previous": 1}), (DAILY, HOURLY, {}), (MINUTELY, MINUTELY, {}),
    (MINUTELY, HOURLY, {}), (DAILY, MINUTELY, {"previous": 30}), (Minutely(15, timezone=ZONE), HOURLY, {}),
    (Minutely(20, timezone=ZONE), Minutely(20, timezone=ZONE), {}), (MORNING, DiscreteHours([9, 10, 12], timezone=ZONE), {}),
]  # fmt: skip


@pytest.mark.parametrize(("mine", "theirs", "options"), PAIRS)
@pytest.mark.parametrize("day", [DAY, date(2026, 3, 29), date(2026, 10, 25)])
def test_no_two_labels_overlap(
    mine: BuiltinTimetable, theirs: BuiltinTimetable, options: dict[str, object], day: date
) -> None:
    drawn = panel(mine, theirs, day, **options)
    for lane in ([mark for mark, _ in drawn.runs], drawn.slots):
        assert len(lane) <= 24 * 3 + 3
        assert all(after.y - before.y >= GAP_PX for before, after in pairwise(lane))
    document = ET.fromstring(render_day_lanes_svg("report", "", [drawn]))
    for column in _columns(document):
        assert all(after - before >= 10 for before, after in pairwise(sorted(column)))


@pytest.mark.parametrize("day", [DAY, date(2026, 10, 25)])
def test_labels_stay_between_the_scale_and_the_edge_of_a_telephone(day: date) -> None:
    document = ET.fromstring(render_day_lanes_svg("report", "", [panel(MINUTELY, MINUTELY, day)]))
    for text in document.iter(f"{SVG}text"):
        if re.match(r"\d\d:\d\d.*×", text.text or ""):
            x, width = float(text.get("x", "0")), 6.3 * len(text.text or "")
            assert x - width >= 26 if text.get("text-anchor") == "end" else x + width <= WIDTH + 12


def _columns(document: ET.Element) -> Iterator[list[float]]:
    """The heights of all texts of a lane or of the scale, by where they begin or end."""
    found: dict[tuple[str, str], list[float]] = {}
    for text in document.iter(f"{SVG}text"):
        if re.match(r"\d\d:\d\d", text.text or ""):
            found.setdefault((text.get("x", "0"), text.get("text-anchor", "start")), []).append(
                float(text.get("y", "0"))
            )
    assert len(found) == 3
    yield from found.values()


def test_a_picture_says_in_words_what_it_shows() -> None:
    document = ET.fromstring(render_day_lanes_svg("report", "a day", [panel(HOURLY, MORNING)]))
    assert document.get("role") == "img"
    assert [child.tag for child in document][:3] == [f"{SVG}title", f"{SVG}desc", f"{SVG}style"]
    assert (
        "report waits for loads. 00:00 to 02:00 (3): 03:00 (rule two, forward); 03:00: 03:00 (rule two, backward)"
        in (document[1].text or "")
    )
    legend = [text.text for text in document.iter(f"{SVG}text") if text.get("class") == "key"]
    assert " ".join(filter(None, legend)).startswith(
        "rule two, forward: no earlier slot that day: the next slot rule two, backward: "
    )


def test_panels_stand_side_by_side_where_there_is_room_and_never_leave_a_telephone() -> None:
    text = render_day_lanes_svg("report", "", [panel(HOURLY, MORNING)] * 4)
    style = text[text.index("<style>") : text.index("</style>")]
    assert re.findall(r"@media \(min-width:(\d+)px\)", style) == ["1170", "780", "0"]
    narrow = style[style.index("@media (min-width:0px)") :]
    assert set(re.findall(r"translate\((\d+)px", narrow)) == {"12"}
    assert WIDTH + 24 == 390
    assert "prefers-color-scheme:dark" in style


def test_texts_of_authors_stay_texts() -> None:
    (edge,) = collect_edges(
        DagSpec(dag_id="x", timetable=reference(HOURLY), depends_on=(DependencySpec(dag_id="<b>&\x00" + "y" * 200),))
    )
    found, clock = lines(HOURLY, HOURLY)
    document = ET.fromstring(
        render_day_lanes_svg("<i>", "&", [build_panel(render(describe_edge("<i>", edge)), "<i>", edge, found, clock)])
    )
    assert document[0].text == "<i>"


def test_a_day_that_begins_late_or_early_has_its_own_hours() -> None:
    found, clock = lines(HOURLY, MORNING, date(2026, 3, 29))
    assert (clock.end - clock.start, len(found.lines)) == (23 * 3600 * 1_000_000, 23)
    assert [datetime.fromtimestamp(line.run_after / 1e6, ZoneInfo(ZONE)).hour for line in found.lines][:4] == [
        0,
        1,
        3,
        4,
    ]
