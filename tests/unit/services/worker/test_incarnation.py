"""Worker incarnations: registration, heartbeats, loss, retirement (SUBMIT in docs/contributing/ownership.md)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from gnomon.author_code.runner.attempt_results import result_without_run
from gnomon.ground.clock import VirtualClock
from gnomon.model.attempts import Attempt, AttemptResult, RunFacts, XComElement
from gnomon.model.records import WorkerRecord
from gnomon.services.worker.attempt_registry import AttemptRegistry
from gnomon.services.worker.incarnation import MAIL_AFTER_S, WorkerIncarnation
from gnomon.services.worker.settings import WorkerSettings
from gnomon.services.worker.worker_store import WorkerStoreUnavailable


class FakeStore:
    """A store that can be away, and that can declare the worker lost."""

    def __init__(self) -> None:
        self.unavailable = False
        self.registered: list[str] = []
        self.beats = 0
        self.lost = False
        self.mailed: list[str] = []
        self.retired: list[str] = []

    def _ask(self) -> None:
        if self.unavailable:
            raise WorkerStoreUnavailable("it does not answer")

    def register(self, record: WorkerRecord) -> None:
        self._ask()
        self.registered.append(record.worker_id)

    def beat(self, worker_id: str) -> bool:
        self._ask()
        self.beats += 1
        return not self.lost

    def retire(self, worker_id: str) -> None:
        self._ask()
        self.retired.append(worker_id)

    def mail_results(self, worker_id: str, results: Sequence[AttemptResult]) -> None:
        self._ask()
        self.mailed += [result.attempt_id for result in results]

    def find_silence_limit(self, ttl_s: float) -> float:
        return ttl_s / 2

    def find_run_limit(self, ttl_s: float) -> float:
        return ttl_s / 2

    def read_elements(self, attempt: Attempt) -> tuple[XComElement, ...]:
        return ()

    def answer_request(self, attempt: Attempt, question: Any) -> object:
        return None


class Life:
    def __init__(self, folder: Path) -> None:
        self.store = FakeStore()
        self.clock = VirtualClock(1_700_000_000_000_000)
        settings = WorkerSettings(run_folder=folder, logs_folder=folder, slots=1, environ={}, ttl_s=20.0)
        self.incarnation = WorkerIncarnation(settings, self.store, self.clock)

    def pass_time(self, seconds: int, *, connected: bool) -> bool:
        """False when the incarnation had to end meanwhile."""
        for _ in range(seconds):
            self.clock.advance(1)
            if not self.incarnation.heartbeat(connected=connected):
                return False
        return True


@pytest.fixture
def life(tmp_path: Path) -> Life:
    return Life(tmp_path)


def test_it_registers_once_and_beats_every_second(life: Life) -> None:
    life.incarnation.heartbeat(connected=False)
    assert life.pass_time(5, connected=False)
    assert (life.store.registered, life.store.beats) == ([life.incarnation.worker_id], 5)


def test_a_store_that_is_away_at_the_start_is_asked_again(life: Life) -> None:
    life.store.unavailable = True
    assert life.pass_time(60, connected=False)
    life.store.unavailable = False
    assert life.pass_time(1, connected=False)
    assert life.store.registered == [life.incarnation.worker_id]


def test_without_store_and_scheduler_it_ends_after_half_its_time_to_live(life: Life) -> None:
    life.incarnation.heartbeat(connected=False)
    life.store.unavailable = True
    assert life.pass_time(9, connected=False)
    assert not life.pass_time(2, connected=False)


def test_a_scheduler_keeps_it_alive_while_the_store_is_away(life: Life) -> None:
    life.incarnation.heartbeat(connected=True)
    life.store.unavailable = True
    assert life.pass_time(60, connected=True)


def test_attempts_may_run_for_the_limit_of_the_store_after_the_last_heartbeat_that_was_recorded(life: Life) -> None:
    """Also while a scheduler is connected: it does not know whether heartbeats are recorded."""
    life.incarnation.heartbeat(connected=True)
    life.pass_time(3, connected=True)
    recorded_at = life.clock.monotonic()
    assert life.incarnation.runs_until == recorded_at + 10.0
    life.store.unavailable = True
    life.pass_time(30, connected=True)
    assert life.incarnation.runs_until == recorded_at + 10.0
    life.store.unavailable = False
    life.pass_time(1, connected=True)
    assert life.incarnation.runs_until == life.clock.monotonic() + 10.0


def test_one_that_was_declared_lost_ends_and_another_begins(life: Life) -> None:
    life.incarnation.heartbeat(connected=True)
    before = (life.incarnation.worker_id, life.incarnation.address)
    life.store.lost = True
    assert not life.pass_time(1, connected=True)
    life.incarnation.renew()
    assert life.incarnation.worker_id != before[0] and life.incarnation.address != before[1]


def test_results_are_mailed_once_no_scheduler_came_for_them_and_forgotten_once_stored(life: Life) -> None:
    registry = _with_result("a")
    life.incarnation.heartbeat(connected=True)
    life.pass_time(int(MAIL_AFTER_S) - 1, connected=False)
    life.incarnation.mail_results(registry)
    assert (life.store.mailed, list(registry.results)) == ([], ["a"])
    life.pass_time(1, connected=False)
    life.store.unavailable = True
    life.incarnation.mail_results(registry)
    assert list(registry.results) == ["a"]
    life.store.unavailable = False
    life.incarnation.mail_results(registry)
    assert (life.store.mailed, registry.results) == (["a"], {})


def test_leaving_mails_what_is_left_and_retires(life: Life) -> None:
    life.incarnation.heartbeat(connected=True)
    life.incarnation.shut_down(_with_result("a"))
    assert (life.store.mailed, life.store.retired) == (["a"], [life.incarnation.worker_id])


def _with_result(attempt_id: str) -> AttemptRegistry:
    registry = AttemptRegistry()
    run = RunFacts(run_pk=1, dag_id="d", run_id="r", run_type="manual", run_after=0)
    registry.submit(
        [Attempt(attempt_id=attempt_id, group_no=1, epoch=1, run=run, task_id="t", task_no=1, file="/d.py")]
    )
    pending = registry.take_next_queued()
    assert pending is not None
    registry.end(pending, result_without_run(pending.attempt, "success", "", entered=True))
    return registry
