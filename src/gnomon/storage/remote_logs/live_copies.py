"""LiveCopies: what workers without a database send of the logs of running attempts, so that readers see lines before the log is uploaded."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from gnomon.ground.log.confined_files import ConfinedFile

LIVE = "live_copies"
"""The folder of these copies, below the folder of logs."""
LIVE_MAX_BYTES = 4_194_304
"""A copy ends after so many bytes, with a sentence."""
HERE = -1
"""The answer for a log that is in the folder of logs itself, because the worker shares the folder: no copy is needed."""
ENDS_HERE = f"\n[this copy of a running log ends at {LIVE_MAX_BYTES // 1_048_576} MiB; the whole log is on the machine of its worker]\n"


class LiveCopies:
    """The copies below one folder of logs. Names are paths below it. Several processes may share the folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def locate(self, name: str) -> ConfinedFile:
        """The copy, which may not exist."""
        return ConfinedFile(self._folder, f"{LIVE}/{name}")

    def append(self, name: str, offset: int, piece: bytes) -> int:
        """Store a piece of a log that begins at `offset`; returns the offset that is wanted next, or HERE. A piece that comes twice is stored once.

        Raises OSError when the disk refuses it.
        """
        if ConfinedFile(self._folder, name).is_file():
            return HERE
        with self.locate(name).open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            size = os.fstat(file.fileno()).st_size
            if size >= LIVE_MAX_BYTES:
                return HERE
            if offset > size:
                return size
            new = piece[size - offset :][: LIVE_MAX_BYTES - size]
            is_full = bool(new) and size + len(new) == LIVE_MAX_BYTES
            file.write(new + ENDS_HERE.encode() if is_full else new)
            return HERE if is_full else size + len(new)

    def append_line(self, name: str, line: str) -> None:
        """Add a line that this machine knows to the end of the log: to the file of its worker if it is here, otherwise to the copy. Raises OSError."""
        own = ConfinedFile(self._folder, name)
        with (own if own.is_file() else self.locate(name)).open("ab+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            size = file.seek(0, os.SEEK_END)
            if size:
                file.seek(size - 1)
            is_begun = bool(size) and file.read(1) != b"\n"
            file.write(("\n" if is_begun else "").encode() + line.encode(errors="backslashreplace") + b"\n")
