"""Shared by the tests of poisoned events: a simulated deployment on either database, whose workers and mail say anything."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
from tests.databases import new_database
from tests.keys import CIPHER

from gnomon.entry.simulate import Deployment
from gnomon.ground.clock import VirtualClock
from gnomon.model.attempts import Attempt, AttemptResult
from gnomon.model.ids import group_of
from gnomon.model.instants import SECOND, Instant
from gnomon.model.quarantine import QuarantinedItem
from gnomon.model.records import NewMail, RunRecord, TaskRecord
from gnomon.model.run_callbacks import CallbackRecord
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.rules.timetables.registry import reference
from gnomon.services.scheduler.service import SchedulerService
from gnomon.storage.store import Database, open_database
from gnomon.storage.store.coordination import mailbox, quarantine
from gnomon.storage.store.dag_records import dag_runs, run_callbacks
from gnomon.storage.store.ownership import group_state
from gnomon.testing import Play
from gnomon.timetables import NullTimetable

START = 1_767_225_600 * SECOND
BIG = 2**70
NEIGHBOUR = "neighbour"


def find_neighbour(dag_id: str, number: int = 0) -> str:
    """The id of another DAG of the same group."""
    names = (
        f"{NEIGHBOUR}{candidate}"
        for candidate in range(100_000)
        if group_of(f"{NEIGHBOUR}{candidate}") == group_of(dag_id)
    )
    return [next(names) for _ in range(number + 1)][-1]


class World:
    """A deployment, and what has been stored."""

    def __init__(self, url: str) -> None:
        self.clocks: list[VirtualClock] = []
        self.plays: dict[str, Play] = {}
        self.db: Database = open_database(
            url, synchronous="OFF", lease_clock=lambda: self.clocks[0].now() if self.clocks else START, cipher=CIPHER
        )
        self.deployment = Deployment(self.db, seed=1, start=START, script=self._script)
        self.clocks.append(self.deployment.clock)

    def _script(self, attempt: Attempt, _: random.Random) -> Play:
        return self.plays.get(attempt.run.dag_id, Play(run_s=1))

    def add(self, *dag_ids: str, **options: object) -> None:
        """DAGs of one task `t`; the options are those of its spec."""
        self.deployment.add_dags(
            DagSpec(
                dag_id=dag_id,
                timetable=reference(NullTimetable()),
                tasks=(TaskSpec(task_id="t", **options),),
                paused_upon_creation=False,
            )  # type: ignore[arg-type]
            for dag_id in dag_ids
        )

    def trigger(self, dag_id: str, run_id: str = "r") -> None:
        with self.db.write() as tx:
            dag_runs.create_manual_run(
                tx,
                dag_id=dag_id,
                run_id=run_id,
                logical_at=None,
                run_after=self.now(),
                interval=None,
                conf={},
                by="test",
                at=self.now(),
            )

    def now(self) -> Instant:
        return self.deployment.clock.now()

    def wait(self, seconds: float) -> None:
        self.deployment.run_until(self.now() + int(seconds * SECOND))

    def tick(self) -> None:
        """One round of the scheduler, late enough to look for mail."""
        self.deployment.clock.advance_to(self.now() + 11 * SECOND // 10)
        self.deployment._tick(0)

    @property
    def scheduler(self) -> SchedulerService:
        scheduler = self.deployment._schedulers[0]
        assert scheduler is not None
        return scheduler

    # ---- mail --------------------------------------------------------------------------------------------------------
    def send(self, dag_id: str, kind: str, body: object, key: str | None = None) -> None:
        text = body if isinstance(body, str) else json.dumps(body)
        with self.db.write() as tx:
            mailbox.send_messages(tx, [NewMail(group_of(dag_id), kind, text, key=key, at=self.now())])

    def send_result(self, dag_id: str, run_id: str = "r", **fields: object) -> str:
        """A result of the live attempt, which came through an api-server; returns the attempt."""
        task = self.task(dag_id, run_id)
        assert task.attempt is not None
        self.send_result_of(task.attempt, dag_id, task.run_pk, task.task_no, task.map_index, **fields)
        return task.attempt

    def send_result_of(
        self, attempt: str, dag_id: str, run_pk: int, task_no: int = 0, map_index: int = -1, **fields: object
    ) -> None:
        """A result of any attempt."""
        result = AttemptResult(
            attempt_id=attempt,
            group_no=group_of(dag_id),
            run_pk=run_pk,
            task_no=task_no,
            map_index=map_index,
            **{"outcome": "success", "entered": True, **fields},  # type: ignore[arg-type]
        )
        text = json.dumps(to_plain(result))
        self.send(dag_id, "result", {"worker_id": "remote", "sealed": CIPHER.encrypt(text)}, key=f"res:{attempt}")

    def callbacks(self) -> list[CallbackRecord]:
        """The unfinished callbacks."""
        with self.db.read() as tx:
            return [run_callbacks.decode_callback(row) for row in run_callbacks.list_rows_of_groups(tx, range(64))]

    def request(self, dag_id: str, kind: str, **body: object) -> int:
        with self.db.write() as tx:
            return mailbox.submit_request(tx, by="ann", kind=kind, body=body, groups=[group_of(dag_id)], at=self.now())

    def answer(self, request_pk: int) -> tuple[str, str | None]:
        with self.db.read() as tx:
            return mailbox.read_answer(tx, request_pk)

    def mail(self) -> list[str]:
        with self.db.read() as tx:
            return [message.kind for message in mailbox.read_messages(tx, range(64), 2000)]

    # ---- what is stored ----------------------------------------------------------------------------------------------
    def run(self, dag_id: str, run_id: str = "r") -> RunRecord:
        with self.db.read() as tx:
            run = dag_runs.find_stored_run(tx, dag_id, run_id)
            loaded = None if run is None else group_state.load_run(tx, run.run_pk)
        assert loaded is not None
        return loaded[0]

    def task(self, dag_id: str, run_id: str = "r") -> TaskRecord:
        with self.db.read() as tx:
            (task,) = group_state.load_tasks(tx, [self.run(dag_id, run_id).run_pk])
        return task

    def states(self, *dag_ids: str) -> list[str]:
        return [str(self.run(dag_id).state) for dag_id in dag_ids]

    def quarantined(self) -> list[QuarantinedItem]:
        with self.db.read() as tx:
            return quarantine.list_items(tx, 1000)


def to_plain(value: object) -> object:
    """As `msgspec.to_builtins`, for numbers of any size."""
    if isinstance(value, msgspec.Struct):
        return {name: to_plain(getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, tuple | list):
        return [to_plain(one) for one in value]
    return {key: to_plain(one) for key, one in value.items()} if isinstance(value, dict) else value


@contextmanager
def open_world(kind: str, folder: Path) -> Iterator[World]:
    with new_database(kind, folder) as url:
        world = World(url)
        yield world
        world.db.close()


Poison = Callable[[World, Sequence[str]], None]
