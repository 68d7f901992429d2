"""What the consumer of messages does when the worker process beside it has ended."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from tests.patience import PATIENCE_S
from tests.unit.services.worker.consumer_process import Hub, WorkerProcess

from gnomon.services.worker.remote.celery_consumer import ConsumerSettings, acknowledge, consume
from gnomon.services.worker.remote.message_carrier import (
    ABOUT_ALL,
    ENDS_REST,
    GIVEN_BACK,
    HELD_MAX_S,
    RESTS,
    Delivery,
    MessageCarrier,
)


class CarrierWorld:
    """A carrier for two attempts at a time."""

    def __init__(self, folder: Path) -> None:
        self.process = WorkerProcess(folder / "intake.sock")
        self.hub = Hub()
        self.unbacked: list[int] = []
        self.rests: list[bool] = []
        self.carrier = MessageCarrier(str(folder / "intake.sock"), 2, self.unbacked.append, self.rests.append)
        self.carrier.begin_connection(self.hub)
        self.acknowledged: list[str] = []
        self.requeued: list[str] = []
        self.tag = 0

    def take(self, *attempt_ids: str) -> None:
        for attempt_id in attempt_ids:
            self.carrier.take(attempt_id, f"token of {attempt_id}", self.deliver(attempt_id))

    def deliver(self, attempt_id: str, name: str | None = None, taken_at: float = 0.0) -> Delivery:
        """A delivery with a tag of its own; `name`: what it is called when it is acknowledged or given back."""
        self.tag += 1
        return Delivery(
            self.tag,
            partial(self.acknowledged.append, name or attempt_id),
            partial(self.requeued.append, name or attempt_id),
            taken_at,
        )

    def free(self, *attempt_ids: str) -> None:
        for attempt_id in attempt_ids:
            self.process.answer(attempt_id, None)
            self.hub.read()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[CarrierWorld]:
    made = CarrierWorld(tmp_path)
    yield made
    made.carrier.close()
    made.process.close()


def test_messages_wait_for_a_slot_and_are_acknowledged_when_it_becomes_free(world: CarrierWorld) -> None:
    world.take("a1", "a2", "a3")
    world.process.accept()
    assert [world.process.get() for _ in range(2)] == [["a1", "token of a1"], ["a2", "token of a2"]]
    assert world.acknowledged == []
    world.process.answer("a2", None)
    world.hub.read()
    assert world.process.get() == ["a3", "token of a3"]
    assert world.acknowledged == ["a2"]
    world.process.answer("a2")
    world.hub.read()
    world.take("a4")
    assert world.acknowledged == ["a2"]  # the slot of a2 is that of a3
    world.free("a1", "a3")
    assert world.acknowledged == ["a2", "a1", "a3"]
    assert world.unbacked == []


def test_a_message_that_cannot_be_acknowledged_keeps_no_other_from_it(
    world: CarrierWorld, caplog: pytest.LogCaptureFixture
) -> None:
    """Its connection to the broker has ended, and the consumer has not noticed it."""

    class LostMessage:
        def ack(self) -> None:
            raise BrokenPipeError("Broken pipe")

    world.carrier.take("a1", "token of a1", Delivery(1, partial(acknowledge, LostMessage(), "a1"), lambda: None, 0.0))
    world.take("a2")
    world.process.accept()
    assert [world.process.get() for _ in range(2)] == [["a1", "token of a1"], ["a2", "token of a2"]]
    world.free("a1", "a2")
    assert world.acknowledged == ["a2"]
    assert [(record.levelname, record.getMessage(), bool(record.exc_info)) for record in caplog.records] == [
        ("WARNING", "message_not_acknowledged", False)
    ]


def test_a_message_that_comes_again_while_its_attempt_has_a_slot_replaces_what_is_acknowledged(
    world: CarrierWorld,
) -> None:
    world.take("a1", "a2", "a3")
    world.process.accept()
    world.carrier.begin_connection(
        world.hub
    )  # the old connection to the broker has ended: nothing of it can be acknowledged
    assert world.unbacked == [3]  # the one that waits too
    world.take("a3", "a1")
    assert (world.acknowledged, world.unbacked) == ([], [3, 2, 1])
    world.free("a1")
    assert [world.process.get()[0] for _ in range(3)] == ["a1", "a2", "a3"]
    assert world.acknowledged == ["a1"]
    world.take("a1")  # it has no slot any more
    assert world.acknowledged == ["a1", "a1"]
    world.free("a2", "a3")
    assert (world.acknowledged, world.unbacked) == (["a1", "a1", "a3"], [3, 2, 1, 0])


def test_the_first_of_two_messages_about_a_running_attempt_is_acknowledged_unless_both_are_one(
    world: CarrierWorld,
) -> None:
    first = world.deliver("a1", "first")
    world.carrier.take("a1", "t", first)
    world.process.accept()
    world.carrier.take("a1", "t", first)  # Redis gives a message again under the tag that it had
    assert world.acknowledged == []
    world.carrier.take("a1", "t", world.deliver("a1", "second"))
    assert world.acknowledged == ["first"]
    world.free("a1")
    assert world.acknowledged == ["first", "second"]


def test_a_forged_message_about_an_attempt_neither_replaces_the_real_one_nor_is_acknowledged_with_it(
    world: CarrierWorld,
) -> None:
    """Only the api-server knows which of the tokens is valid: the worker process gets both, and the end of one is not that of the other."""
    world.carrier.take("a1", "forged", world.deliver("a1", "forged"))
    world.process.accept()
    world.carrier.take("a1", "real", world.deliver("a1", "real"))
    world.carrier.take("a1", "late", world.deliver("a1", "late"))
    assert world.acknowledged == []
    assert world.process.get() == ["a1", "forged"]
    first = world.process.numbers["a1"]
    assert world.process.get() == ["a1", "real"]
    world.process.answer_number(first, "was not claimed")
    world.hub.read()
    assert world.acknowledged == ["forged"]
    assert world.process.get() == ["a1", "late"]
    world.process.answer_number(world.process.numbers["a1"], "is running here")
    world.hub.read()
    assert world.acknowledged == ["forged", "late"]


def test_a_message_is_not_held_for_longer_than_the_broker_allows(world: CarrierWorld) -> None:
    """The one of a long attempt is acknowledged, and its slot counts as taken; the one that waits goes back."""
    for attempt_id, taken_at in (("a1", 0.0), ("a2", 1.0), ("a3", 0.0), ("a4", 1.0)):
        world.carrier.take(attempt_id, "t", world.deliver(attempt_id, taken_at=taken_at))
    world.process.accept()
    world.carrier.release_held(HELD_MAX_S)
    assert (world.acknowledged, world.requeued, world.unbacked) == (["a1"], ["a3"], [1])
    world.free("a1")
    assert (world.acknowledged, world.unbacked) == (["a1"], [1, 0])
    assert [world.process.get()[0] for _ in range(3)] == ["a1", "a2", "a4"]


def test_a_message_whose_attempt_could_not_be_claimed_goes_back_to_the_broker(world: CarrierWorld) -> None:
    world.take("a1", "a2")
    world.process.accept()
    world.process.answer_number(ABOUT_ALL, RESTS)
    world.process.answer("a1", GIVEN_BACK)
    world.hub.read()
    assert (world.rests, world.requeued, world.acknowledged) == ([True], ["a1"], [])
    world.carrier.begin_connection(world.hub)
    world.process.answer("a2", GIVEN_BACK)
    world.process.answer_number(ABOUT_ALL, ENDS_REST)
    world.hub.read()
    assert (world.rests, world.requeued, world.acknowledged) == (
        [True, False],
        ["a1"],
        [],
    )  # the broker has a2 again, because its connection has ended
    world.take("a1")
    assert [world.process.get()[0] for _ in range(3)] == ["a1", "a2", "a1"]


def test_messages_for_a_worker_process_that_has_ended_stay_unacknowledged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    carrier = MessageCarrier(str(tmp_path / "no.sock"), 1)
    carrier.take("a1", "token", Delivery(1, lambda: pytest.fail("acknowledged"), lambda: None, 0.0))
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert not caplog.records[0].exc_info


def test_a_worker_process_that_ends_gives_its_attempts_up_and_the_next_message_finds_its_successor(
    world: CarrierWorld,
) -> None:
    world.take("a1", "a2")
    world.process.accept()
    world.process.end()
    world.hub.read()
    assert not world.hub.readers
    world.take("a3")
    world.process.accept()
    assert world.process.get() == ["a3", "token of a3"]


def test_the_end_waits_for_the_results_of_attempts_and_not_for_ever(world: CarrierWorld) -> None:
    world.take("a1", "a2", "a3")
    world.process.accept()
    world.process.answer("a1", None)
    world.process.answer("a1")
    asked: list[int] = []
    world.carrier.wait_for_attempts(lambda: asked.append(1) or len(asked) > 2)
    assert len(asked) == 3
    world.process.answer("a2")
    world.carrier.wait_for_attempts(lambda: False)
    assert (
        world.acknowledged == []
    )  # its connection has ended: the broker has the message again, and whoever gets it is not given the attempt


_STUCK = """
import os, signal, threading, time
from gnomon.services.worker.remote import service
from gnomon.services.worker.remote.lease_watch import SharedLease

