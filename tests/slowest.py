"""The sum of the times of all tests, the processor seconds of the run, and its slowest tests, at its end: `pytest -p tests.slowest`.

`--times=FILE` writes the seconds of each test, for `tests/run_order.py` and for whoever makes the suite faster.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

SHOWN = 10


class TestTimes:
    """Seconds by test and by phase."""

    __test__ = False

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._by_test: Counter[str] = Counter()
        self._by_phase: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._by_test[report.nodeid] += report.duration
        self._by_phase[report.when] += report.duration

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """The workers have ended: what they and their processes used is that of this process' children."""
        phases = ", ".join(f"{phase} {self._by_phase[phase]:.0f} s" for phase in ("setup", "call", "teardown"))
        used = sum(os.times()[:4])
        terminalreporter.write_sep("=", "times")
        terminalreporter.write_line(
            f"{len(self._by_test)} tests took {self._by_test.total():.0f} s together ({phases}); {used:.0f} s of processor. The slowest:"
        )
        for nodeid, seconds in self._by_test.most_common(SHOWN):
            terminalreporter.write_line(f"{seconds:8.1f} s  {nodeid}")
        if self._file is not None:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._file.write_text(
                "".join(f"{seconds:.3f}\t{nodeid}\n" for nodeid, seconds in self._by_test.most_common()),
                "utf-8",
                "backslashreplace",
            )


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--times", metavar="FILE", default="", help="write the seconds of each test to FILE, the slowest first"
    )


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        file = config.getoption("times")
        config.pluginmanager.register(TestTimes(config.invocation_params.dir / file if file else None), "test-times")
