"""Days of DAGs that wait for each other: every run starts when what it waits for is done, none before, none never."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gnomon.entry.simulate import FaultPlan

from .waiting import simulate_waiting

SOAK_SEED = int(os.environ.get("GNOMON_SOAK_SEED", "3000"))
FAULTS = FaultPlan(unavailable=0.02, uncertain_lost=0.02, uncertain_done=0.02, crash_before=0.02, crash_after=0.02)


@pytest.mark.parametrize("seed", range(1, 4))
def test_every_run_starts_when_its_upstreams_are_done(tmp_path: Path, seed: int) -> None:
    waited = simulate_waiting(tmp_path, seed, dag_count=25, days=3)
    assert not waited.found, f"seed {seed}"
    assert waited.waits > 50, f"seed {seed}"


@pytest.mark.parametrize("seed", range(10, 13))
def test_none_starts_early_and_none_waits_for_ever_under_faults(tmp_path: Path, seed: int) -> None:
    waited = simulate_waiting(tmp_path, seed, dag_count=15, days=2, faults=FAULTS)
    assert not waited.found, f"seed {seed}"
    assert waited.faults, f"seed {seed}"


@pytest.mark.soak
@pytest.mark.parametrize(("dag_count", "faults"), [(1000, None), (150, FAULTS)], ids=["quiet", "faults"])
def test_hundreds_of_dags_in_chains_and_fans_for_a_week(
    tmp_path: Path, dag_count: int, faults: FaultPlan | None
) -> None:
    waited = simulate_waiting(tmp_path, SOAK_SEED, dag_count=dag_count, days=7, faults=faults)
    print(f"seed {SOAK_SEED}: {waited.runs} runs, {waited.waits} waits, faults {waited.faults}")
    assert not waited.found, f"seed {SOAK_SEED}"
