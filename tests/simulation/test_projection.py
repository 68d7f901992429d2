"""The projector and the full scheduler make the same runs of the same deployment."""

from __future__ import annotations

import os
import random
import time
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import pytest

from .projected_deployments import (
    ComparedRun,
    build_deployment,
    go_on_in_memory,
    run_in_memory,
    run_in_store,
    run_with_snapshot,
)

SEEDS = range(12)
SOAK_SEED = int(os.environ.get("GNOMON_SOAK_SEED", "9000"))
SOAK_DEPLOYMENTS = int(os.environ.get("GNOMON_SOAK_DEPLOYMENTS", "2000"))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_projection_is_what_the_scheduler_does(tmp_path: Path, seed: int) -> None:
    assert list_differences(tmp_path, seed) == []


@pytest.mark.parametrize("seed", [*SEEDS, 21009])  # 21009: the run before the snapshot counts among the failed ones
def test_a_projection_of_a_stored_state_is_what_the_scheduler_does_next(tmp_path: Path, seed: int) -> None:
    assert list_differences_from_snapshot(tmp_path, seed) == []


@pytest.mark.soak
def test_two_thousand_deployments(tmp_path: Path) -> None:
    began, run_count, task_count = time.monotonic(), 0, 0
    for seed in range(SOAK_SEED, SOAK_SEED + SOAK_DEPLOYMENTS):
        deployment = build_deployment(seed)
        expected = run_in_store(tmp_path, deployment)
        differences = compare_runs(expected, run_in_memory(deployment))
        assert not differences, (seed, differences[:10])
        (tmp_path / f"projection-{seed}.db").unlink()
        run_count += len(expected)
        task_count += sum(len(run.tasks) for run in expected)
    print(
        f"{SOAK_DEPLOYMENTS} deployments from seed {SOAK_SEED}: {run_count} runs, {task_count} task instances, "
        f"{time.monotonic() - began:.0f} s"
    )


def list_differences(folder: Path, seed: int) -> list[str]:
    deployment = build_deployment(seed)
    return compare_runs(run_in_store(folder, deployment), run_in_memory(deployment))


def list_differences_from_snapshot(folder: Path, seed: int) -> list[str]:
    deployment = replace(build_deployment(seed), has_hidden_starts=False)
    at = deployment.start + random.Random(seed).randrange(deployment.end - deployment.start)
    runs, snapshot = run_with_snapshot(folder, deployment, at)
    return compare_runs(
        [run for run in runs if run.ended_at is None or run.ended_at >= snapshot.at],
        [run for run in go_on_in_memory(deployment, snapshot) if run.ended_at is None or run.ended_at >= snapshot.at],
    )


def compare_runs(expected: list[ComparedRun], projected: list[ComparedRun]) -> list[str]:
    """One line for each run that is in one world only, or has other values."""
    differences = []
    if not any(run.tasks for run in expected) and any(run.tasks for run in projected):
        differences.append("the scheduler has run nothing")
    by_key: dict[tuple[object, ...], list[ComparedRun]] = defaultdict(list)
    for run in projected:
        by_key[_key_of(run)].append(run)  # events of one instant may make two runs of a DAG
    for run in expected:
        others = by_key[_key_of(run)]
        other = next((each for each in others if each == run), others[0] if others else None)
        if other is None:
            differences.append(f"not projected: {run}")
            continue
        others.remove(other)
        if other != run:
            tasks = [(mine, yours) for mine, yours in zip(run.tasks, other.tasks, strict=False) if mine != yours]
            differences.append(
                f"{run.dag_id} {run.run_after}: {run.state} {run.started_at} {run.ended_at}, projected {other.state} "
                f"{other.started_at} {other.ended_at}; {len(run.tasks)} {len(other.tasks)} {tasks[:4]}"
            )
    return differences + [f"only projected: {run}" for others in by_key.values() for run in others]


def _key_of(run: ComparedRun) -> tuple[object, ...]:
    return run.dag_id, run.run_after, run.run_type, run.queued_at
