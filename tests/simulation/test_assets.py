"""DAGs that schedule one another by assets, under faults at every commit: each consumer consumes each event once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gnomon.entry.simulate import FaultPlan

from .asset_flows import simulate_assets

SOAK_SEED = int(os.environ.get("GNOMON_SOAK_SEED", "7000"))
FAULTS = FaultPlan(unavailable=0.02, uncertain_lost=0.02, uncertain_done=0.02, crash_before=0.02, crash_after=0.02)


def test_each_consumer_consumes_each_event_once_when_nothing_breaks(tmp_path: Path) -> None:
    outcome = simulate_assets(tmp_path, 1, FaultPlan())
    assert not outcome.found
    assert outcome.events > 30
    assert outcome.asset_runs > 30


@pytest.mark.parametrize("seed", range(10, 13))
def test_each_consumer_consumes_each_event_once_whatever_breaks_and_whatever_people_do(
    tmp_path: Path, seed: int
) -> None:
    outcome = simulate_assets(
        tmp_path, seed, FAULTS, schedulers=1 + seed % 2, people=0.05, worker_deaths=0.005, kills=0.005
    )
    assert not outcome.found, f"seed {seed}"
    assert outcome.faults, f"seed {seed}"
    assert outcome.asset_runs, f"seed {seed}"


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(SOAK_SEED, SOAK_SEED + 40))
def test_many_seeds(tmp_path: Path, seed: int) -> None:
    outcome = simulate_assets(
        tmp_path, seed, FAULTS, schedulers=1 + seed % 2, people=0.05, worker_deaths=0.005, kills=0.005, minutes=20
    )
    assert not outcome.found, f"seed {seed}"
