"""Code of a trigger that neither awaits nor takes a thread has its answer too: the loop stands still, and forgets no order."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.patience import PATIENCE_S

from gnomon.author_code.processes.message_stream import FrameDecoder, encode_frame, receive_message
from gnomon.author_code.processes.task_api_messages import TaskApiRequestMessage, TaskApiResponse
from gnomon.authoring.sdk.connections import channel
from gnomon.model.errors.product import GnomonError
from gnomon.model.task_api_requests import GetVariable
from gnomon.services.triggerer import task_api_channel
from gnomon.services.triggerer.host_protocol import FromTriggerHost, Ping, Pong, StopHost
from gnomon.services.triggerer.saved_events import SavedEvents
from gnomon.services.triggerer.shared_stream_groups import SharedStreamLimits
from gnomon.services.triggerer.trigger_host import TriggerHost

pytestmark = pytest.mark.pure

QUESTION = GetVariable(key="k")


class Keeper:
    """The other end of a host's socket."""

    def __init__(self, sock: socket.socket) -> None:
        sock.settimeout(PATIENCE_S)
        self._sock = sock
        self._splitter: FrameDecoder[FromTriggerHost] = FrameDecoder(FromTriggerHost)

    def heard(self) -> FromTriggerHost | None:
        return receive_message(self._sock, self._splitter)

    def asked(self) -> TaskApiRequestMessage:
        while not isinstance(heard := self.heard(), TaskApiRequestMessage):
            assert heard is not None
        return heard

    def say(self, *messages: Ping | TaskApiResponse | StopHost) -> None:
        self._sock.sendall(b"".join(map(encode_frame, messages)))


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    yield ours, theirs
    ours.close()
    theirs.close()
    channel.install_channel(None)


def test_the_answer_comes_while_the_loop_stands_still_and_orders_are_heard_afterwards(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    keeper = Keeper(ends[1])

    def answer() -> None:
        ask = keeper.asked()
        keeper.say(
            Ping(number=7),
            TaskApiResponse(number=ask.number + 1, value="for another"),
            TaskApiResponse(number=ask.number, value="v"),
        )

    def then() -> FromTriggerHost | None:
        while isinstance(heard := keeper.heard(), Pong) and heard.number == 0:
            pass
        keeper.say(StopHost(within_s=PATIENCE_S))
        return heard

    async def hosted() -> None:
        with ThreadPoolExecutor(1) as others:
            serving = asyncio.create_task(
                TriggerHost(ends[0], PATIENCE_S, SharedStreamLimits(), SavedEvents("/nonexistent")).serve()
            )
            await asyncio.sleep(0)
            answering = others.submit(answer)
            assert channel.ask(QUESTION) == "v"
            answering.result(PATIENCE_S)
            assert await asyncio.wrap_future(others.submit(then)) == Pong(number=7, running=0)
            await serving

    asyncio.run(hosted())


def test_a_refusal_is_raised_where_it_was_asked(ends: tuple[socket.socket, socket.socket]) -> None:
    keeper = Keeper(ends[1])

    async def hosted() -> None:
        with ThreadPoolExecutor(1) as others:
            serving = asyncio.create_task(
                TriggerHost(ends[0], PATIENCE_S, SharedStreamLimits(), SavedEvents("/nonexistent")).serve()
            )
            await asyncio.sleep(0)
            others.submit(
                lambda: keeper.say(
                    TaskApiResponse(number=keeper.asked().number, error="not for you"), StopHost(within_s=1.0)
                )
            )
            with pytest.raises(GnomonError, match="not for you"):
                channel.ask(QUESTION)
            await serving

    asyncio.run(hosted())


@pytest.mark.parametrize("gone", [False, True])
def test_a_keeper_that_is_silent_or_gone_holds_the_loop_up_no_longer_than_the_limit(
    ends: tuple[socket.socket, socket.socket], monkeypatch: pytest.MonkeyPatch, gone: bool
) -> None:
    monkeypatch.setattr(task_api_channel, "BLOCKING_ANSWER_TIMEOUT_S", PATIENCE_S if gone else 0.01)

    async def hosted() -> None:
        serving = asyncio.create_task(
            TriggerHost(ends[0], PATIENCE_S, SharedStreamLimits(), SavedEvents("/nonexistent")).serve()
        )
        await asyncio.sleep(0)
        if gone:
            ends[1].close()
        with pytest.raises(
            GnomonError,
            match=r"GetVariable had no answer within .* blocked the event loop of all triggers meanwhile; await it",
        ):
            channel.ask(QUESTION)
        ends[1].close()
        await serving

    asyncio.run(hosted())
