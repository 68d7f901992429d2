"""Records what a DAG file reads while it is imported. Used in parse children only: an audit hook cannot be removed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from importlib.util import source_from_cache
from typing import Any

from gnomon.author_code.loading.unrecorded_reads import is_unrecorded
from gnomon.services.dagfiles.inputs import ENV, UNKNOWN, stamp_of

INPUTS_MAX = 5000
"""A DAG file with more inputs is parsed again at every interval instead of comparing its inputs."""
_UNTRACKED_EVENTS = frozenset(
    {
        "socket.connect",
        "socket.getaddrinfo",
        "socket.gethostbyname",
        "socket.sendto",
        "subprocess.Popen",
        "os.system",
        "os.posix_spawn",
        "os.exec",
        "sqlite3.connect",
        "urllib.Request",
    }
)
"""Events whose result does not depend on files of this machine only, or that run a program that is not watched."""
_LISTING_EVENTS = frozenset({"os.listdir", "os.scandir"})
_WRITES = os.O_WRONLY | os.O_RDWR
_IMPORT_SYSTEM = "importlib._bootstrap_external"


class InputRecorder:
    """Collects the inputs of one import between `start()` and `stop()`."""

    def __init__(self, not_inputs: Iterable[str], facts: Callable[[str], str]) -> None:
        self._not_inputs = tuple(os.path.join(folder, "") for folder in not_inputs)
        self._stamp_of = facts
        self._is_recording = False
        self.stamps: dict[str, str] = {}
        """Path to its stamp just before its first read."""
        self.has_untracked_inputs = False

    def start(self) -> None:
        """Start recording."""
        sys.addaudithook(self._on_audit_event)
        os.environ.__class__ = _create_watched_class(os.environ, self._record_variable)  # noqa: TID251 - to record which variables are read
        self._is_recording = True

    def stop(self) -> None:
        """Stop recording."""
        self._is_recording = False

    def add(self, path: str) -> None:
        """Record `path` as an input."""
        if path in self.stamps:
            return
        if len(self.stamps) >= INPUTS_MAX:
            self.has_untracked_inputs = True
            return
        self.stamps[path] = UNKNOWN  # taking the stamp must not be recorded as another read
        self.stamps[path] = stamp_of(path, self._stamp_of)

    def _on_audit_event(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self._is_recording or is_unrecorded():
            return
        if event == "open":
            path, _, flags = arguments
            if not (flags or 0) & _WRITES:
                self._record_read(path)
        elif event in _LISTING_EVENTS:
            # The import system lists every folder of sys.path that it searches; the modules that it loads are recorded by their files.
            if sys._getframe(1).f_globals.get("__name__") != _IMPORT_SYSTEM:
                self._record_read(arguments[0] if arguments[0] is not None else ".", is_listing=True)
        elif event in _UNTRACKED_EVENTS:
            self.has_untracked_inputs = True

    def _record_read(self, path_argument: object, is_listing: bool = False) -> None:
        if isinstance(path_argument, int) or path_argument is None:
            return
        try:
            path = os.path.abspath(os.fsdecode(path_argument))  # type: ignore[arg-type]
        except (TypeError, ValueError, OSError):
            return
        if path.startswith(self._not_inputs):
            return
        if path.endswith(".pyc") and "__pycache__" in path:
            path = source_from_cache(path)
        self.add(os.path.join(path, "") if is_listing else path)

    def _record_variable(self, name: str) -> None:
        if self._is_recording:
            self.add(ENV + name)


def installation_folders() -> tuple[str, ...]:
    """The folders of Python, its packages and the system: reads there change with an installation, not with a DAG."""
    import gnomon  # to locate Gnomon's own files

    own = os.path.dirname(os.path.abspath(gnomon.__file__ or ""))
    installed = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}
    return (own, *sorted(installed - {"/"}), "/usr", "/lib", "/lib64", "/proc", "/sys", "/dev")


def _create_watched_class(environ: Any, on_read: Callable[[str], None]) -> Any:
    """A subclass of the class of `os.environ` that reports each name that is read."""
    base: Any = type(environ)

    class WatchedEnvironment(base):  # type: ignore[misc]
        def __getitem__(self, key: str) -> Any:
            on_read(key)
            return super().__getitem__(key)

        def __contains__(self, key: object) -> bool:
            if isinstance(key, str):
                on_read(key)
            return bool(super().__contains__(key))

    return WatchedEnvironment
