"""The channel on which author code sends requests to the server; each request has the rights of one attempt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from gnomon.model.task_api_requests import TaskApiRequest


class Channel(Protocol):
    """A connection that answers requests: the socket of the worker in a task process, the parse server in a parse child."""

    def ask(self, question: TaskApiRequest) -> object:
        """Send a request and return the answer. Raises when the request was refused or the server cannot be reached."""


class ChannelNotOpen(RuntimeError):
    """A request was made in a process without a channel."""


_installed: Channel | None = None


def install_channel(channel: Channel | None) -> Channel | None:
    """Use `channel` for the requests of this process and return the previous channel."""
    global _installed
    previous, _installed = _installed, channel
    return previous


def has_channel() -> bool:
    """Return whether this process has a channel."""
    return _installed is not None


def ask(question: TaskApiRequest) -> object:
    """Send a request and return the answer of the server.

    Raises ChannelNotOpen in a process that Gnomon did not start.
    """
    if _installed is None:
        raise ChannelNotOpen(
            f"{type(question).__name__} needs a running Gnomon, and this process was started without one "
            "(for example `python my_dag.py`). Run it with `gnomon dags test`."
        )
    try:
        return _installed.ask(question)
    except (UnicodeEncodeError, OverflowError) as error:
        raise _explain_unsendable(question, error) from None


def _explain_unsendable(question: TaskApiRequest, error: Exception) -> Exception:
    """A ValueError that names what no message can hold, such as a lone surrogate; the error itself when the fault is not in the request."""
    from gnomon.model.message_bounds import find_message_fault  # only faults need it
    from gnomon.model.storable_text import escape_unstorable

    fault = find_message_fault(question)
    return (
        error if fault is None else ValueError(f"{type(question).__name__}: {escape_unstorable(fault)}; leave it out")
    )


async def ask_async(question: TaskApiRequest) -> object:
    """As `ask`, without blocking the event loop: awaits `ask_async` of the channel, or calls `ask` in a thread."""
    if _installed is None:
        return ask(question)
    return await ask_async_on(_installed, question)


async def ask_async_on(channel: Channel, question: TaskApiRequest) -> object:
    """Send a request over that channel without blocking the event loop.

    Awaits its `ask_async`, or calls its `ask` in a thread.
    """
    send_async = getattr(channel, "ask_async", None)
    try:
        if send_async is not None:
            answer: object = await send_async(question)
            return answer
        import asyncio  # only coroutines use it

        return await asyncio.to_thread(channel.ask, question)
    except (UnicodeEncodeError, OverflowError) as error:
        raise _explain_unsendable(question, error) from None
