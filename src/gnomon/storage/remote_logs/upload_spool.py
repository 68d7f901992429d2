"""Marks of logs that are to be uploaded, as small files below the folder of logs: they survive the worker, its machine's restart, and the uploader.

A worker has a spool of its own and holds its lock. It marks a log as open before the attempt may write, and as ready once the process of the attempt
has ended. The uploader removes the mark when the remote folder has the log. A spool whose lock is free belongs to a worker that has ended:
whoever finds it takes its marks over, open ones too.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import uuid
from collections.abc import Iterator
from pathlib import Path

from gnomon.ground.log.confined_files import ConfinedFile, list_files

SPOOLS = "remote_uploads"
"""The folder of all spools, below the folder of logs."""
_OPEN, _READY, _LOCK = ".open", ".ready", ".lock"
_NAME_BYTES_MAX = 4_096


class UploadSpool:
    """The marks of one worker. Opening it again, by its id, needs no lock: the uploader of the worker does."""

    def __init__(self, logs_folder: Path, spool_id: str | None = None) -> None:
        """Create a spool and take its lock; with `spool_id` open an existing one. Raises OSError."""
        self._logs_folder = logs_folder
        self._spools = logs_folder / SPOOLS
        self.spool_id = spool_id or uuid.uuid4().hex
        self._folder = self._spools / self.spool_id
        self._lock: int | None = None
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if spool_id is None:
            self._lock = _open_lock(self._folder)
            fcntl.lockf(self._lock, fcntl.LOCK_EX)

    def mark_open(self, name: str) -> None:
        """The log with this path below the folder of logs may be written from now on. Raises OSError."""
        with self._find_mark(name, _OPEN).open("ab") as mark:
            mark.truncate(0)
            mark.write(name.encode(errors="surrogateescape"))

    def mark_ready(self, name: str) -> None:
        """Nothing more will be written to the log. Without an open mark nothing happens. Raises OSError."""
        try:
            self._find_mark(name, _READY).replace_with(self._find_mark(name, _OPEN))
        except FileNotFoundError:
            return

    def mark_all_ready(self) -> None:
        """The worker has ended, and so have its attempts."""
        for mark in list(self._list_marks(_OPEN)):
            _move(mark, self._build_mark(mark.name.removesuffix(_OPEN), _READY))

    def list_ready(self) -> list[str]:
        """The logs to upload, the oldest mark first."""
        marked = []
        for mark in self._list_marks(_READY):
            try:
                changed_ns, name = mark.stat().st_mtime_ns, _read(mark)
            except FileNotFoundError:
                continue
            if self._find_mark(name, _READY) == mark:
                marked.append((changed_ns, name))
        return [name for _, name in sorted(marked)]

    def remove(self, name: str) -> None:
        """The log is uploaded, or there is none."""
        self._find_mark(name, _READY).unlink(missing_ok=True)

    def take_over(self) -> int:
        """Move the marks of workers that have ended into this spool, ready for upload; returns how many."""
        return sum(
            self._take_over(folder)
            for folder in self._spools.iterdir()
            if folder.is_dir() and not folder.is_symlink() and folder != self._folder
        )

    def close(self) -> None:
        """Release the lock. The marks stay, and the next worker takes them over."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _take_over(self, folder: Path) -> int:
        taken = 0
        try:
            lock = _open_lock(folder)
        except FileNotFoundError:
            return 0
        try:
            fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for mark in list(_list_all_marks(self._logs_folder, folder.name)):
                taken += _move(mark, self._build_mark(mark.name.rpartition(".")[0], _READY))
            (folder / _LOCK).unlink(missing_ok=True)
            folder.rmdir()
        except OSError:  # its worker lives, or another process takes it over at this moment
            return taken
        finally:
            os.close(lock)
        return taken

    def _find_mark(self, name: str, suffix: str) -> ConfinedFile:
        return self._build_mark(hashlib.sha256(name.encode(errors="surrogateescape")).hexdigest()[:40], suffix)

    def _build_mark(self, digest: str, suffix: str) -> ConfinedFile:
        return ConfinedFile(self._logs_folder, f"{SPOOLS}/{self.spool_id}/{digest}{suffix}")

    def _list_marks(self, suffix: str) -> Iterator[ConfinedFile]:
        return list_files(self._logs_folder, f"{SPOOLS}/{self.spool_id}/*{suffix}")


def list_unsent_logs(logs_folder: Path) -> set[str]:
    """The paths below the folder of logs of all logs that are marked, by any worker."""
    unsent = set()
    for mark in _list_all_marks(logs_folder, "*"):
        try:
            unsent.add(_read(mark))
        except FileNotFoundError:
            continue
    return unsent


def _open_lock(folder: Path) -> int:
    return os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)


def _list_all_marks(logs_folder: Path, spool_id: str) -> Iterator[ConfinedFile]:
    return (mark for suffix in (_OPEN, _READY) for mark in list_files(logs_folder, f"{SPOOLS}/{spool_id}/*{suffix}"))


def _read(mark: ConfinedFile) -> str:
    """The path that the mark names. Raises FileNotFoundError."""
    with mark.open() as file:
        return file.read(_NAME_BYTES_MAX).decode(errors="surrogateescape")


def _move(source: ConfinedFile, target: ConfinedFile) -> bool:
    try:
        target.replace_with(source)
    except FileNotFoundError:
        return False
    return True
