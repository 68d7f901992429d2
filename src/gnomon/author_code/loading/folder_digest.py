"""FolderDigest: a short text that differs when the DAG folders of two hosts have other files, or files of other sizes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

from gnomon.ground.clock import Clock
from gnomon.ground.config import Config
from gnomon.ground.metrics import ProcessFigures
from gnomon.ground.metrics.definitions import DAG_FOLDER
from gnomon.model.instants import SECOND

READ_EVERY_S = 60.0
FILES_MAX = 50_000
"""A folder with more files is not read: it would hold the process for too long."""
SUFFIXES = (".py", ".zip", ".airflowignore", ".gnomonignore")


class FolderDigest:
    """Reads one folder, at most once in READ_EVERY_S."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        self._folder = folder
        self._clock = clock
        self._next_at = clock.monotonic()
        self._last = ("", 0)
        self._since_s = 0

    def record(self, figures: ProcessFigures) -> None:
        """Set the gauge of the folder: its digest and number of files as labels, and since when they are these."""
        if self._clock.monotonic() < self._next_at:
            return
        self._next_at = self._clock.monotonic() + READ_EVERY_S
        digest = read_digest(self._folder)
        if digest != self._last or not self._since_s:
            self._last, self._since_s = digest, self._clock.now() // SECOND
        figures.clear(DAG_FOLDER)
        if digest[0]:
            figures.put(DAG_FOLDER, self._since_s, digest[0], str(digest[1]))


def create_folder_recorder(cfg: Config, clock: Clock) -> Callable[[ProcessFigures], None]:
    """Records the digest of `[core] dags_folder`; nothing where DAG bundles are set, whose versions each host fetches itself."""
    if cfg.text("dag_processor", "dag_bundle_config_list").strip():
        return lambda _figures: None
    return FolderDigest(cfg.dags_folder, clock).record


def read_digest(folder: Path) -> tuple[str, int]:
    """The digest of the paths and sizes of DAG files, and their number; ("", 0) for a folder that cannot be read or has more than FILES_MAX."""
    sizes: list[str] = []
    try:
        for parent, folders, names in os.walk(folder, onerror=_raise, followlinks=False):
            folders[:] = [name for name in folders if name != "__pycache__" and not name.startswith(".")]
            relative = os.path.relpath(parent, folder)
            sizes += [
                f"{relative}/{name} {os.stat(os.path.join(parent, name)).st_size}"
                for name in names
                if name.endswith(SUFFIXES)
            ]
            if len(sizes) > FILES_MAX:
                return "", 0
    except OSError:
        return "", 0
    return hashlib.sha256("\n".join(sorted(sizes)).encode(errors="surrogateescape")).hexdigest()[:16], len(sizes)


def _raise(error: OSError) -> None:
    raise error
