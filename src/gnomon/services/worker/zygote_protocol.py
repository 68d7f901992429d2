"""The messages between a worker and its zygotes: one packet for each message, with descriptors."""

from __future__ import annotations

import socket

import msgspec

from gnomon.author_code.processes import author_forks
from gnomon.author_code.processes.packets import DESCRIPTORS_MAX, encode_packet, receive_packet, send_packet
from gnomon.author_code.processes.task_api_messages import Message, TaskApiRequestMessage, TaskApiResponse
from gnomon.model.errors.authoring import AirflowRuntimeError
from gnomon.model.task_api_requests import TaskApiRequest

PACKET_MAX = 64 * 1024
FORKS_MAX = DESCRIPTORS_MAX
"""Children in one order: each needs a descriptor."""


# ---- worker -> base zygote -------------------------------------------------------------------------------------------
class OpenFileZygote(Message, frozen=True, kw_only=True, tag=True):
    """Fork a file zygote that loads `file`; its socket is the descriptor of this packet."""

    file: str
    bundle_name: str | None = None
    bundle_version: str | None = None
    """With a version, the copy of the file in that version of the bundle is loaded."""


# ---- worker -> file zygote -------------------------------------------------------------------------------------------
class ForkChildren(Message, frozen=True, kw_only=True, tag=True):
    """Fork one child per number; the descriptors of this packet are their sockets, in the same order."""

    numbers: tuple[int, ...]


# ---- base zygote -> worker, over the socket of the zygote that it did not fork ----------------------------------------
class ZygoteRefused(Message, frozen=True, kw_only=True, tag=True):
    """The machine refused the fork of this zygote; `error` says why. Its file may be opened again later."""

    error: str


# ---- file zygote -> worker -------------------------------------------------------------------------------------------
class ImportStarted(Message, frozen=True, kw_only=True, tag=True):
    """The zygote runs and begins to import its file."""

    pid: int


class ImportFinished(Message, frozen=True, kw_only=True, tag=True):
    """The import has ended. With a reason in `fresh` or `error`, the zygote ends and the file is not forked."""

    fresh: str | None = None
    """Why a process that imported this file must not fork."""
    error: str | None = None
    """The import failed: one line."""


class ChildrenForked(Message, frozen=True, kw_only=True, tag=True):
    """(number, pid) of forked children."""

    children: tuple[tuple[int, int], ...]


class ForksRefused(Message, frozen=True, kw_only=True, tag=True):
    """The machine refused to fork the children with these numbers; `error` says why. They may be ordered again later."""

    numbers: tuple[int, ...]
    error: str


class ChildrenExited(Message, frozen=True, kw_only=True, tag=True):
    """(number, exit code; negative: the signal) of children that ended; their process groups were killed."""

    children: tuple[tuple[int, int], ...]


ToBaseZygote = OpenFileZygote
ToFileZygote = ForkChildren
FromFileZygote = (
    ZygoteRefused
    | ImportStarted
    | TaskApiRequestMessage
    | ImportFinished
    | ChildrenForked
    | ForksRefused
    | ChildrenExited
)


def send_import_response(sock: socket.socket, response: TaskApiResponse) -> None:
    """Send the response to a request of a file that is being imported; one that does not fit into a packet becomes a refusal.

    Raises OSError when the zygote is gone.
    """
    size = len(encode_packet(response))
    if size > PACKET_MAX:
        error = f"the answer has {size} bytes, and while a file is imported it may have {PACKET_MAX}; ask in a task"
        response = TaskApiResponse(number=response.number, error=error)
    send_packet(sock, response)


class ImportChannel:
    """The task API channel of a file zygote while it imports its file, over its control socket (`sdk.runtime.channel.Channel`)."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._decoder = msgspec.msgpack.Decoder(TaskApiResponse)

    def ask(self, request: TaskApiRequest) -> object:
        """The service's answer. Raises AirflowRuntimeError with its text when it refuses, and in a fork; ConnectionResetError when it is gone."""
        if author_forks.is_fork():
            raise AirflowRuntimeError(author_forks.FORK_REFUSAL)
        send_packet(self._control, TaskApiRequestMessage(number=0, request=request))  # type: ignore[arg-type]
        body, _ = receive_packet(self._control, PACKET_MAX)
        if not body:
            raise ConnectionResetError("the worker is gone")
        return self._decoder.decode(body).unwrap(AirflowRuntimeError)