service.CLOSE_S = 0.2
signal.signal(signal.SIGTERM, lambda *_: print("asked to end", flush=True))
pid = os.fork()
if pid == 0:
    os._exit(1)
threading.Thread(target=service._end_with_worker, args=(pid, SharedLease(), threading.Event()), daemon=True).start()
while True:
    time.sleep(1)
"""


def test_a_consumer_that_its_broker_does_not_let_go_ends_after_its_worker_process() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _STUCK], capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert (done.returncode, done.stdout) == (1, "asked to end\n"), done.stderr


_FROZEN = """
import os, signal, subprocess, sys, threading, time
from gnomon.author_code.processes.kernel import become_subreaper
from gnomon.services.worker.remote import service
from gnomon.services.worker.remote.lease_watch import SharedLease

service.ORPHANS_S = 0.2
become_subreaper()
lease, ended = SharedLease(), threading.Event()
pid = os.fork()
if pid == 0:
    left = subprocess.Popen(["sleep", "1000"], start_new_session=True)
    print(left.pid, flush=True)
    lease.put(time.monotonic() + 0.5)
    os.kill(os.getpid(), signal.SIGSTOP)
signal.signal(signal.SIGTERM, lambda *_: None)
threading.Thread(target=service._end_with_worker, args=(pid, lease, ended), daemon=True).start()
ended.wait()
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="orphans are adopted on Linux")
def test_a_worker_process_that_is_frozen_is_ended_once_its_lease_is_over_with_all_that_it_had_started() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _FROZEN], capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "worker_process_stands_still" in done.stderr
    assert not Path(f"/proc/{int(done.stdout)}").exists()


