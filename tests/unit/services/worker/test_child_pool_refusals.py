"""A process that the machine refuses costs a pause and a sentence: its attempt waits, and no descriptor is left behind."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.unit.services.worker.fake_worker_loop import FakeWorkerLoop, count_descriptors, create_pending

from gnomon.author_code.processes.packets import send_packet
from gnomon.author_code.processes.spawn_backoff import PAUSE_FIRST_S
from gnomon.ground.log.events import FIELDS
from gnomon.services.worker import zygote_protocol
from gnomon.services.worker.spawn_queue import WAIT_MAX_S
from gnomon.services.worker.zygote_clients import BaseZygoteClient

NO_PROCESS = 1 << 22
"""Above every process id that a kernel gives."""
WORDS = "Resource temporarily unavailable (EAGAIN)"


@pytest.fixture
def host() -> Iterator[FakeWorkerLoop]:
    host = FakeWorkerLoop()
    yield host
    host.close()


class Machine:
    """It refuses system calls of these names as often as it was told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch

    def refuse(
        self, module: Any, name: str, number: int, times: int, otherwise: Callable[..., Any] | None = None
    ) -> None:
        left, real = [number] * times, otherwise or getattr(module, name)

        def asked(*args: Any, **named: Any) -> Any:
            if left:
                error = left.pop()
                raise OSError(error, os.strerror(error))
            return real(*args, **named)

        self._monkeypatch.setattr(module, name, asked)


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(monkeypatch)


@pytest.mark.parametrize("number", [errno.EAGAIN, errno.EMFILE, errno.ENOMEM])
@pytest.mark.parametrize("call", [(os, "posix_spawn"), (socket, "socketpair")])
def test_a_new_interpreter_that_is_refused_is_asked_for_again_after_the_pause(
    host: FakeWorkerLoop, machine: Machine, caplog: pytest.LogCaptureFixture, call: tuple[Any, str], number: int
) -> None:
    machine.refuse(os, "posix_spawn", 0, 0, otherwise=lambda *_, **__: NO_PROCESS)
    machine.refuse(*call, number, times=1)
    before, attempt = count_descriptors(), create_pending(fresh=True)
    host.child_pool.assign_child(attempt, 1.0)
    assert not host.started and not host.child_pool.children and count_descriptors() == before
    fields = getattr(next(record for record in caplog.records if record.getMessage() == "process_refused"), FIELDS)
    assert fields["process"] == "a new interpreter" and errno.errorcode[number] in fields["error"]
    assert fields["again_after_s"] == PAUSE_FIRST_S
    host.child_pool.flush(1.0 + PAUSE_FIRST_S / 2)
    assert not host.started
    host.child_pool.flush(1.0 + PAUSE_FIRST_S)
    assert [create_pending for _, create_pending in host.started] == [attempt]


@pytest.mark.parametrize("call", [(os, "posix_spawn"), (socket, "socketpair")])
def test_a_base_zygote_that_is_refused_is_started_after_the_pause(
    host: FakeWorkerLoop, machine: Machine, call: tuple[Any, str]
) -> None:
    played, host.child_pool.base_zygote = host.child_pool.base_zygote, BaseZygoteClient({})
    machine.refuse(*call, errno.EMFILE, times=2)
    before, attempt = count_descriptors(), create_pending()
    host.child_pool.start(0.0)
    host.child_pool.assign_child(attempt, 1.0)
    assert not host.watched and count_descriptors() == before
    host.child_pool.base_zygote = played
    host.child_pool.flush(60.0)
    send_packet(host.base.zygotes[0], zygote_protocol.ImportFinished())
    host.handle_messages(60.0)
    assert [create_pending for _, create_pending in host.started] == [attempt]


