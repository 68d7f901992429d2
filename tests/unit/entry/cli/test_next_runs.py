"""`gnomon dags next-runs` and `gnomon dags unpause`: what comes is told before it happens."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from msgspec.structs import replace
from tests.unit.entry.cli.conftest import Gnomon
from tests.unit.entry.cli.deployment import HOURLY, Deployment, spec_of

from gnomon.model.assets import AssetKey
from gnomon.timetables import CronTriggerTimetable, reference

HALF_HOURLY = reference(CronTriggerTimetable("*/30 * * * *", timezone="UTC"))


def ahead(gnomon: Gnomon, *arguments: str) -> dict[str, list[dict[str, str]]]:
    code, out, err = gnomon("dags", "next-runs", "a", "-o", "json", *arguments)
    assert (code, err) == (0, "")
    found: dict[str, list[dict[str, str]]] = json.loads(out)
    return found


def twenty_past(deployment: Deployment) -> None:
    deployment.clock.advance(1200)


def started(deployment: Deployment, hours: float) -> int:
    return deployment.clock.now() - int(hours * 3600 * 1_000_000)


def test_next_runs_say_when_and_why(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a", timetable=HOURLY, start_at=started(deployment, 0)))
    rows = ahead(gnomon, "--count", "2")["next_runs"]
    assert [(row["run_after"][11:16], row["state"], row["why"]) for row in rows] == [
        ("09:00", "now", "due now"),
        ("10:00", "planned", "on time"),
    ]
    assert "on time" in gnomon("dags", "next-runs", "a").out


def test_a_paused_dag_tells_what_would_run_on_unpausing_and_why(gnomon: Gnomon, deployment: Deployment) -> None:
    twenty_past(deployment)
    deployment.add(spec_of("a", timetable=HOURLY, start_at=started(deployment, 5.5)), paused=True)
    told = ahead(gnomon)
    assert told["next_runs"][0]["state"] == "now"
    assert told["next_runs"][0]["why"] == "only the newest slot from before the DAG became active runs (catchup=False)"
    assert [(one["count"], one["reason"][:13]) for one in told["skipped"]] == [(5, "catchup=False")]
    assert "is paused" in " ".join(map(str, told["notes"]))


@pytest.mark.parametrize(("window", "made"), [(None, 6), (timedelta(hours=2), 2), (timedelta(0), 0)])
def test_catchup_window_bounds_what_is_made_up(
    gnomon: Gnomon, deployment: Deployment, window: timedelta | None, made: int
) -> None:
    twenty_past(deployment)
    spec = spec_of("a", timetable=HOURLY, start_at=started(deployment, 5.5), catchup=True)
    seconds = None if window is None else window.total_seconds()
    deployment.add(replace(spec, catchup_window_s=seconds), paused=True)
    rows = ahead(gnomon, "--count", "9")["next_runs"]
    assert sum(row["why"] == "made up (catchup=True)" for row in rows) == made


def test_unpausing_says_what_runs_at_once_and_a_dry_run_does_nothing(gnomon: Gnomon, deployment: Deployment) -> None:
    twenty_past(deployment)
    deployment.add(spec_of("a", timetable=HOURLY, start_at=started(deployment, 3.5)), paused=True)
    dry = gnomon("dags", "unpause", "--dry-run", "a").out
    assert (
        "runs at once: only the newest slot from before the DAG became active runs" in dry and "skipped: 3 slots" in dry
    )
    assert ahead(gnomon)["paused"] is True
    assert "runs at once" in gnomon("dags", "unpause", "a").out
    assert ahead(gnomon)["paused"] is False


def test_another_schedule_is_shown_with_what_it_drops_before_it_is_written(
    gnomon: Gnomon, deployment: Deployment
) -> None:
    deployment.add(spec_of("a", timetable=HALF_HOURLY, start_at=started(deployment, 0)))
    deployment.start()
    deployment.move(10)
    told = ahead(gnomon, "--schedule", "0 * * * *", "--count", "2")
    assert told["schedule"] == "0 * * * *"
    assert {at[14:16] for at in map(str, told["dropped"])} == {"30"}
    assert {row["run_after"][14:16] for row in told["next_runs"]} == {"00"}
    out = gnomon("dags", "next-runs", "a", "--schedule", "0 * * * *").out
    assert "dropped: the run of the previous schedule that was due at" in out


def test_a_dag_without_a_schedule_says_so(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a"))
    assert "runs are created manually only" in gnomon("dags", "next-runs", "a").out
    deployment.add(spec_of("b", asset_condition=AssetKey("orders", "orders")))
    assert "runs are created by asset events, and manually" in gnomon("dags", "next-runs", "b").out
