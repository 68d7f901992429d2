"""Reads that are no inputs of the DAG file that is imported meanwhile: of installed packages, and of plugins that the file does not use."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

_depth = 0


@contextmanager
def unrecorded_reads() -> Iterator[None]:
    """Within the block, what this process reads is not recorded as an input."""
    global _depth
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1


def is_unrecorded() -> bool:
    """Whether a block of `unrecorded_reads` is active."""
    return _depth > 0
