"""Zygotes that nobody needs any more are closed, in whichever order things happen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.unit.services.worker.fake_worker_loop import IMPORT_LIMIT_S, FakeWorkerLoop, create_pending

from gnomon.author_code.processes.packets import send_packet
from gnomon.services.worker import zygote_protocol


@pytest.fixture
def host() -> Iterator[FakeWorkerLoop]:
    host = FakeWorkerLoop()
    yield host
    host.close()


def is_closed(host: FakeWorkerLoop, number: int) -> bool:
    """The zygote hears the end of its socket, which ends it."""
    sock = host.base.zygotes[number]
    sock.setblocking(False)
    try:
        while sock.recv(zygote_protocol.PACKET_MAX):
            pass
    except BlockingIOError:
        return False
    return True


def test_a_zygote_retired_while_it_imports_is_closed_when_its_attempts_were_cancelled_before_it_is_ready(
    host: FakeWorkerLoop,
) -> None:
    waiting = create_pending()
    host.child_pool.assign_child(waiting, 0.0)
    host.child_pool.assign_child(create_pending(input_hash="2"), 1.0)
    waiting.is_ended = True
    send_packet(host.base.zygotes[0], zygote_protocol.ImportFinished())
    host.handle_messages()
    assert is_closed(host, 0) and not is_closed(host, 1)
    assert [zygote.key[1] for zygote in host.watched] == ["2"] and host.child_pool.retired == 0


def test_a_zygote_retired_while_it_imports_is_closed_at_the_next_look_when_its_attempts_were_cancelled(
    host: FakeWorkerLoop,
) -> None:
    waiting = create_pending()
    host.child_pool.assign_child(waiting, 0.0)
    host.child_pool.assign_child(create_pending(input_hash="2"), 1.0)
    host.child_pool.tick(1.0)
    assert not is_closed(host, 0)
    waiting.is_ended = True
    host.child_pool.tick(2.0)
    assert is_closed(host, 0) and not is_closed(host, 1)
    assert host.child_pool.retired == 0


def test_a_retired_zygote_that_still_has_an_attempt_is_closed_after_its_child_has_gone(host: FakeWorkerLoop) -> None:
    host.child_pool.assign_child(create_pending(), 0.0)
    host.child_pool.assign_child(create_pending(input_hash="2"), 1.0)
    send_packet(host.base.zygotes[0], zygote_protocol.ImportFinished())
    host.handle_messages()
    host.child_pool.tick(2.0)
    assert not is_closed(host, 0) and host.child_pool.retired == 1
    child = host.started[0][0]
    send_packet(host.base.zygotes[0], zygote_protocol.ChildrenExited(children=((child.number, 0),)))
    host.handle_messages()
    assert is_closed(host, 0) and host.child_pool.retired == 0


@pytest.mark.parametrize(
    "loaded",
    [zygote_protocol.ImportFinished(fresh="it starts threads"), zygote_protocol.ImportFinished(error="ValueError: x")],
)
def test_a_retired_zygote_that_turns_out_unfit_is_forgotten(
    host: FakeWorkerLoop, loaded: zygote_protocol.ImportFinished
) -> None:
    waiting = create_pending()
    host.child_pool.assign_child(waiting, 0.0)
    host.child_pool.assign_child(create_pending(input_hash="2"), 1.0)
    waiting.is_ended = True
    send_packet(host.base.zygotes[0], loaded)
    host.handle_messages()
    assert is_closed(host, 0) and host.child_pool.retired == 0


def test_a_retired_zygote_whose_import_takes_too_long_is_forgotten(host: FakeWorkerLoop) -> None:
    waiting = create_pending()
    host.child_pool.assign_child(waiting, 0.0)
    host.child_pool.assign_child(create_pending(input_hash="2"), IMPORT_LIMIT_S)
    waiting.is_ended = True
    host.child_pool.tick(IMPORT_LIMIT_S + 1)
    assert is_closed(host, 0) and host.child_pool.retired == 0
