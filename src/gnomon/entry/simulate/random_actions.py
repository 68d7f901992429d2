"""Random actions of users: pauses, manual runs, clears, resized pools, new versions of DAGs, clocks that are set."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from gnomon.entry.simulate.deployment import Deployment
from gnomon.model.spec import DagSpec
from gnomon.storage.store.admin import pools
from gnomon.storage.store.coordination import mailbox
from gnomon.storage.store.dag_records import dag_runs, dags
from gnomon.storage.store.ownership import group_state


@dataclass(slots=True)
class RandomActions:
    """Acts by a seed, and records for the auditor which runs were cleared, which requests were made, and how many versions."""

    rng: random.Random
    specs: dict[str, DagSpec]
    """DAG id to its newest version."""
    edit: Callable[[DagSpec, random.Random], DagSpec]
    """Returns another version of a DAG."""
    chance: float = 0.03
    """The probability of an action at each instant at which something happens."""
    action_counts: Counter[str] = field(default_factory=Counter)
    cleared: Counter[int] = field(default_factory=Counter)
    """run_pk to the number of clears, each of which gives its tasks all tries again."""
    versions: Counter[str] = field(default_factory=Counter)
    request_pks: list[int] = field(default_factory=list)
    deletes_and_marks: bool = False
    """Also marks and deletes runs, which an auditor cannot follow."""

    def act_randomly(self, it: Deployment) -> None:
        """Do a random action with the probability `chance`."""
        if self.rng.random() < self.chance:
            act = self.rng.choice((*_ACTIONS, *_MARKS_AND_DELETIONS) if self.deletes_and_marks else _ACTIONS)
            self.action_counts[act.__name__] += 1
            act(self, it, self.rng.choice(sorted(self.specs)))

    def stop_acting(self, it: Deployment) -> None:
        """Stop acting: unpause all DAGs and give the pool slots, so that every run can end."""
        self.chance = 0.0
        with it.db.write() as tx:
            pools.set_pool(tx, POOL, 2)
            for dag_id in self.specs:
                dags.set_paused(tx, dag_id, False, "people", it.clock.now())


POOL = "narrow"
"""The pool that is resized at random; tasks of a simulation may use it."""


def _pause(_: RandomActions, it: Deployment, dag_id: str) -> None:
    with it.db.write() as tx:
        dags.set_paused(tx, dag_id, True, "people", it.clock.now())


def _unpause(_: RandomActions, it: Deployment, dag_id: str) -> None:
    with it.db.write() as tx:
        dags.set_paused(tx, dag_id, False, "people", it.clock.now())


def _trigger(people: RandomActions, it: Deployment, dag_id: str) -> None:
    with it.db.write() as tx:
        dag_runs.create_manual_run(
            tx,
            dag_id=dag_id,
            run_id=f"by_hand_{it.new_id()}",
            logical_at=None,
            run_after=it.clock.now() + people.rng.choice((0, 0, 20_000_000)),
            interval=None,
            conf={},
            by="people",
            at=it.clock.now(),
        )


def _clear(people: RandomActions, it: Deployment, dag_id: str) -> None:
    with it.db.write() as tx:
        runs = dag_runs.list_runs(tx, dag_id)
        if not runs:
            return
        run = people.rng.choice(runs)
        dag = dags.find_dag_row(tx, dag_id)
        assert dag is not None
        people.cleared[run.run_pk] += 1
        body = {"dag_pk": run.dag_pk, "run_pk": run.run_pk, "tasks": None, "only_failed": False, "by": "people"}
        people.request_pks.append(
            mailbox.submit_request(tx, by="people", kind="clear", body=body, groups=[dag.group_no], at=it.clock.now())
        )


def _mark_run(people: RandomActions, it: Deployment, dag_id: str) -> None:
    _ask(people, it, dag_id, [("mark", {"tasks": None, "state": people.rng.choice(("success", "failed"))})])


def _mark_tasks(people: RandomActions, it: Deployment, dag_id: str) -> None:
    numbers = [number for number in range(len(people.specs[dag_id].tasks)) if people.rng.random() < 0.4]
    _ask(
        people,
        it,
        dag_id,
        [
            (
                "mark",
                {
                    "tasks": [[number, -1] for number in numbers],
                    "state": people.rng.choice(("success", "failed", "skipped")),
                },
            )
        ],
    )


def _delete_run(people: RandomActions, it: Deployment, dag_id: str) -> None:
    _ask(people, it, dag_id, [("delete", {})])


def _change_and_delete_run(people: RandomActions, it: Deployment, dag_id: str) -> None:
    """In one transaction, so that one step may apply both."""
    acts: tuple[tuple[str, dict[str, object]], ...] = (
        ("mark", {"tasks": None, "state": "success"}),
        ("clear", {"tasks": None, "only_failed": False}),
    )
    _ask(people, it, dag_id, [people.rng.choice(acts), ("delete", {})])


def _ask(people: RandomActions, it: Deployment, dag_id: str, requests: Sequence[tuple[str, dict[str, object]]]) -> None:
    """Requests about a random run of the DAG, in one transaction."""
    with it.db.write() as tx:
        runs = dag_runs.list_runs(tx, dag_id)
        dag = dags.find_dag_row(tx, dag_id)
        if not runs or dag is None:
            return
        run = people.rng.choice(runs)
        for kind, body in requests:
            whole = {"dag_pk": run.dag_pk, "run_pk": run.run_pk, "by": "people", **body}
            people.request_pks.append(
                mailbox.submit_request(tx, by="people", kind=kind, body=whole, groups=[dag.group_no], at=it.clock.now())
            )


def _edit(people: RandomActions, it: Deployment, dag_id: str) -> None:
    people.versions[dag_id] += 1
    people.specs[dag_id] = people.edit(people.specs[dag_id], people.rng)
    it.add_dags([people.specs[dag_id]], version=1 + people.versions[dag_id])


def _resize(people: RandomActions, it: Deployment, _: str) -> None:
    with it.db.write() as tx:
        pools.set_pool(tx, POOL, people.rng.choice((0, 1, 2, 4)))


def _set_clock(people: RandomActions, it: Deployment, _: str) -> None:
    it.step_clock(people.rng.choice((-90.0, -5.0, 5.0, 90.0)))


_MARKS_AND_DELETIONS = (_mark_run, _mark_tasks, _delete_run, _change_and_delete_run)
_ACTIONS = (_pause, _unpause, _unpause, _trigger, _clear, _edit, _resize, _set_clock)


def list_pools_in_use(it: Deployment) -> list[str]:
    """A sentence for each pool with used slots; a violation once no attempt is live."""
    with it.db.read() as tx:
        return [f"pool {pool.name} counts {pool.used} used slots" for pool in group_state.load_pools(tx) if pool.used]


def list_unanswered(people: RandomActions, it: Deployment) -> list[str]:
    """A sentence for each request without an answer."""
    with it.db.read() as tx:
        return [
            f"request {pk} was never answered"
            for pk in people.request_pks
            if mailbox.read_answer(tx, pk)[0] == "pending"
        ]
