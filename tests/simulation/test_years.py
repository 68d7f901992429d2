"""Years of random timetables on a virtual clock, under crashes, pauses, edits and clock steps: every expected run once, no other."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from .years import Outcome, simulate_years

SEEDS = range(1, 5)
SOAK_SEED = int(os.environ.get("GNOMON_SOAK_SEED", "2000"))
SOAK_DAGS = 200
SOAK_DAYS = 2 * 365
SOAK_RUNS = 1_200_000
SOAK_BOUND_S = 1200
"""What it may take on two quiet cores; it says so when it took longer here."""


def told(outcome: Outcome, seed: int) -> str:
    years = outcome.years
    return (
        f"seed {seed}: {outcome.scheduled} runs in {years.it.rounds} rounds, acts {dict(sorted(years.action_counts.items()))}, "
        f"faults {dict(sorted(years.it.faulty.injected.items()))}, crashes {years.it.crashes}"
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_every_expected_run_exactly_once_and_no_other(tmp_path: Path, seed: int) -> None:
    outcome = simulate_years(tmp_path, seed, dag_count=12, days=30, acts_a_day=6, busy=0.0, most_runs=50_000)
    assert not outcome.found, told(outcome, seed)
    assert outcome.scheduled and outcome.years.it.faulty.injected, told(outcome, seed)


@pytest.mark.soak
def test_two_hundred_dags_over_years(tmp_path: Path) -> None:
    began = time.monotonic()
    outcome = simulate_years(
        tmp_path, SOAK_SEED, dag_count=SOAK_DAGS, days=SOAK_DAYS, acts_a_day=20, busy=0.05, most_runs=SOAK_RUNS
    )
    seconds = time.monotonic() - began
    late = f", more than {SOAK_BOUND_S}" if seconds > SOAK_BOUND_S else ""
    print(f"{told(outcome, SOAK_SEED)}; {seconds:.0f} s{late}, {outcome.scheduled / seconds:.0f} runs a second")
    assert not outcome.found, told(outcome, SOAK_SEED)
    assert outcome.scheduled <= SOAK_RUNS + SOAK_DAGS * 100
