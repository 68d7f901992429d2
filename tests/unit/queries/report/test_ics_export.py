"""A calendar file, by the rules of RFC 5545."""

from __future__ import annotations

import pytest

from gnomon.model.slots import PlannedRun
from gnomon.queries.report.pictures.ics_export import build_calendar_file, escape_value, fold_line
from gnomon.rules.timetables.wall_clock.zones import named_zone

BERLIN = named_zone("Europe/Berlin")
RUN = PlannedRun(run_id="scheduled; 2026, é\\", run_after=1_774_748_100_000_000, interval_start=None, interval_end=None)


@pytest.mark.parametrize("text", ["a" * 74, "a" * 75, "a" * 76, "é" * 200, "日本語" * 60, "x" + "😀" * 50, ""])
def test_folding_keeps_the_text_and_no_line_is_too_long(text: str) -> None:
    lines = fold_line(text).split("\r\n")
    assert lines[-1] == ""
    assert all(len(line.encode()) <= 75 for line in lines)
    assert lines[0] + "".join(line[1:] for line in lines[1:-1]) == text
    assert all(line.startswith(" ") for line in lines[1:-1])


def test_a_text_is_escaped() -> None:
    assert escape_value("a,b;c\\d\r\ne\x07\n") == "a\\,b\\;c\\\\d\\ne\\n"


def test_the_event_of_a_run_has_an_id_of_its_own_and_says_the_local_time() -> None:
    text = build_calendar_file("my, dag", [RUN], BERLIN)
    assert "SUMMARY:my\\, dag\r\n" in text
    assert "DESCRIPTION:scheduled\\; 2026\\, é\\\\\\nafter Sun 2026-03-29 03:35 +02:00" in text.replace("\r\n ", "")
    assert text == build_calendar_file("my, dag", [RUN], BERLIN)
    uids = {
        line
        for name in ("a", "b")
        for line in build_calendar_file(name, [RUN], BERLIN).split("\r\n")
        if line.startswith("UID:")
    }
    assert len(uids) == 2
