"""What a process counts."""

from __future__ import annotations

import re
from typing import Protocol

NAMES_MAX = 200
"""Names that are kept: those that come later are sent all the same."""
_FOREIGN = re.compile(r"[^A-Za-z0-9_.\-]")


class Sink(Protocol):
    """Who collects figures."""

    def send(self, name: str, value: str) -> None:
        """`value` in statsd's words: `3|c`, `12|g`."""

    def close(self) -> None:
        """Nothing is sent any more."""


class Meter:
    """Counts since the start of the process. Names are Airflow's, parts of them that come from elsewhere are made fit."""

    def __init__(self, sink: Sink | None = None) -> None:
        self._sink = sink
        self.counted: dict[str, int] = {}
        """By name, since the start."""

    def count(self, name: str, n: int = 1) -> None:
        """It has happened `n` times more."""
        if n == 0:
            return
        name = _fit(name)
        if name in self.counted or len(self.counted) < NAMES_MAX:
            self.counted[name] = self.counted.get(name, 0) + n
        self._tell(name, f"{n}|c")

    def level(self, name: str, value: int) -> None:
        """So many there are now; nothing of it is kept."""
        self._tell(_fit(name), f"{value}|g")

    def _tell(self, name: str, value: str) -> None:
        if self._sink is not None:
            self._sink.send(name, value)

    def close(self) -> None:
        """Nothing is sent any more."""
        if self._sink is not None:
            self._sink.close()


def _fit(name: str) -> str:
    """What statsd takes as a name."""
    return _FOREIGN.sub("_", name)
