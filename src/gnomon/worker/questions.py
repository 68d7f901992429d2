"""Questions of a DAG file while a zygote imports it: what it asks at import is answered as it was to the dag-processor."""

from __future__ import annotations

import socket

import msgspec

from gnomon.errors.authoring import AirflowRuntimeError
from gnomon.model.questions import Question
from gnomon.worker import orders


class ImportChannel:
    """A file zygote's way to ask, over its control socket; each question waits for its answer (`sdk.channel.Channel`)."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._decoder = msgspec.msgpack.Decoder(orders.Told)

    def ask(self, question: Question) -> object:
        """The service's answer; AirflowRuntimeError with its words when it refused."""
        orders.send(self._control, orders.Asked(question=question))  # type: ignore[arg-type]
        body, _ = orders.receive(self._control)
        if not body:
            raise ConnectionResetError("the worker is gone")
        told = self._decoder.decode(body)
        if told.error is not None:
            raise AirflowRuntimeError(told.error)
        value: object = told.value
        return value
