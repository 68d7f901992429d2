"""People and files at random moments: pauses, manual runs, clears, pools that change, new versions, clocks that are set."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from gnomon.model.spec import DagSpec
from gnomon.simulate.deployment import Deployment
from gnomon.store import dags, load, pools, requests, runs


@dataclass(slots=True)
class People:
    """What they did is kept for the auditor: how often a run was cleared, which requests were made, how many versions."""

    rng: random.Random
    specs: dict[str, DagSpec]
    """By DAG id: the newest version."""
    edit: Callable[[DagSpec, random.Random], DagSpec]
    """Another version of a DAG."""
    chance: float = 0.03
    """Of an act, at each moment at which something happens."""
    acts: Counter[str] = field(default_factory=Counter)
    cleared: Counter[int] = field(default_factory=Counter)
    """Run key to how often its tasks were granted new tries."""
    versions: Counter[str] = field(default_factory=Counter)
    asked: list[int] = field(default_factory=list)

    def act(self, it: Deployment) -> None:
        """Perhaps somebody does something."""
        if self.rng.random() < self.chance:
            act = self.rng.choice(_ACTS)
            self.acts[act.__name__] += 1
            act(self, it, self.rng.choice(sorted(self.specs)))

    def go_home(self, it: Deployment) -> None:
        """Nothing is paused, every pool has slots, and nobody acts any more."""
        self.chance = 0.0
        with it.db.write() as tx:
            pools.set_pool(tx, POOL, 2)
            for dag_id in self.specs:
                dags.set_paused(tx, dag_id, False, "people", it.clock.now())


POOL = "narrow"
"""The pool that people resize; tasks of a simulation may use it."""


def _pause(_: People, it: Deployment, dag_id: str) -> None:
    with it.db.write() as tx:
        dags.set_paused(tx, dag_id, True, "people", it.clock.now())


def _unpause(_: People, it: Deployment, dag_id: str) -> None:
    with it.db.write() as tx:
        dags.set_paused(tx, dag_id, False, "people", it.clock.now())


def _trigger(people: People, it: Deployment, dag_id: str) -> None:
    with it.db.write() as tx:
        runs.create_manual(
            tx, dag_id=dag_id, run_id=f"by_hand_{it.new_id()}", logical_at=None,
            run_after=it.clock.now() + people.rng.choice((0, 0, 20_000_000)), interval=None, conf={}, by="people",
            at=it.clock.now(),
        )


def _clear(people: People, it: Deployment, dag_id: str) -> None:
    with it.db.write() as tx:
        found = runs.list_runs(tx, dag_id)
        if not found:
            return
        run = people.rng.choice(found)
        dag = dags.find(tx, dag_id)
        assert dag is not None
        people.cleared[run.run_pk] += 1
        body = {"dag_pk": run.dag_pk, "run_pk": run.run_pk, "tasks": None, "only_failed": False, "by": "people"}
        people.asked.append(requests.ask(tx, by="people", kind="clear", body=body, groups=[dag.group_no], at=it.clock.now()))


def _edit(people: People, it: Deployment, dag_id: str) -> None:
    people.versions[dag_id] += 1
    people.specs[dag_id] = people.edit(people.specs[dag_id], people.rng)
    it.add_dags([people.specs[dag_id]], version=1 + people.versions[dag_id])


def _resize(people: People, it: Deployment, _: str) -> None:
    with it.db.write() as tx:
        pools.set_pool(tx, POOL, people.rng.choice((0, 1, 2, 4)))


def _set_clock(people: People, it: Deployment, _: str) -> None:
    it.step_clock(people.rng.choice((-90.0, -5.0, 5.0, 90.0)))


_ACTS = (_pause, _unpause, _unpause, _trigger, _clear, _edit, _resize, _set_clock)


def pools_in_use(it: Deployment) -> list[str]:
    """Pools that count slots as used; wrong once nothing is live."""
    with it.db.read() as tx:
        return [f"pool {pool.name} counts {pool.used} used slots" for pool in load.load_pools(tx) if pool.used]


def unanswered(people: People, it: Deployment) -> list[str]:
    """Requests that nobody answered."""
    with it.db.read() as tx:
        return [f"request {pk} was never answered" for pk in people.asked if requests.answer(tx, pk)[0] == "pending"]
