"""Task API requests of running triggers: their way to the triggerer, and the answers."""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import Callable

import msgspec

from gnomon.author_code.processes import author_forks
from gnomon.author_code.processes.task_api_messages import TaskApiRequestMessage, TaskApiResponse
from gnomon.model.errors.product import GnomonError
from gnomon.model.sentences import say
from gnomon.model.task_api_requests import TaskApiRequest

BLOCKING_ANSWER_TIMEOUT_S = 10.0
"""Limit for an answer while the event loop is blocked waiting for it."""


class TriggerApiChannel:
    """The Task API channel of a host (`sdk.runtime.channel.Channel`): coroutines await their answers, threads block.

    Code in the loop that cannot await blocks the loop until its answer is there: published triggers create hooks that look up
    their connection in this way. Meanwhile the loop handles nothing but answers.
    """

    def __init__(self, send: Callable[[msgspec.Struct], None], wait_for_answer: Callable[[float], bool]) -> None:
        """To be created in the loop. `send` sends to the triggerer; `wait_for_answer` waits so many seconds, and is False when no message came."""
        self._send = send
        self._wait_for_answer = wait_for_answer
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._numbers = itertools.count(1)
        self._pending: dict[int, asyncio.Future[object]] = {}

    async def ask_async(self, request: TaskApiRequest) -> object:
        """The answer of the triggerer; raises GnomonError with its message when the triggerer refused, and in a fork."""
        _refuse_forks()
        number = next(self._numbers)
        answer = self._pending[number] = self._loop.create_future()
        try:
            self._send(TaskApiRequestMessage(number=number, request=request))  # type: ignore[arg-type]
            return await answer
        finally:
            del self._pending[number]

    def ask(self, request: TaskApiRequest) -> object:
        """The same for code that cannot await. In the loop: raises GnomonError when there is no answer within BLOCKING_ANSWER_TIMEOUT_S."""
        _refuse_forks()
        if threading.get_ident() == self._thread:
            return self._ask_in_loop(request)
        return asyncio.run_coroutine_threadsafe(self.ask_async(request), self._loop).result()

    def _ask_in_loop(self, request: TaskApiRequest) -> object:
        number = next(self._numbers)
        answer = self._pending[number] = self._loop.create_future()
        ends_at = self._loop.time() + BLOCKING_ANSWER_TIMEOUT_S
        try:
            self._send(TaskApiRequestMessage(number=number, request=request))  # type: ignore[arg-type]
            while not answer.done():
                if not self._wait_for_answer(max(ends_at - self._loop.time(), 0.0)):
                    raise GnomonError(
                        say("request_blocked_triggers", name=type(request).__name__, duration=BLOCKING_ANSWER_TIMEOUT_S)
                    )
            return answer.result()
        finally:
            del self._pending[number]

    def resolve_answer(self, answer: TaskApiResponse) -> None:
        """Pass the answer to the code that waits for it, if it still waits."""
        waiting = self._pending.get(answer.number)
        if waiting is None or waiting.done():
            return
        if answer.error is not None:
            waiting.set_exception(GnomonError(answer.error))
        else:
            waiting.set_result(answer.value)


def _refuse_forks() -> None:
    if author_forks.is_fork():
        raise GnomonError(author_forks.FORK_REFUSAL)
