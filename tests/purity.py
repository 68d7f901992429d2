"""Three kinds of tests: pure ones start no process and open no database file, soak tests take minutes to hours, all others are ordinary.

The tests of PURE_FOLDERS are pure, but for those that are marked `ordinary`; elsewhere a test or a module is marked `pure`. The mark is
kept true by a guard: a pure test fails when it, or a fixture that it stands on, starts a process, opens a database file or connects to
a server. `make quick` runs the pure tests.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import psycopg

PURE_FOLDERS = tuple(
    f"tests/unit/{name}/"
    for name in (
        "airflow_compat",
        "author_code/context",
        "author_code/loading",
        "author_code/runner",
        "authoring/operators",
        "authoring/sdk",
        "entry/simulate",
        "ground",
        "model",
        "queries/report",
        "rules",
        "storage/store",
    )
)

_EFFECTS = {
    "os.exec": "starts a process",
    "os.fork": "starts a process",
    "os.forkpty": "starts a process",
    "os.posix_spawn": "starts a process",
    "os.system": "starts a process",
    "subprocess.Popen": "starts a process",
    "sqlite3.connect": "opens a database file",
    "socket.connect": "connects to a server",
}
"""What a pure test does not do, by the names of Python's audit events."""


class PurityGuard:
    """Marks the tests of the pure folders, and fails the pure ones that are not."""

    def __init__(self) -> None:
        self._effects: list[str] = []
        self._process = os.getpid()
        self._impure_fixtures: dict[pytest.FixtureDef[object], str] = {}

    def pytest_ignore_collect(self, collection_path: Path, config: pytest.Config) -> bool | None:
        """A run of all pure tests imports no module that has none."""
        options = config.option
        asks_for_pure = options.markexpr.split()[:1] == ["pure"] and " or " not in options.markexpr
        if not asks_for_pure or options.file_or_dir or not collection_path.match("test_*.py"):
            return None
        is_in_folder = collection_path.relative_to(config.rootpath).as_posix().startswith(PURE_FOLDERS)
        return None if is_in_folder or "pure" in collection_path.read_text("utf-8") else True

    @pytest.hookimpl(tryfirst=True)
    def pytest_pycollect_makeitem(self, collector: pytest.Collector, obj: object) -> list[pytest.Item] | None:
        """A run of all tests but those of the soak makes no item of these, nor of their parameters."""
        options = collector.config.option
        if options.file_or_dir or "not soak" not in options.markexpr.split(" and "):
            return None
        marks = getattr(obj, "pytestmark", None)
        return [] if isinstance(marks, list) and any(mark.name == "soak" for mark in marks) else None

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: Sequence[pytest.Item]) -> None:
        for item in items:
            if _has_mark(item, "pure") and _has_mark(item, "ordinary"):
                raise pytest.UsageError(
                    f"{item.nodeid} is marked both pure and ordinary: mark the pure tests of its module, not the module"
                )
            if item.nodeid.startswith(PURE_FOLDERS) and not _has_mark(item, "ordinary", "soak"):
                item.add_marker("pure")

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """The hook of the interpreter stays to its end."""
        if any(_has_mark(item, "pure") for item in session.items):
            import psycopg  # takes longer than many a test

            sys.addaudithook(self._on_event)
            _call_before(psycopg.BaseConnection, lambda: self._effects.append("connects to a server"))

    def _on_event(self, event: str, arguments: tuple[object, ...]) -> None:
        if (
            event in _EFFECTS
            and os.getpid() == self._process
            and not (event == "sqlite3.connect" and _in_memory(arguments))
        ):
            self._effects.append(f"{_EFFECTS[event]} ({', '.join(map(repr, arguments[:2]))[:200]})")

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[object]) -> Generator[None, object, object]:
        """What a fixture of several tests does is done by each of them."""
        before = len(self._effects)
        result = yield
        if fixturedef.scope != "function" and len(self._effects) > before:
            self._impure_fixtures[fixturedef] = f"{self._effects[before]}, in its fixture {fixturedef.argname}"
        return result

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, object, object]:
        self._effects.clear()
        result = yield
        self._effects += [effect for fixture, effect in self._impure_fixtures.items() if fixture in _fixtures(item)]
        self._check(item)
        return result

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        self._effects.clear()
        result = yield
        self._check(item)
        return result

    def _check(self, item: pytest.Item) -> None:
        if self._effects and _has_mark(item, "pure"):
            pytest.fail(
                f"This pure test {self._effects[0]}: mark it, or its module, `ordinary` (tests/purity.py).",
                pytrace=False,
            )


def _has_mark(item: pytest.Item, *names: str) -> bool:
    return any(item.get_closest_marker(name) is not None for name in names)


def _in_memory(arguments: tuple[object, ...]) -> bool:
    return str(arguments[0]) in (":memory:", "") or "mode=memory" in str(arguments[0])


def _fixtures(item: pytest.Item) -> set[pytest.FixtureDef[object]]:
    info = getattr(item, "_fixtureinfo", None)
    return set() if info is None else {fixture for fixtures in info.name2fixturedefs.values() for fixture in fixtures}


def _call_before(connection: type[psycopg.BaseConnection[object]], note: Callable[[], None]) -> None:
    """The connections of libpq raise no audit event."""
    make = connection.__init__

    def noted(self: psycopg.BaseConnection[object], *args: object, **kwargs: object) -> None:
        note()
        make(self, *args, **kwargs)

    connection.__init__ = noted
