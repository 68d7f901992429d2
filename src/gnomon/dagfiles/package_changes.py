"""Which failed files to parse again because a package was installed since. No clock: whoever asks does so about once a second."""

from __future__ import annotations

from collections.abc import Callable, Iterable

LOOK_S = 1.0
"""Between two looks at the folders of packages, while the import of a file has failed."""


class InstallWatch:
    """Remembers what was installed when each parse began."""

    def __init__(self, stamp: Callable[[], str]) -> None:
        """`stamp`: another text whenever other packages are installed."""
        self._stamp = stamp
        self._at_start: dict[str, str] = {}
        self._last = ""

    def parse_begins(self, path: str) -> None:
        """The parse of `path` finds what is installed now."""
        self._at_start[path] = self._stamp()

    def forget(self, path: str) -> None:
        """The file is no DAG file any more."""
        self._at_start.pop(path, None)

    def to_parse(self, failed: Iterable[str]) -> list[str]:
        """Of these files, those whose parse began before the last change of packages. None while packages are changing.

        They are changing if this look and the one before differ: a file that is parsed in the middle of an installation fails again.
        """
        now = self._stamp()
        is_settled, self._last = now == self._last, now
        return [path for path in failed if self._at_start.get(path) != now] if is_settled else []
