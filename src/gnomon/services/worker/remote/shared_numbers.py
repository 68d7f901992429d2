"""Numbers in memory that a process shares with the forks it makes."""

from __future__ import annotations

import mmap
import struct

_COUNT = struct.Struct("Q")


class SharedCount:
    """A count to which one process adds, and which another one reads."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _COUNT.size)

    def add_one(self) -> None:
        _COUNT.pack_into(self._memory, 0, self.get() + 1)

    def get(self) -> int:
        number: int = _COUNT.unpack_from(self._memory, 0)[0]
        return number
