"""`gnomon celery worker` whose messages to the api-server are altered on their way: `python hostile_worker.py SEED FIGURES_FILE celery worker ...`.

The worker itself is the real one, so it also meets every answer that its altered messages get.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from tests.hostile_messages import MISSING, double_field, encode_json, list_values

from gnomon.entry.cli.main import main
from gnomon.services.worker.remote.execution_client import ExecutionClient

ALTERED = {"claim": 0.02, "beat": 0.1}
"""The part of the messages of a kind that is altered; a claim that is lost keeps its attempt from being altered later."""
OTHERS = 0.5


class Alterer:
    """Alters messages, and keeps count of what was sent and answered."""

    def __init__(self, seed: int, figures: Path) -> None:
        self._rng = random.Random(seed)
        self._values = [*list_values(is_json=True), MISSING]
        self._figures = figures
        self._counts: Counter[str] = Counter()

    def alter(self, path: str, payload: bytes) -> bytes:
        """The message, or what is made of it."""
        kind = path.rpartition("/")[2]
        if kind == "reports":
            return (
                b'{"reports":['
                + b",".join(self._alter_one(report["type"], report) for report in json.loads(payload)["reports"])
                + b"]}"
            )
        return self._alter_one(kind, json.loads(payload))

    def record(self, status: int) -> None:
        """Count the answer; written at once, for the process may be killed."""
        self._counts[f"answered {status}"] += 1
        self._figures.write_text(json.dumps(self._counts))

    def _alter_one(self, kind: str, message: dict[str, Any]) -> bytes:
        self._counts[f"sent {kind}"] += 1
        if self._rng.random() >= ALTERED.get(kind, OTHERS):
            return encode_json(message)
        self._counts[f"altered {kind}"] += 1
        if self._rng.random() < 0.1:
            return double_field(encode_json(message), self._rng.choice(list(message)), "\0")
        holder, key = self._rng.choice(list(_list_places(message)))
        value = self._rng.choice(self._values)
        if value is not MISSING:
            holder[key] = value
        elif isinstance(holder, dict):
            del holder[key]
        else:
            holder.pop(key)
        return encode_json(message)


def _list_places(value: Any) -> list[tuple[Any, Any]]:
    """Each container in the message with each of its keys."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    return [(value, key) for key in keys] + [place for key in keys for place in _list_places(value[key])]


def _install(alterer: Alterer) -> None:
    send = ExecutionClient._send

    def send_altered(
        self: ExecutionClient, path: str, payload: bytes, headers: dict[str, str], timeout_s: float
    ) -> tuple[int, bytes]:
        status, answer = send(self, path, alterer.alter(path, payload) if payload else payload, headers, timeout_s)
        alterer.record(status)
        return status, answer

    ExecutionClient._send = send_altered  # type: ignore[method-assign]


if __name__ == "__main__":
    _install(Alterer(int(sys.argv[1]), Path(sys.argv[2])))
    sys.argv[1:3] = []
    sys.exit(main())
