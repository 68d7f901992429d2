"""The comparison with Airflow asks Gnomon every golden walk, and goes on without Airflow."""

from __future__ import annotations

import pytest
from bench import timetable_rate
from bench.timetable_side import CLASSES, Gnomon, measure, walks

from gnomon.rules.timetables import system_time


def test_every_class_that_is_compared_answers_its_walks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system_time, "now", system_time.now)
    side = Gnomon()
    found = walks(side)
    assert set(found) == set(CLASSES) == set(timetable_rate.WANTED)
    for chosen in found.values():
        calls, spent_s = measure(side, chosen[:2], seconds=1e-9)
        assert calls == sum(len(walk.calls) for walk in chosen[:2])
        assert spent_s > 0


@pytest.mark.ordinary
def test_without_airflow_its_side_is_left_out_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GNOMON_BENCH_AIRFLOW", "/nowhere/python")
    monkeypatch.setattr(timetable_rate, "TURNS", 1)
    monkeypatch.setattr(timetable_rate, "TURN_S", 0.01)
    timetable_rate.timetables()
    said = capsys.readouterr().out
    assert "105120 slots" in said
    assert "left out: /nowhere/python cannot be started: No such file or directory" in said
