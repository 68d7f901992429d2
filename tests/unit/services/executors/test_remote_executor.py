"""RemoteExecutor over a store and a publisher of the test: what the scheduler may expect of it, and what it does while either is away."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from gnomon.ground.clock import VirtualClock
from gnomon.model.attempts import Attempt, AttemptResult, RunFacts
from gnomon.model.errors import ResourceUnavailable
from gnomon.services.executors.interface import AttemptEnded, ExecutorEvent, InventoryReceived, WorkerConnected
from gnomon.services.executors.remote import UNSENT_S, RemoteExecutor

pytestmark = pytest.mark.pure

NAME = "CeleryExecutor"
TIMEOUT_S = 600.0


class FakeAttemptStore:
    """The rows of attempts, as `store/coordination/remote_attempts.py` keeps them."""

    def __init__(self, clock: VirtualClock) -> None:
        self.clock = clock
        self.is_away = False
        self.attempts: dict[str, Attempt] = {}
        self.offered_at: dict[str, float] = {}
        self.published_at: dict[str, float] = {}
        self.claimed_by: dict[str, str] = {}
        self.cancelled: dict[str, tuple[str, float]] = {}
        self.lost_workers: set[str] = set()
        self.writes = 0

    def _answer(self) -> None:
        if self.is_away:
            raise ResourceUnavailable("the database does not answer")

    def offer(self, attempts: Sequence[Attempt]) -> None:
        self._answer()
        self.writes += 1
        for attempt in attempts:
            self.attempts.setdefault(attempt.attempt_id, attempt)
            self.offered_at.setdefault(attempt.attempt_id, self.clock.monotonic())

    def mark_published(self, attempt_ids: Sequence[str]) -> None:
        self._answer()
        self.writes += 1
        self.published_at.update((attempt_id, self.clock.monotonic()) for attempt_id in attempt_ids)

    def list_unclaimed(self, older_than_s: float, unsent_s: float = 0.0) -> list[tuple[str, str, int]]:
        self._answer()
        now = self.clock.monotonic()
        return [
            (one.attempt_id, one.queue, one.group_no)
            for one in self.attempts.values()
            if one.attempt_id not in self.claimed_by
            and one.attempt_id not in self.cancelled
            and (
                self.offered_at[one.attempt_id] <= now - unsent_s
                if one.attempt_id not in self.published_at
                else self.published_at[one.attempt_id] < now - older_than_s
            )
        ]

    def cancel(self, attempt_id: str, reason: str, grace_s: float) -> None:
        self._answer()
        self.writes += 1
        self.cancelled[attempt_id] = (reason, grace_s)

    def list_held(self, groups: Sequence[int]) -> list[tuple[str, bool]]:
        self._answer()
        return [
            (one.attempt_id, one.attempt_id in self.claimed_by)
            for one in self.attempts.values()
            if one.group_no in groups
        ]

    def build_lost_results(self) -> list[AttemptResult]:
        self._answer()
        found = []
        for attempt_id, attempt in self.attempts.items():
            worker = self.claimed_by.get(attempt_id)
            if (worker is None and attempt_id in self.cancelled) or worker in self.lost_workers:
                outcome = "failed" if worker is None else "lost"
                found.append(
                    AttemptResult(
                        attempt_id=attempt_id, group_no=attempt.group_no, run_pk=1, task_no=0, outcome=outcome
                    )
                )
        return found

    def remove(self, attempt_ids: Sequence[str]) -> None:
        self._answer()
        self.writes += 1
        for attempt_id in attempt_ids:
            self.attempts.pop(attempt_id, None)


class FakePublisher:
    """Keeps messages; the broker accepts them when the test says so."""

    def __init__(self) -> None:
        self.messages: list[tuple[str, str]] = []
        self.accepted: list[str] = []
        self.is_closed = False

    def publish(self, attempt_id: str, queue: str) -> None:
        self.messages.append((attempt_id, queue))

    def take_published(self) -> list[str]:
        found, self.accepted = self.accepted, []
        return found

    def accept(self) -> None:
        self.accepted += [attempt_id for attempt_id, _queue in self.messages]

    def close(self) -> None:
        self.is_closed = True


class RemoteWorld:
    """An executor, its store and its broker."""

    def __init__(self) -> None:
        self.clock = VirtualClock(1_700_000_000_000_000)
        self.store = FakeAttemptStore(self.clock)
        self.publisher = FakePublisher()
        self.executor = self.start()
        assert self.executor.poll_events() == [WorkerConnected(NAME, 16)]

    def start(self) -> RemoteExecutor:
        """Another scheduler, with a publisher of its own."""
        self.publisher = FakePublisher()
        self.executor = RemoteExecutor(NAME, 16, self.store, self.publisher, self.clock, TIMEOUT_S)
        return self.executor

    def submit(self, *attempt_ids: str, group_no: int = 1) -> None:
        run = RunFacts(run_pk=1, dag_id="d", run_id="r", run_type="manual", run_after=0)
        self.executor.submit(
            NAME,
            [
                Attempt(
                    attempt_id=one, group_no=group_no, epoch=1, run=run, task_id="t", task_no=0, file="/d.py", queue="q"
                )
                for one in attempt_ids
            ],
        )

    def events(self) -> list[ExecutorEvent]:
        """What comes of a round of the scheduler."""
        self.executor.refresh([])
        return self.executor.poll_events()


@pytest.fixture
def world() -> RemoteWorld:
    return RemoteWorld()


def test_it_presents_itself_as_one_worker(world: RemoteWorld) -> None:
    assert world.executor.standing_workers == {NAME}
    assert (world.executor.read_filenos(), world.executor.write_filenos(), world.events()) == ([], [], [])


def test_a_submitted_attempt_is_stored_before_its_message_is_sent(world: RemoteWorld) -> None:
    world.submit("a", "b")
    assert (list(world.store.attempts), world.publisher.messages) == (["a", "b"], [("a", "q"), ("b", "q")])


def test_attempts_wait_for_the_store_and_have_no_message_before(world: RemoteWorld) -> None:
    world.store.is_away = True
    world.submit("a")
    world.submit("a", "b")
    assert world.events() == []
    assert world.publisher.messages == []
    world.store.is_away = False
    world.events()
    assert (list(world.store.attempts), world.publisher.messages) == (["a", "b"], [("a", "q"), ("b", "q")])


def test_an_unclaimed_attempt_gets_another_message_after_the_timeout(world: RemoteWorld) -> None:
    world.submit("a", "b")
    world.publisher.accept()
    world.events()
    world.store.claimed_by["b"] = "w"
    world.clock.advance(TIMEOUT_S)
    world.events()
    assert len(world.publisher.messages) == 2
    world.clock.advance(1.0)
    world.events()
    world.events()
    assert world.publisher.messages[2:] == [("a", "q")]
    world.publisher.accept()
    world.events()
    world.clock.advance(TIMEOUT_S + 1.0)
    world.events()
    assert world.publisher.messages[3:] == [("a", "q")]


def test_while_the_broker_is_away_no_message_is_queued_a_second_time_before_the_timeout(world: RemoteWorld) -> None:
    world.submit("a")
    for _ in range(10):
        world.clock.advance(TIMEOUT_S / 11)
        world.events()
    assert world.publisher.messages == [("a", "q")]


def test_messages_that_the_broker_accepted_are_recorded_once_the_store_is_back(world: RemoteWorld) -> None:
    world.submit("a")
    world.publisher.accept()
    world.store.is_away = True
    world.events()
    world.store.is_away = False
    world.clock.advance(5.0)
    world.events()
    assert world.store.published_at == {"a": world.clock.monotonic()}


def test_the_next_scheduler_sends_messages_about_attempts_that_have_none(world: RemoteWorld) -> None:
    world.submit("a", "b")
    world.executor.close()
    assert world.publisher.is_closed
    world.store.claimed_by["b"] = "w"
    world.start()
    world.events()
    assert world.publisher.messages == []  # the one that submitted it may be sending it
    world.clock.advance(UNSENT_S)
    world.events()
    world.events()
    assert world.publisher.messages == [("a", "q")]


def test_the_next_scheduler_waits_for_the_timeout_of_messages_that_were_sent(world: RemoteWorld) -> None:
    world.submit("a")
    world.publisher.accept()
    world.events()
    world.executor.close()
    world.start()
    world.events()
    assert world.publisher.messages == []
    world.clock.advance(TIMEOUT_S + 1.0)
    world.events()
    assert world.publisher.messages == [("a", "q")]


def test_an_attempt_that_is_cancelled_before_its_claim_ends_and_is_forgotten_when_acknowledged(
    world: RemoteWorld,
) -> None:
    world.submit("a")
    world.executor.cancel(NAME, "a", "marked failed by ann", 5.0)
    assert world.store.cancelled == {"a": ("marked failed by ann", 5.0)}
    [ended] = world.events()
    assert isinstance(ended, AttemptEnded)
    assert (ended.worker_id, ended.result.attempt_id, ended.result.outcome) == (NAME, "a", "failed")
    assert len(world.events()) == 1  # until it is acknowledged
    world.executor.acknowledge(NAME, ["a"])
    assert world.events() == []
    assert world.store.attempts == {}


def test_an_order_to_cancel_waits_for_the_store_and_follows_the_offer(world: RemoteWorld) -> None:
    world.store.is_away = True
    world.submit("a")
    world.executor.cancel(NAME, "a", "cleared", 5.0)
    world.executor.acknowledge(NAME, ["z"])
    world.events()
    world.store.is_away = False
    assert [type(event) for event in world.events()] == [AttemptEnded]
    assert world.store.cancelled == {"a": ("cleared", 5.0)}


def test_attempts_of_lost_workers_end(world: RemoteWorld) -> None:
    world.submit("a", "b")
    world.store.claimed_by.update(a="w1", b="w2")
    assert world.events() == []
    world.store.lost_workers.add("w1")
    [ended] = world.events()
    assert isinstance(ended, AttemptEnded)
    assert (ended.result.attempt_id, ended.result.outcome) == ("a", "lost")


def test_the_inventory_is_that_of_the_store(world: RemoteWorld) -> None:
    world.submit("a", "b")
    world.submit("c", group_no=2)
    world.store.claimed_by["b"] = "w"
    world.executor.request_inventory(NAME, [(1, 7), (3, 2)])
    assert world.executor.poll_events() == [InventoryReceived(NAME, (1, 3), (("a", False), ("b", True)), ())]


def test_the_inventory_has_what_was_submitted_while_the_store_was_away(world: RemoteWorld) -> None:
    world.store.is_away = True
    world.submit("a")
    world.store.is_away = False
    world.executor.request_inventory(NAME, [(1, 7)])
    assert world.executor.poll_events() == [InventoryReceived(NAME, (1,), (("a", False),), ())]


def test_the_inventory_has_what_was_submitted_after_the_request(world: RemoteWorld) -> None:
    """The attempt may begin before the next round. Its owner would take it for lost, because it has begun and is not in the inventory."""
    world.executor.request_inventory(NAME, [(1, 7)])
    world.submit("a")
    world.store.claimed_by["a"] = "w"
    assert world.executor.poll_events() == [InventoryReceived(NAME, (1,), (("a", True),), ())]
    assert world.executor.poll_events() == []


def test_without_the_store_the_inventory_is_read_later(world: RemoteWorld) -> None:
    world.store.is_away = True
    world.executor.request_inventory(NAME, [(1, 7)])
    assert world.executor.poll_events() == []
    world.store.is_away = False
    assert world.executor.poll_events() == [InventoryReceived(NAME, (1,), (), ())]


def test_a_round_without_news_writes_nothing(world: RemoteWorld) -> None:
    world.submit("a")
    world.publisher.accept()
    world.events()
    writes = world.store.writes
    world.events()
    assert world.store.writes == writes


def test_an_attempt_that_ends_before_the_broker_has_its_message_is_forgotten(world: RemoteWorld) -> None:
    world.submit("a", "b")
    world.executor.acknowledge(NAME, ["a"])
    assert set(world.executor._sent_at) == {"b"}
