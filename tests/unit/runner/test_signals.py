"""Signals in the processes of tasks."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from gnomon.errors.authoring import AirflowTaskTerminated, AirflowTaskTimeout
from gnomon.operators.time_limit import timeout
from gnomon.runner.signals import terminable, time_limit

SCRIPT = """
import signal
signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTERM, signal.SIGALRM, signal.SIGHUP))
from gnomon.runner.signals import prepare_sigterm
prepare_sigterm()
print(sorted(number.name for number in signal.pthread_sigmask(signal.SIG_BLOCK, ())))
"""


def test_a_zygote_takes_the_signals_that_its_parent_has_blocked() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], check=True, capture_output=True, text=True)
    assert done.stdout == "['SIGHUP']\n"


class _Waiting:
    """Its destructor runs until the signal arrives, whose exception is lost there."""

    def __init__(self, arrived: Callable[[], bool]) -> None:
        self._arrived = arrived

    def __del__(self) -> None:
        while not self._arrived():
            pass


def _lose(number: signal.Signals) -> None:
    """Run a destructor until the next signal of this number has arrived."""
    arrivals: list[int] = []
    handle: Any = signal.getsignal(number)

    def count(*given: Any) -> None:
        arrivals.append(number)
        handle(*given)

    signal.signal(number, count)
    _Waiting(lambda: bool(arrivals))


def test_a_sigterm_whose_exception_a_destructor_has_lost_comes_again() -> None:
    with pytest.raises(AirflowTaskTerminated), terminable():
        threading.Timer(0.05, os.kill, args=(os.getpid(), signal.SIGTERM)).start()
        _lose(signal.SIGTERM)
        time.sleep(60)


def test_a_time_limit_whose_exception_a_destructor_has_lost_comes_again() -> None:
    with pytest.raises(AirflowTaskTimeout), terminable(), time_limit(0.05, "t"):
        _lose(signal.SIGALRM)
        time.sleep(60)


@pytest.mark.parametrize("limit", [lambda: time_limit(0.05, "t"), lambda: timeout(0.05)])
def test_a_time_limit_ends_a_call_that_its_first_signal_has_missed(limit: Callable[[], Any]) -> None:
    """The signal is handled late as if it had arrived just before the call: the handler runs when the next one ends the call."""
    with pytest.raises(AirflowTaskTimeout), limit():
        handle: Any = signal.getsignal(signal.SIGALRM)
        missed: list[int] = []

        def miss_first(*given: Any) -> None:
            if missed:
                handle(*given)
            missed.append(1)

        signal.signal(signal.SIGALRM, miss_first)
        time.sleep(60)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
