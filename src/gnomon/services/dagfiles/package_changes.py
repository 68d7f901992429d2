"""Decides which failed files are parsed again after a package was installed; checked about once a second."""

from __future__ import annotations

from collections.abc import Callable, Iterable

LOOK_S = 1.0
"""Interval between checks of the package folders, while the import of a file has failed."""


class InstallWatch:
    """Remembers the installed packages at the start of each parse."""

    def __init__(self, stamp: Callable[[], str]) -> None:
        """`stamp` returns a text that changes whenever packages are installed."""
        self._stamp = stamp
        self._at_start: dict[str, str] = {}
        self._last = ""

    def parse_begins(self, path: str) -> None:
        """The parse of `path` starts with the packages that are installed now."""
        self._at_start[path] = self._stamp()

    def forget(self, path: str) -> None:
        """The file is not a DAG file any more."""
        self._at_start.pop(path, None)

    def to_parse(self, failed: Iterable[str]) -> list[str]:
        """The files whose parse started before the last change of packages; none while packages are changing.

        Packages are changing when this check and the last one differ: a parse in the middle of an installation would fail again.
        """
        now = self._stamp()
        is_settled, self._last = now == self._last, now
        return [path for path in failed if self._at_start.get(path) != now] if is_settled else []
