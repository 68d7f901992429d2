"""Authors who change a timetable of ours a little."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from gnomon.model.instants import to_datetime
from gnomon.rules.planning.queries import ask_next
from gnomon.timetables import CronTriggerTimetable, TimeRestriction


class HandedOn(CronTriggerTimetable):
    def next_dagrun_info(self, **asked: Any) -> Any:
        return super().next_dagrun_info(**asked)


def test_a_method_with_kwargs_can_call_the_built_in_method() -> None:
    start = datetime(2024, 1, 1, tzinfo=UTC)
    run = ask_next(HandedOn("0 0 * * *", timezone="UTC"), None, TimeRestriction(start, None, True), 0)
    assert run is not None and to_datetime(run.run_after) == start
