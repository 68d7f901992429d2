"""Tasks that wait for triggers, under faults of schedulers, triggerers and workers, and of people: each event counts once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gnomon.entry.simulate import FaultPlan

from .triggering import simulate_triggers

SOAK_SEED = int(os.environ.get("GNOMON_SOAK_SEED", "5000"))
FAULTS = FaultPlan(unavailable=0.02, uncertain_lost=0.02, uncertain_done=0.02, crash_before=0.02, crash_after=0.02)


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes together goes in several transactions, and other things happen between them."""
    monkeypatch.setattr("gnomon.services.triggerer.coordinator.SEND_BATCH", 1)
    monkeypatch.setattr("gnomon.services.triggerer.coordinator.CLAIM_BATCH", 3)


@pytest.mark.parametrize("seed", range(2))
def test_every_wait_ends_once_when_nothing_breaks(tmp_path: Path, seed: int) -> None:
    found, it = simulate_triggers(tmp_path, seed, FaultPlan())
    assert not found, f"seed {seed}"
    assert it.diary.fired, f"seed {seed}"


@pytest.mark.parametrize("seed", range(10, 15))
def test_every_wait_ends_once_whatever_breaks_and_whatever_people_do(tmp_path: Path, seed: int) -> None:
    found, it = simulate_triggers(
        tmp_path,
        seed,
        FAULTS,
        schedulers=1 + seed % 2,
        worker_deaths=0.005,
        people=0.03,
        freezes=0.005,
    )
    assert not found, f"seed {seed}"
    assert it.faulty.injected and it.diary.killed, f"seed {seed}"


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(SOAK_SEED, SOAK_SEED + 60))
def test_many_seeds(tmp_path: Path, seed: int) -> None:
    found, _ = simulate_triggers(
        tmp_path,
        seed,
        FAULTS,
        schedulers=1 + seed % 2,
        worker_deaths=0.005,
        people=0.03 * (seed % 4 > 0),
        freezes=0.005,
    )
    assert not found, f"seed {seed}"
