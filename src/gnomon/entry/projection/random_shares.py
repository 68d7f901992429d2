"""Random numbers of a projection: by what they are drawn for, not by order, so that two worlds have the same where they agree."""

from __future__ import annotations

import hashlib

from gnomon.model.attempts import Attempt

_BYTES = 8
_RANGE = 256.0**_BYTES


def draw_share(key: tuple[object, ...]) -> float:
    """A number from 0 up to 1 for the key. Keys that differ at all have independent numbers, which a checksum such as CRC-32 does not give."""
    return draw_share_of("\0".join(map(str, key)))


def draw_share_of(text: str) -> float:
    """The number for a key whose parts are joined by NUL."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=_BYTES).digest(), "big") / _RANGE


def describe_try(attempt: Attempt) -> tuple[object, ...]:
    """What a try is in each world: its run, task, map index and number."""
    run = attempt.run
    return run.dag_id, run.run_after, run.run_type, attempt.task_id, attempt.map_index, attempt.try_number
