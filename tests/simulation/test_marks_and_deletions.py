"""Users mark, clear and delete runs at random, also several of these in one step: the numbers of runs agree with the rows after every step."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.databases import create_schema
from tests.keys import CIPHER
from tests.simulation.world import MINUTE, START, another_version, lease_time, random_dag, random_play, unfinished

from gnomon.entry.simulate import (
    POOL,
    Deployment,
    FaultPlan,
    RandomActions,
    list_lost_slots,
    list_pools_in_use,
    list_unanswered,
)
from gnomon.rules.engine.state.engine_state import EngineLimits
from gnomon.storage.store import open_database
from gnomon.storage.store.admin import pools


@pytest.mark.parametrize("seed", range(12))
def test_numbers_of_runs_pools_and_answers_are_right_after_marks_and_deletions(seed: int, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'sim.db'}"
    create_schema(url)
    rng = random.Random(seed)
    specs = {spec.dag_id: spec for spec in (random_dag(rng, number, 5) for number in range(3))}
    holder: list[Deployment] = []
    db = open_database(url, role="simulation", synchronous="OFF", lease_clock=lambda: lease_time(holder), cipher=CIPHER)
    with db.write() as tx:
        pools.set_pool(tx, POOL, 2)
    faults = FaultPlan() if seed % 2 else FaultPlan(crash_before=0.01, crash_after=0.01)
    deployment = Deployment(
        db,
        seed=seed,
        start=START,
        script=random_play,
        limits=EngineLimits(parallelism=8, max_admissions_per_step=4),
        faults=faults,
    )
    holder.append(deployment)
    deployment.add_dags(specs.values())
    people = RandomActions(random.Random(seed + 2), specs, another_version, chance=0.2, deletes_and_marks=True)
    deployment.run_until(START + 8 * MINUTE, people.act_randomly)
    deployment.faulty.plan = FaultPlan()
    people.stop_acting(deployment)
    end = deployment.clock.now() + 120 * MINUTE
    while unfinished(db) and deployment.clock.now() < end:
        deployment.run_until(deployment.clock.now() + MINUTE)
    assert not unfinished(db), f"seed {seed}: runs do not end"
    assert list_pools_in_use(deployment) + list_unanswered(people, deployment) + list_lost_slots(db, START) == [], (
        f"seed {seed}"
    )
    assert people.action_counts["_change_and_delete_run"] and people.action_counts["_mark_tasks"]
    db.close()
