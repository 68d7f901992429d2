"""What triggers ask while they run, on its way to the keeper and back."""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import Callable

import msgspec

from gnomon.errors.product import GnomonError
from gnomon.model.task_api_requests import TaskApiRequest
from gnomon.processes.task_api_messages import TaskApiRequestMessage, TaskApiResponse

BLOCKING_ANSWER_TIMEOUT_S = 10.0
"""What an answer may take that the loop of all triggers stands still for."""


class TriggerApiChannel:
    """The channel of a host (`sdk.channel.Channel`): coroutines await their answers, threads wait for them.

    Code in the loop that does neither gets its answer too: published triggers make hooks that look up their connection so. The
    loop stands still meanwhile, and hears nothing but answers.
    """

    def __init__(self, say: Callable[[msgspec.Struct], None], listen: Callable[[float], bool]) -> None:
        """To be made in the loop. `say` tells the keeper; `listen` waits so many seconds for it, and is False when it was silent."""
        self._send = say
        self._wait_for_answer = listen
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._numbers = itertools.count(1)
        self._pending: dict[int, asyncio.Future[object]] = {}

    async def ask_async(self, question: TaskApiRequest) -> object:
        """The keeper's answer; GnomonError with its words when it refused."""
        number = next(self._numbers)
        answer = self._pending[number] = self._loop.create_future()
        try:
            self._send(TaskApiRequestMessage(number=number, request=question))  # type: ignore[arg-type]
            return await answer
        finally:
            del self._pending[number]

    def ask(self, question: TaskApiRequest) -> object:
        """The same for who cannot await. In the loop itself, GnomonError when there is no answer within IN_LOOP_S."""
        if threading.get_ident() == self._thread:
            return self._ask_in_loop(question)
        return asyncio.run_coroutine_threadsafe(self.ask_async(question), self._loop).result()

    def _ask_in_loop(self, question: TaskApiRequest) -> object:
        number = next(self._numbers)
        answer = self._pending[number] = self._loop.create_future()
        ends_at = self._loop.time() + BLOCKING_ANSWER_TIMEOUT_S
        try:
            self._send(TaskApiRequestMessage(number=number, request=question))  # type: ignore[arg-type]
            while not answer.done():
                if not self._wait_for_answer(max(ends_at - self._loop.time(), 0.0)):
                    raise GnomonError(
                        f"{type(question).__name__} had no answer within {BLOCKING_ANSWER_TIMEOUT_S:g} s, for which the loop of all triggers stood "
                        "still; await it (Connection.async_get, or `await asyncio.to_thread(...)` around the call), and it may take longer"
                    )
            return answer.result()
        finally:
            del self._pending[number]

    def resolve_answer(self, answer: TaskApiResponse) -> None:
        """Whoever asked goes on, if it still waits."""
        waiting = self._pending.get(answer.number)
        if waiting is None or waiting.done():
            return
        if answer.error is not None:
            waiting.set_exception(GnomonError(answer.error))
        else:
            waiting.set_result(answer.value)
