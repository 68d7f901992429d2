"""LogForwarder: sends new lines of the logs of running attempts to the api-server, once a second."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path

from gnomon.ground import log
from gnomon.ground.log.confined_files import ConfinedFile
from gnomon.services.worker.remote.execution_client import ApiAway, ClaimRefused, ExecutionClient, WorkerGivenUp

events = log.get_logger("worker")

STEP_S = 1.0
"""An attempt that ends within a step sends nothing: its log is read after its upload, or on this machine."""
PIECE_BYTES = 65_536
LAST_PIECES = 64
"""The most pieces that the end of an attempt sends."""


@dataclass(slots=True)
class ForwardedLog:
    """How much of a log the api-server has."""

    file: ConfinedFile
    offset: int = 0
    is_followed: bool = True
    guard: threading.Lock = field(default_factory=threading.Lock)


class LogForwarder:
    """`logs_folder`: where this worker writes logs."""

    def __init__(self, client: ExecutionClient, logs_folder: Path) -> None:
        self._client = client
        self._logs_folder = logs_folder
        self._positions: dict[str, ForwardedLog] = {}
        self._guard = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="log-forwarder", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def close(self) -> None:
        """End the thread."""
        self._stop.set()

    def follow(self, attempt_id: str, name: str) -> None:
        """Send the log of this attempt from the next step on. `name`: its path below the folder of logs."""
        if name:
            with self._guard:
                self._positions[attempt_id] = ForwardedLog(ConfinedFile(self._logs_folder, name))

    def has_sent(self, attempt_id: str) -> bool:
        """Whether `finish` has something to send."""
        with self._guard:
            position = self._positions.get(attempt_id)
        return position is not None and position.offset > 0

    def finish(self, attempt_id: str) -> None:
        """The attempt has ended, and its result is not reported yet: send the rest, if some was sent."""
        position = self.drop(attempt_id)
        if position is None or not position.offset:
            return
        for _ in range(LAST_PIECES):
            if not self._send(attempt_id, position):
                return

    def drop(self, attempt_id: str) -> ForwardedLog | None:
        """Send nothing more of this attempt."""
        with self._guard:
            return self._positions.pop(attempt_id, None)

    def send_new_lines(self) -> None:
        """One step: a piece of each log that has grown."""
        with self._guard:
            positions = list(self._positions.items())
        for attempt_id, position in positions:
            if not self._stop.is_set():
                self._send(attempt_id, position)

    def _run(self) -> None:
        while not self._stop.wait(STEP_S):
            self.send_new_lines()

    def _send(self, attempt_id: str, position: ForwardedLog) -> bool:
        """False when there is nothing to send, or it could not be sent now."""
        with position.guard:
            if not position.is_followed:
                return False
            try:
                with position.file.open("rb") as file:
                    file.seek(position.offset)
                    piece = file.read(PIECE_BYTES)
                if not piece:
                    return False
                next_offset = self._client.send_log(attempt_id, position.offset, piece)
            except (OSError, ApiAway):
                return False  # the log does not exist yet, or the next step sends it
            except (ClaimRefused, WorkerGivenUp):
                position.is_followed = False
                return False
            position.is_followed = next_offset >= 0
            position.offset = max(next_offset, 0)
            return position.is_followed
