"""Whole deployments under a virtual clock: every due run exactly once, every attempt started at most once, whatever breaks."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gnomon.entry.simulate import FaultPlan

from .world import simulate

SEEDS = range(3)
SOAK_SEEDS = range(
    int(os.environ.get("GNOMON_SOAK_SEED", "1000")), int(os.environ.get("GNOMON_SOAK_SEED", "1000")) + 500
)
FAULTS = FaultPlan(unavailable=0.02, uncertain_lost=0.02, uncertain_done=0.02, crash_before=0.02, crash_after=0.02)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_due_run_exactly_once_when_nothing_breaks(tmp_path: Path, seed: int) -> None:
    found, _ = simulate(tmp_path, seed, FaultPlan())
    assert not found, f"seed {seed}"


@pytest.mark.parametrize("seed", SEEDS)
def test_every_due_run_exactly_once_under_faults(tmp_path: Path, seed: int) -> None:
    found, deployment = simulate(tmp_path, seed, FAULTS, worker_deaths=0.005)
    assert not found, f"seed {seed}"
    assert deployment.faulty.injected, "no fault was injected"


@pytest.mark.parametrize("seed", SEEDS)
def test_two_schedulers_share_the_work_under_faults(tmp_path: Path, seed: int) -> None:
    found, _ = simulate(tmp_path, seed, FAULTS, schedulers=2, worker_deaths=0.005)
    assert not found, f"seed {seed}"


@pytest.mark.parametrize("seed", range(100, 105))
def test_people_files_and_clocks_disturb_nothing(tmp_path: Path, seed: int) -> None:
    found, _ = simulate(tmp_path, seed, FAULTS, schedulers=1 + seed % 2, worker_deaths=0.005, people=True)
    assert not found, f"seed {seed}"


@pytest.mark.soak
@pytest.mark.parametrize("seed", SOAK_SEEDS)
def test_many_seeds(tmp_path: Path, seed: int) -> None:
    found, _ = simulate(tmp_path, seed, FAULTS, schedulers=1 + seed % 2, worker_deaths=0.005, people=seed % 4 > 0)
    assert not found, f"seed {seed}"
