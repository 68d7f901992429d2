"""The home folder of an installation, and its folder for sockets and locks."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from gnomon.config.option import OptionError

_SOCKET_PATH_MAX = 103
"""A Unix socket's path may have 107 bytes on Linux, 103 elsewhere."""
_LONGEST_NAME = len("/worker-") + 36 + len(".sock")


def default_home(environ: Mapping[str, str]) -> Path:
    """`GNOMON_HOME`, else `~/gnomon`; an absolute path, which need not exist."""
    named = environ.get("GNOMON_HOME", "").strip()
    return Path(named or "~/gnomon").expanduser().absolute()


def run_folder(home: Path) -> Path:
    """The folder for sockets and locks, created with access for its owner only: `run` in the home, or a short path for a long home.

    Raises OptionError when the folder cannot be created or belongs to another user.
    """
    inside = Path(home).absolute() / "run"
    fits = len(os.fsencode(inside)) + _LONGEST_NAME <= _SOCKET_PATH_MAX
    folder = inside if fits else _short(inside)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        owner = folder.stat().st_uid
    except OSError as error:
        raise OptionError(
            f"cannot create {folder} for sockets and locks: {error.strerror}; set GNOMON_HOME to a folder that you can write to"
        ) from None
    if folder is not inside and owner != os.getuid():
        raise OptionError(f"{folder} belongs to another user; remove it, or use a shorter GNOMON_HOME")
    return folder


def _short(inside: Path) -> Path:
    import hashlib  # rarely needed, and slow to import for a DAG file that loads the options
    import tempfile

    digest = hashlib.sha256(os.fsencode(inside)).hexdigest()[:12]
    return Path(tempfile.gettempdir()) / f"gnomon-{os.getuid()}-{digest}"
