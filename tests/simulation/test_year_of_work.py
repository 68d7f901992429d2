"""A year of mapped tasks, assets, partitions and backfills: what the rules and the calendar say, and nothing else."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from gnomon.entry.simulate import FaultPlan

from .year_of_work import FAULTS, simulate_work

SOAK_SEED = int(os.environ.get("GNOMON_SOAK_SEED", "3000"))


def test_six_weeks_around_a_clock_change_are_as_the_calendar_says(tmp_path: Path) -> None:
    """Over the day of 23 hours, and past the end of a month."""
    found, year, count = simulate_work(tmp_path, 1, days=42, faults=FaultPlan())
    assert not found
    assert count > 1000 and year.filled


def test_six_weeks_with_faults_and_kills_lose_and_double_nothing(tmp_path: Path) -> None:
    found, year, _ = simulate_work(tmp_path, 2, days=42, faults=FAULTS, kills=3)
    assert not found
    assert year.filled and year.kills and year.it.faulty.injected


@pytest.mark.soak
@pytest.mark.parametrize(
    ("seed", "kills"), [(SOAK_SEED, 0), (SOAK_SEED + 1, 0), (SOAK_SEED + 2, 20), (SOAK_SEED + 3, 20)]
)
def test_a_year_is_as_the_calendar_says(tmp_path: Path, seed: int, kills: int) -> None:
    began = time.monotonic()
    found, year, count = simulate_work(
        tmp_path, seed, days=365, faults=FAULTS if kills else FaultPlan(), kills=kills, backfill_count=40
    )
    print(
        f"seed {seed}: {count} runs, {len(year.filled)} backfills, {year.kills} kills, {year.it.faulty.injected}, {time.monotonic() - began:.0f} s"
    )
    assert not found
