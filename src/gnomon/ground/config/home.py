"""The home folder of an installation, and its folder for sockets and locks."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from gnomon.ground.config.option import OptionError

_SOCKET_PATH_MAX = 103
"""A Unix socket's path may have 107 bytes on Linux, 103 elsewhere."""
_LONGEST_NAME = len("/worker-") + 36 + len(".sock")


def default_home(environ: Mapping[str, str]) -> Path:
    """`GNOMON_HOME`, else `~/gnomon`; an absolute path, which need not exist."""
    named = environ.get("GNOMON_HOME", "").strip()
    return Path(named or "~/gnomon").expanduser().absolute()


def run_folder(home: Path) -> Path:
    """The folder for sockets and locks, created with access for its owner only: `run` in the home, or a short path for a long home.

    Raises OptionError when the folder cannot be created. One below the folder for temporary files, where everybody writes, is refused too when it is a link,
    belongs to another user, or others may write to it: who makes it first would read and answer the messages of the services.
    """
    inside = Path(home).absolute() / "run"
    fits = len(os.fsencode(inside)) + _LONGEST_NAME <= _SOCKET_PATH_MAX
    folder = inside if fits else _short(inside)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        stat_result = folder.lstat()
        around = folder.parent.stat()
    except OSError as error:
        from gnomon.model.sentences import say  # loaded with the first refusal

        raise OptionError(say("run_folder_cannot_be_made", folder=str(folder), error=error.strerror)) from None
    reason = None if folder is inside else _find_danger(stat_result, around)
    if reason is not None:
        from gnomon.model.sentences import say

        raise OptionError(say("run_folder_is_dangerous", folder=str(folder), reason=reason))
    return folder


def _find_danger(stat_result: os.stat_result, around: os.stat_result) -> str | None:
    """Why another user may reach what is in the folder, or put another in its place; None when none does. `around`: the folder that it is in."""
    if not stat.S_ISDIR(stat_result.st_mode):
        return "is a link or a file"
    if stat_result.st_uid != os.getuid():
        return "belongs to another user"
    if stat_result.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"may be written to by other users (mode {stat.S_IMODE(stat_result.st_mode):o})"
    if around.st_uid not in (0, os.getuid()):
        return "is in a folder that belongs to another user"
    if around.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not around.st_mode & stat.S_ISVTX:
        return "is in a folder where every user may rename it (it has no sticky bit)"
    return None


def _short(inside: Path) -> Path:
    import hashlib  # rarely needed, and slow to import for a DAG file that loads the options
    import tempfile

    digest = hashlib.sha256(os.fsencode(inside)).hexdigest()[:12]
    return Path(tempfile.gettempdir()) / f"gnomon-{os.getuid()}-{digest}"
