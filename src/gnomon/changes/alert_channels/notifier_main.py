"""`python -m gnomon.changes.alert_channels.notifier_main`: calls one notifier. Descriptor 3 is the socket to the process that sends the message."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from typing import Any, NoReturn

import msgspec

from gnomon.author_code.loading import plugins
from gnomon.author_code.loading.class_loader import load_object
from gnomon.author_code.processes import message_stream
from gnomon.author_code.processes.child_setup import hide_secrets, inherited_socket, set_up_host_process
from gnomon.author_code.processes.process_title import set_title
from gnomon.author_code.processes.task_api_messages import TaskApiRequestMessage, TaskApiResponse
from gnomon.authoring.sdk.connections import channel
from gnomon.authoring.sdk.runtime.notifier import BaseNotifier
from gnomon.changes.alert_channels.notifier_protocol import NotifierRequest, NotifierResult, ToNotifier
from gnomon.model.errors.product import GnomonError
from gnomon.model.task_api_requests import TaskApiRequest


class _SenderChannel:
    """The channel to the process that sends the message, which answers requests for Variables and connections."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._decoder: message_stream.FrameDecoder[ToNotifier] = message_stream.FrameDecoder(ToNotifier)

    def receive(self) -> ToNotifier | None:
        """The next message; None when that process has ended."""
        return message_stream.receive_message(self._sock, self._decoder)

    def send(self, message: msgspec.Struct) -> None:
        self._sock.sendall(message_stream.encode_frame(message))

    def ask(self, question: TaskApiRequest) -> object:
        """Send a request of author code. Raises GnomonError when it is refused."""
        self.send(TaskApiRequestMessage(number=0, request=question))  # type: ignore[arg-type]
        answer = self.receive()
        if not isinstance(answer, TaskApiResponse):
            from gnomon.model.sentences import say  # loaded with the first refusal

            raise GnomonError(say("sending_process_has_ended"))
        return answer.unwrap(GnomonError)


def call_notifier(request: NotifierRequest) -> NotifierResult:
    """Create the notifier and call it."""
    try:
        kind = load_object(request.class_path)
        notifier = kind(**request.arguments)
    except Exception as error:  # author code may raise any exception
        return NotifierResult(error=f"{type(error).__name__}: {error}", is_final=True)
    try:
        _notify(notifier, dict(request.context))
    except Exception as error:
        return NotifierResult(error=f"{type(error).__name__}: {error}")
    return NotifierResult()


def _notify(notifier: Any, context: dict[str, Any]) -> None:
    """Call `notify`, or `async_notify` of a notifier that has only that; anything else is called with the context."""
    if isinstance(notifier, BaseNotifier) and type(notifier).notify is BaseNotifier.notify:
        asyncio.run(notifier.notify_async(context))
    else:
        notifier(context)


def main() -> NoReturn:
    """Call the notifier of the request, and report; never returns."""
    set_up_host_process([signal.SIGINT])
    set_title("notifier", hide_secrets().home)
    plugins.enable_imports()
    sender = _SenderChannel(inherited_socket())
    channel.install_channel(sender)
    request = sender.receive()
    if isinstance(request, NotifierRequest):
        signal.alarm(int(request.timeout_s) + 30)  # the end of this process, also when its parent has been killed
        sender.send(call_notifier(request))
    os._exit(0)


if __name__ == "__main__":
    main()