def test_a_zygote_whose_fork_is_refused_is_opened_again_and_its_attempts_stay_forks(host: FakeWorkerLoop) -> None:
    attempts = [create_pending(), create_pending()]
    for attempt in attempts:
        host.child_pool.assign_child(attempt, 0.0)
    before = count_descriptors()
    send_packet(host.base.zygotes[0], zygote_protocol.ZygoteRefused(error=WORDS))
    host.handle_messages(1.0)
    assert not host.watched and not host.started and count_descriptors() == before - 1
    host.child_pool.flush(1.1)
    assert len(host.base.zygotes) == 1
    host.child_pool.flush(1.0 + PAUSE_FIRST_S)
    send_packet(host.base.zygotes[1], zygote_protocol.ImportStarted(pid=NO_PROCESS))
    send_packet(host.base.zygotes[1], zygote_protocol.ImportFinished())
    host.handle_messages(3.0)
    assert [create_pending for _, create_pending in host.started] == attempts and not any(
        attempt.fresh for attempt in attempts
    )


def test_children_whose_fork_is_refused_are_ordered_again_after_the_pause(host: FakeWorkerLoop) -> None:
    attempts = [create_pending(), create_pending(), create_pending()]
    for attempt in attempts:
        host.child_pool.assign_child(attempt, 0.0)
    zygote = host.base.zygotes[0]
    send_packet(zygote, zygote_protocol.ImportFinished())
    host.handle_messages()
    host.child_pool.flush(0.0)
    numbers = [child.number for child, _ in host.started]
    send_packet(zygote, zygote_protocol.ChildrenForked(children=((numbers[0], NO_PROCESS),)))
    send_packet(zygote, zygote_protocol.ForksRefused(numbers=tuple(numbers[1:]), error=WORDS))
    host.handle_messages(1.0)
    assert set(numbers) & host.child_pool.children.keys() == {numbers[0]}
    host.child_pool.flush(1.0 + PAUSE_FIRST_S)
    assert [create_pending for _, create_pending in host.started[3:]] == attempts[1:]
    assert not any(child.number in numbers for child, _ in host.started[3:])


def test_an_attempt_that_was_cancelled_while_it_waited_gets_no_process(host: FakeWorkerLoop, machine: Machine) -> None:
    machine.refuse(os, "posix_spawn", errno.EAGAIN, times=1, otherwise=lambda *_, **__: NO_PROCESS)
    attempt = create_pending(fresh=True)
    host.child_pool.assign_child(attempt, 0.0)
    attempt.is_ended = True
    host.child_pool.flush(60.0)
    assert not host.started


def test_an_attempt_that_waits_too_long_is_given_back_with_the_reason(host: FakeWorkerLoop, machine: Machine) -> None:
    machine.refuse(os, "posix_spawn", errno.EAGAIN, times=1000)
    attempt, now = create_pending(fresh=True), 0.0
    host.child_pool.assign_child(attempt, now)
    while not host.given_back:
        now += 0.25
        host.child_pool.flush(now)
        host.child_pool.tick(now)
    assert now == WAIT_MAX_S and not host.started
    assert host.given_back[0][0] is attempt
    assert host.given_back[0][1] == (
        f"the worker could start no process for 1 min: {WORDS}; raise the machine's limits of processes, open files or memory"
    )


def test_one_refusal_does_not_keep_the_other_attempts_of_an_import_from_their_processes(
    host: FakeWorkerLoop, machine: Machine
) -> None:
    machine.refuse(os, "posix_spawn", errno.ENOMEM, times=1, otherwise=lambda *_, **__: NO_PROCESS)
    attempts = [create_pending(), create_pending(), create_pending()]
    for attempt in attempts:
        host.child_pool.assign_child(attempt, 0.0)
    send_packet(host.base.zygotes[0], zygote_protocol.ImportFinished(fresh="importing the file starts threads"))
    host.handle_messages()
    host.child_pool.flush(PAUSE_FIRST_S)
    assert [create_pending for _, create_pending in host.started] == attempts
    assert {attempt.fresh_reason for attempt in attempts} == {"importing the file starts threads"}
