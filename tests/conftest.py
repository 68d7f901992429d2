"""What every test stands on: no Gnomon or Airflow setting of the developer's reaches a test, no signal is ignored, and no test
sees another's options."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from tests.forked import ForkGuard
from tests.purity import PurityGuard
from tests.run_order import RunOrder

from gnomon.ground.config import set_current_config

_PREFIXES = ("GNOMON_", "AIRFLOW_")
_TOLD_BY = (
    signal.SIGINT,
    signal.SIGQUIT,
    signal.SIGHUP,
    signal.SIGTERM,
    signal.SIGALRM,
    signal.SIGUSR1,
    signal.SIGUSR2,
    signal.SIGCHLD,
)


def pytest_configure(config: pytest.Config) -> None:
    """Pure tests are watched. Programs that tests start hear their signals, as in a terminal; whoever runs the tests may not.

    A shell starts what goes to the background (`make test &`) with Ctrl-C ignored, and `nohup` with hang-ups; who inherits
    that keeps it.
    """
    for number in _TOLD_BY:
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if number is signal.SIGINT else signal.SIG_DFL)
    config.pluginmanager.register(PurityGuard(), "purity-guard")
    config.pluginmanager.register(ForkGuard(), "fork-guard")
    config.pluginmanager.register(RunOrder(), "run-order")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What pytest made of the modules of the tests is kept for its next process, also where Python is told to write no bytecode.

    It rewrites the assertions of two thousand modules, in each of its processes: two thirds of the time of their collection. Of the rest, the collection
    of garbage takes half: it looks again and again at modules and tests that stay to the end.
    """
    told, sys.dont_write_bytecode = sys.dont_write_bytecode, False
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()
        sys.dont_write_bytecode = told


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """What a test printed or logged goes from process to process, also where it holds half a character."""
    report = yield
    report.sections = [(name, text.encode(errors="backslashreplace").decode()) for name, text in report.sections]
    return report


@pytest.fixture(autouse=True)
def _own_options(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The home is a folder that does not exist, and options are loaded anew."""
    for name in [name for name in os.environ if name.startswith(_PREFIXES)]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GNOMON_HOME", str(_nowhere(tmp_path_factory)))
    set_current_config(None)
    yield
    set_current_config(None)


def _nowhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.getbasetemp() / "no-home"
