"""`gnomon explain` of a slot that no run was made for."""

from __future__ import annotations

from tests.unit.entry.cli.conftest import Gnomon
from tests.unit.entry.cli.deployment import HOURLY, Deployment, spec_of


def test_a_passed_slot_is_answered_with_the_decision(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.clock.advance(1200)
    deployment.add(spec_of("a", timetable=HOURLY, start_at=deployment.clock.now() - 5 * 3_600_000_000))
    deployment.start()
    deployment.move(10)
    out = gnomon("explain", "a", "2026-03-01T06:00").out
    assert out.startswith("the slot has no run, as decided at 2026-03-01T09:20:00")
    assert "catchup=False: of the slots before the DAG became active, only the newest runs" in out
    assert gnomon("explain", "a", "scheduled__2026-03-01T06:00:00+00:00").out == out
    assert "skipped at" in gnomon("explain", "a").out


def test_other_slots_are_answered_too(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a", timetable=HOURLY, start_at=deployment.clock.now() - 5))
    deployment.start()
    deployment.move(10)
    told = {
        at: gnomon("explain", "a", at).out
        for at in ("2026-01-01", "2027-01-01", "2026-03-01T09:00:05", "2026-03-01T09:00")
    }
    assert "before the start_date" in told["2026-01-01"]
    assert "in the future" in told["2027-01-01"]
    assert "has no slot at that time" in told["2026-03-01T09:00:05"]
    assert "there is a run for logical date 2026-03-01T09:00:00Z" in told["2026-03-01T09:00"]


def test_a_moment_between_slots_that_were_planned_has_no_slot_also_during_a_pause(
    gnomon: Gnomon, deployment: Deployment
) -> None:
    deployment.add(spec_of("a", timetable=HOURLY, start_at=deployment.clock.now() - 5))
    deployment.start()
    deployment.move(10)
    deployment.clock.advance(3600)
    deployment.move(10)
    assert gnomon("dags", "pause", "a").code == 0
    deployment.clock.advance(7200)
    assert "has no slot at that time" in gnomon("explain", "a", "2026-03-01T09:30").out
    assert "is paused; see what unpausing does with this slot" in gnomon("explain", "a", "2026-03-01T11:00").out


def test_a_run_that_is_nobodys_and_no_instant_is_told_as_before(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a"))
    code, _, err = gnomon("explain", "a", "sometime")
    assert code == 1 and "there is no run 'sometime'" in err
