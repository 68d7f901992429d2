"""What triggers ask while they run, on its way to the keeper and back."""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import Callable

import msgspec

from gnomon.errors.product import GnomonError
from gnomon.model.questions import Question
from gnomon.wire.messages import Answer, Ask


class Questions:
    """The channel of a host (`sdk.channel.Channel`): coroutines await their answers, threads wait for them."""

    def __init__(self, say: Callable[[msgspec.Struct], None]) -> None:
        """To be made in the loop; `say` tells the keeper."""
        self._say = say
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._numbers = itertools.count(1)
        self._open: dict[int, asyncio.Future[object]] = {}

    async def ask_async(self, question: Question) -> object:
        """The keeper's answer; GnomonError with its words when it refused."""
        number = next(self._numbers)
        answer = self._open[number] = self._loop.create_future()
        try:
            self._say(Ask(number=number, question=question))  # type: ignore[arg-type]
            return await answer
        finally:
            del self._open[number]

    def ask(self, question: Question) -> object:
        """The same for a thread. GnomonError in the loop itself, which would wait for ever."""
        if threading.get_ident() == self._thread:
            raise GnomonError(
                f"{type(question).__name__} would block the loop of all triggers; await it: Connection.async_get, or "
                "`await asyncio.to_thread(...)` around the call"
            )
        return asyncio.run_coroutine_threadsafe(self.ask_async(question), self._loop).result()

    def answered(self, answer: Answer) -> None:
        """Whoever asked goes on, if it still waits."""
        waiting = self._open.get(answer.number)
        if waiting is None or waiting.done():
            return
        if answer.error is not None:
            waiting.set_exception(GnomonError(answer.error))
        else:
            waiting.set_result(answer.value)
