"""A scheduler with a worker whose results a test alters, and DAGs beside it whose tasks are honest; on either database."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.conformance.storeworld import raw
from tests.unit.entry.cli.deployment import NOW, Deployment, spec_of

from gnomon.entry.cli.deployment.home import Home
from gnomon.ground.clock import VirtualClock
from gnomon.ground.config import load_config
from gnomon.model.attempts import Attempt, AttemptResult
from gnomon.model.instants import Instant
from gnomon.model.states import TASK_STATES_BY_CODE
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records import dag_runs
from gnomon.testing import Play, ScriptedWorker

Alteration = Callable[[AttemptResult], AttemptResult]
MOVE_S = 2.0
"""Virtual seconds in which each attempt has ended: an attempt takes 0.1 s, and no group waits longer."""


class AlteringWorker(ScriptedWorker):
    """A worker that reports what `alter` makes of each result."""

    alter: Callable[[Attempt, AttemptResult], AttemptResult]

    def _result(self, live: Any, at: Instant) -> AttemptResult:
        return self.alter(live.attempt, super()._result(live, at))


class HostileWorld:
    """One deployment. `run` may be called several times."""

    def __init__(self, deployment: Deployment) -> None:
        self.deployment = deployment
        self._alterations: dict[str, Alteration] = {}
        self._count = 0
        worker = AlteringWorker("worker-1", deployment.clock, lambda _attempt: Play(run_s=0.1), slots=100_000)
        worker.alter = lambda attempt, result: self._alterations.get(attempt.run.dag_id, lambda same: same)(result)
        deployment._worker = worker
        deployment.start()

    @property
    def failed_rounds(self) -> int:
        """Rounds whose commit was refused, or in which the engine failed."""
        assert self.deployment._service is not None
        return self.deployment._service.refused_commits

    def run(
        self, alterations: Sequence[Alteration], honest: int = 64
    ) -> tuple[list[tuple[str | None, str | None]], list[str | None]]:
        """(state, reason) of the task of each alteration, and the states of the honest tasks, after MOVE_S. Each has a DAG of its own: they are in all groups."""
        self._count += 1
        altered = [f"a{self._count}-{number}" for number in range(len(alterations))]
        others = [f"b{self._count}-{number}" for number in range(honest)]
        self._alterations = dict(zip(altered, alterations, strict=True))
        self.start_runs([*altered, *others], file=f"/dags/{self._count}.py")
        self.deployment.move(MOVE_S)
        tasks = self.read_tasks()
        return [tasks.get(name, (None, None)) for name in altered], [
            tasks.get(name, (None, None))[0] for name in others
        ]

    def start_runs(self, dag_ids: Sequence[str], file: str) -> None:
        """A DAG with one task for each id, and a run of it."""
        self.deployment.add(*map(spec_of, dag_ids), file=file)
        with self.deployment.db.write() as tx:
            for dag_id in dag_ids:
                self.start_run(tx, dag_id, "r")

    def start_run(self, tx: Transaction, dag_id: str, run_id: str) -> None:
        now = self.deployment.clock.now()
        dag_runs.create_manual_run(
            tx, dag_id=dag_id, run_id=run_id, logical_at=None, run_after=now, interval=None, conf={}, by="test", at=now
        )

    def read_tasks(self) -> dict[str, tuple[str | None, str | None]]:
        """State and reason of each task instance, by the id of its DAG."""
        with self.deployment.db.read() as tx:
            rows: Any = raw(
                tx,
                "SELECT d.dag_id, t.state, t.reason FROM task_instance t JOIN dag_run r ON r.run_pk = t.run_pk JOIN dag d ON d.dag_pk = r.dag_pk",
            )
        return {
            dag_id: (str(TASK_STATES_BY_CODE[state]) if state in TASK_STATES_BY_CODE else None, reason)
            for dag_id, state, reason in rows
        }


@contextmanager
def hostile_world(url: str, folder: Path) -> Iterator[HostileWorld]:
    """One over the database at this address, which has a schema."""
    clock = VirtualClock(NOW)
    home = Home(
        load_config(
            {"GNOMON__DATABASE__SQL_ALCHEMY_CONN": url, "GNOMON__DATABASE__SYNCHRONOUS": "NORMAL"}, folder / "home"
        ),
        clock,
        clock.advance,
    )
    deployment = Deployment(home, clock)
    try:
        yield HostileWorld(deployment)
    finally:
        deployment.close()


def soak_until(environ_s: str | None) -> float:
    """The monotonic second at which a long fuzz ends: after `environ_s` seconds, an hour without it."""
    return time.monotonic() + float(environ_s or 3600)
