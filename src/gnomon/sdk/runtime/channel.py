"""The way out of author code: questions to the server, answered with the rights of one attempt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from gnomon.model.task_api_requests import TaskApiRequest


class Channel(Protocol):
    """Whoever can answer: the worker's socket in a task, the parse server in a parse child."""

    def ask(self, question: TaskApiRequest) -> object:
        """The answer; raises when it was refused or nobody is there."""


class ChannelNotOpen(RuntimeError):
    """A question was asked where nobody can answer it."""


_installed: Channel | None = None


def install_channel(channel: Channel | None) -> Channel | None:
    """Questions of this process go to `channel` from now on; gives the one before."""
    global _installed
    before, _installed = _installed, channel
    return before


def has_channel() -> bool:
    """Whether somebody can answer."""
    return _installed is not None


def ask(question: TaskApiRequest) -> object:
    """The server's answer; NoChannel in a process that no server started."""
    if _installed is None:
        raise ChannelNotOpen(
            f"{type(question).__name__} needs a running Gnomon, and this process was started without one "
            "(for example `python my_dag.py`). Run it with `gnomon dags test`."
        )
    return _installed.ask(question)


async def ask_async(question: TaskApiRequest) -> object:
    """The same from a coroutine, whose loop goes on meanwhile: a channel that has `ask_async` is awaited, another asked in a thread."""
    awaited = getattr(_installed, "ask_async", None)
    if awaited is not None:
        answer: object = await awaited(question)
        return answer
    import asyncio  # triggers alone ask so

    return await asyncio.to_thread(ask, question)
