"""The parse child's line to the service: questions of author code out, answers in, the outcome at the end."""

from __future__ import annotations

import hashlib
import socket
from typing import Any

from gnomon.errors.product import GnomonError
from gnomon.model.questions import Question
from gnomon.model.spec import ParsedFile
from gnomon.wire import frames
from gnomon.wire.messages import Answer, Ask, ParseDone


class ParseChannel:
    """Installed as the process's channel while a file is imported. An answer may differ tomorrow: asking is remembered."""

    def __init__(self, sock: socket.socket) -> None:
        self._socket = sock
        self._splitter: frames.Splitter[Any] = frames.Splitter(Answer)
        self._asked = 0
        self._heard = hashlib.sha256()

    @property
    def asked(self) -> bool:
        """Whether the file asked for a Variable, a Connection or anything else."""
        return self._asked > 0

    @property
    def answers(self) -> str | None:
        """The digest of all that was asked and answered, in order; None when nothing was asked."""
        return self._heard.hexdigest() if self.asked else None

    def ask(self, question: Question) -> object:
        """The answer of the service. Raises GnomonError with its words when it refuses."""
        self._asked += 1
        self._socket.sendall(frames.encode(Ask(number=self._asked, question=question)))  # type: ignore[arg-type]
        answer = frames.receive(self._socket, self._splitter)
        if answer is None:
            raise GnomonError("the dag-processor is gone; the file is parsed again when it is back")
        self._heard.update(repr((question, answer.value, answer.error)).encode(errors="surrogateescape"))
        if answer.error is not None:
            raise GnomonError(answer.error)
        value: object = answer.value
        return value

    def finish(self, parsed: ParsedFile) -> None:
        """The service has the outcome."""
        self._socket.sendall(frames.encode(ParseDone(parsed=parsed)))
