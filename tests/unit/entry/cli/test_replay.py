"""`gnomon simulate --replay`: a day of a home once more, beside what happened."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from msgspec.structs import replace as change
from tests.unit.entry.cli.conftest import Gnomon
from tests.unit.entry.cli.deployment import HOURLY, NOW, Deployment, spec_of

from gnomon.entry.cli.deployment.home import Home
from gnomon.ground.clock import VirtualClock
from gnomon.model.after import After
from gnomon.model.instants import SECOND, Instant
from gnomon.model.upstream_edges import to_dependency_spec
from gnomon.testing import Play

DAY_S = 86_400.0
BEGINS: Instant = NOW + 13 * 3600 * SECOND
"""Two hours before the day that is replayed."""


class DrawnPlays(dict[str, Play]):
    """Each try takes another time, and one of five fails."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._draw = random.Random(seed)

    def get(self, _task_id: str, _default: Play | None = None) -> Play:  # type: ignore[override]
        """What the next try does, whichever it is."""
        outcome = "failed" if self._draw.random() < 0.2 else "success"
        return Play(float(self._draw.randint(30, 1500)), outcome=outcome)


@pytest.fixture
def clock() -> VirtualClock:
    """Each minute before that day costs a test what a minute of the day costs."""
    return VirtualClock(BEGINS)


def run_for_days(deployment: Deployment, days: float = 1.15, seed: int | None = None) -> None:
    """Each hour has three runs, until 2026-03-03T01:36 unless told: `load` waits for `extract`, `other` for nothing."""
    extract = spec_of("extract", {"copy": (), "clean": ("copy",)}, timetable=HOURLY)
    load = spec_of("load", {"insert": (), "check": ("insert",)}, timetable=HOURLY)
    load = change(load, depends_on=(to_dependency_spec(After("extract")),))
    other = spec_of("other", {"work": (), "more": ()}, timetable=HOURLY)
    specs = [extract, load, other]
    if seed is not None:
        specs = [
            change(spec, tasks=tuple(change(task, retries=3, retry_delay_s=60.0) for task in spec.tasks))
            for spec in specs
        ]
    fixed = {"copy": Play(1800.0), "insert": Play(600.0), "check": Play(120.0), "work": Play(900.0)}
    deployment.plays = fixed if seed is None else DrawnPlays(seed)
    deployment.add(*specs)
    deployment.start()
    deployment.move(days * DAY_S)


def replay(gnomon: Gnomon, *options: str) -> dict[str, Any]:
    code, out, err = gnomon("simulate", "--replay", "yesterday", "-o", "json", *options)
    assert (code, err) == (0, "")
    answer: dict[str, Any] = json.loads(out)
    return answer


def test_a_day_in_which_nothing_changed_is_replayed_as_it_was(gnomon: Gnomon, deployment: Deployment) -> None:
    run_for_days(deployment)
    answer = replay(gnomon)
    runs = answer["runs"]
    assert answer["from"][:13] == "2026-03-02T00" and answer["compared"] == len(runs) == answer["same_starts"] > 20
    assert answer["same_order"] == answer["compared"] - 1
    assert all(run["state"] == run["replayed_state"] == "success" for run in runs)
    assert all(abs(run["end_shift_s"]) <= 10 for run in runs)
    assert "100% start within 1 % of their span or 1 s, and 100% follow in the same order" in answer["notes"][0]
    assert {run["dag_id"] for run in replay(gnomon, "load")["runs"]} == {"load"}


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(2, 12))])
def test_a_day_with_failures_and_a_small_pool_is_replayed_in_its_order(
    gnomon: Gnomon, deployment: Deployment, seed: int
) -> None:
    assert gnomon("pools", "set", "default_pool", "2").code == 0
    run_for_days(deployment, seed=seed)
    answer = replay(gnomon)
    assert answer["compared"] >= 30
    assert answer["same_starts"] == answer["compared"] and answer["same_order"] == answer["compared"] - 1
    assert all(run["state"] == run["replayed_state"] for run in answer["runs"])


def test_a_smaller_pool_of_now_makes_runs_later(gnomon: Gnomon, deployment: Deployment) -> None:
    run_for_days(deployment)
    assert gnomon("pools", "set", "default_pool", "1").code == 0
    answer = replay(gnomon)
    assert answer["same_starts"] <= answer["compared"]
    assert sum(run["end_shift_s"] or 0 for run in answer["runs"]) > 600


def test_what_cannot_be_replayed_is_named(gnomon: Gnomon, deployment: Deployment) -> None:
    run_for_days(deployment, 0.5)
    assert gnomon("dags", "trigger", "extract").code == 0
    deployment.move(0.65 * DAY_S)
    deployment.add(spec_of("extract", {"copy": (), "new": ("copy",)}, timetable=HOURLY), spec_of("gone"), version="2")
    notes = " ".join(replay(gnomon)["notes"])
    assert "1 run of the type manual is not replayed" in notes
    assert "runs of DAGs that were deleted meanwhile are not replayed" in notes
    assert "1 DAG has changed since, and is replayed as it is now (extract)" in notes
    assert "1 task has tries in the replay that it did not have" in notes and "(extract.new)" in notes


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--replay", "2020-01-01"], "no run is recorded that was due from 2020-01-01"),
        (["--replay", "2150-01-01"], "--replay '2150-01-01' ends at 2150-01-02"),
        (["--replay", "someday"], "--replay 'someday' is not yesterday or a date such as 2026-03-01"),
        (["--replay", "9999-12-31"], "--replay '9999-12-31' is not"),
        (["--replay", "yesterday", "--dags", "x"], "as they are; leave --dags x out"),
        (["--replay", "yesterday", "--find", "workers"], "as they are; leave --find out"),
        (["--replay", "yesterday", "a.toml"], "as they are; leave a.toml out"),
    ],
)
def test_a_day_that_is_not_there_is_refused(gnomon: Gnomon, home: Home, options: list[str], message: str) -> None:
    code, out, err = gnomon("simulate", *options)
    assert (code, out) == (1, "")
    assert message in err and "Traceback" not in err