def test_a_lost_connection_that_cannot_be_closed_does_not_end_the_worker() -> None:
    from celery import Celery

    from gnomon.services.worker.remote.lasting_consumer import LastingConsumer

    class Unclosable:
        recoverable_connection_errors = (OSError,)
        recoverable_channel_errors = ()

        def __getattr__(self, name: str) -> object:
            raise AttributeError("'NoneType' object has no attribute 'hostname'")

    app = Celery("test", broker="memory://")
    app.conf.update(
        worker_cancel_long_running_tasks_on_connection_loss=False, worker_enable_prefetch_count_reduction=False
    )
    consumer = LastingConsumer.__new__(LastingConsumer)
    consumer.app, consumer.connection = app, Unclosable()
    consumer.on_connection_error_after_connected(ConnectionResetError("the broker has ended"))
    assert consumer.connection is None


def test_the_consumer_of_celery_is_the_one_that_lasts() -> None:
    from celery import Celery
    from kombu.utils.imports import symbol_by_name

    from gnomon.services.worker.remote.lasting_consumer import LastingConsumer

    class Started(Exception):
        pass

    app = Celery("test", broker="memory://")

    def start(**_: object) -> None:
        raise Started

    app.Worker = start
    with pytest.raises(Started):
        consume(app, ConsumerSettings(("q",), 1, 1, "w@%h", "WARNING"), "/no.sock", lambda: None)
    assert symbol_by_name(app.conf.worker_consumer) is LastingConsumer
