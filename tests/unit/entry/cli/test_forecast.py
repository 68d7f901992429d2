"""`gnomon forecast`: the coming runs of a home, read and never changed."""

from __future__ import annotations

import json
from typing import Any

from tests.unit.entry.cli.conftest import Gnomon
from tests.unit.entry.cli.deployment import HOURLY, Deployment, spec_of


def forecast(gnomon: Gnomon, *options: str) -> dict[str, Any]:
    code, out, err = gnomon("forecast", "-o", "json", "--samples", "3", *options)
    assert (code, err) == (0, "")
    answer: dict[str, Any] = json.loads(out)
    return answer


def test_each_run_that_is_due_has_a_start_and_an_end(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a", timetable=HOURLY), spec_of("b", timetable=HOURLY))
    answer = forecast(gnomon, "a", "--assume", "10m")
    runs = answer["runs"]
    assert len(runs) == 24 and {run["dag_id"] for run in runs} == {"a"}
    assert all(run["end_p50"] == run["end_p90"] > run["start_p50"] >= run["run_after"] for run in runs)
    assert any("fewer than three successful tries" in text for text in answer["assumptions"])


def test_a_paused_dag_has_no_coming_runs(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a", timetable=HOURLY), paused=True)
    assert forecast(gnomon)["runs"] == []


def test_a_name_that_is_not_there_and_a_time_that_is_past_are_refused(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a", timetable=HOURLY))
    code, _, err = gnomon("forecast", "invoices")
    assert code == 1 and "invoices" in err
    code, _, err = gnomon("forecast", "--until", "2001-01-01")
    assert code == 1 and "--until 2001-01-01T00:00:00.000000+00:00 is not after now" in err
    code, _, err = gnomon("forecast", "--until", "2150-01-01")
    assert code == 1 and "within a year" in err


def test_nothing_of_the_home_changes(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a", timetable=HOURLY))
    before = gnomon("runs", "list", "a", "-o", "json").out, gnomon("audit", "-o", "json").out
    forecast(gnomon)
    assert (gnomon("runs", "list", "a", "-o", "json").out, gnomon("audit", "-o", "json").out) == before
