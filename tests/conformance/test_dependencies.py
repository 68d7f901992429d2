"""The shared cases of dependencies between DAGs (data/README.md): every pair of kinds, whatever the clock says."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.unit.rules.timetables.periods import timetable_of

from gnomon.dependencies import After, upstream_slots
from gnomon.rules.timetables.wall_clock.zones import named_zone, zone_of

pytestmark = pytest.mark.pure

CASES = [json.loads(line) for line in (Path(__file__).parent / "data/dependencies.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_waits_for_the_slots_of_the_case(case: dict[str, Any]) -> None:
    downstream = timetable_of(case["downstream"], timezone=case["zone"])
    upstream = timetable_of(case["upstream"], timezone=case["zone"])
    after = After("upstream", **case["options"])
    found = {}
    for at in case["expect"]:
        slot = _instant(case, at)
        resolution = upstream_slots(after, downstream=downstream, upstream=upstream, at=slot)
        found[at] = [_shown(case, one) for one in resolution.slots]
    assert found == case["expect"]


def test_every_case_is_here() -> None:
    assert len(CASES) == 62


def _instant(case: dict[str, Any], at: str) -> datetime:
    hour, minute = map(int, at.split(":"))
    wall = datetime.combine(date.fromisoformat(case["day"]), datetime.min.time()).replace(hour=hour, minute=minute)
    return wall.replace(tzinfo=zone_of(case["zone"])).astimezone(UTC)


def _shown(case: dict[str, Any], slot: datetime) -> str:
    wall = slot.astimezone(UTC if case["zone"] == "UTC" else named_zone(case["zone"]))
    days = (wall.date() - date.fromisoformat(case["day"])) // timedelta(days=1)
    return f"{days} {wall:%H:%M}" if days else f"{wall:%H:%M}"
