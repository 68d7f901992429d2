"""Signals in the processes of tasks."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from gnomon.author_code.runner import signals
from gnomon.author_code.runner.signals import INTERRUPT, prepare_sigterm, terminable, time_limit
from gnomon.authoring.operators.time_limit import timeout
from gnomon.model.errors.authoring import AirflowTaskTerminated, AirflowTaskTimeout

SCRIPT = """
import signal
signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTERM, signal.SIGALRM, signal.SIGHUP))
from gnomon.author_code.runner.signals import prepare_sigterm
prepare_sigterm()
print(sorted(number.name for number in signal.pthread_sigmask(signal.SIG_BLOCK, ())))
"""


@pytest.mark.ordinary
def test_a_zygote_takes_the_signals_that_its_parent_has_blocked() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], check=True, capture_output=True, text=True)
    assert done.stdout == "['SIGHUP']\n"


class _Sender:
    """Its destructor sends the signal, whose exception is lost there."""

    def __init__(self, number: signal.Signals, arrivals: list[int]) -> None:
        self._number = number
        self._arrivals = arrivals

    def __del__(self) -> None:
        signal.raise_signal(self._number)
        while not self._arrivals:
            pass


def _count_arrivals(number: signal.Signals) -> list[int]:
    arrivals: list[int] = []
    handle: Any = signal.getsignal(number)

    def count(*given: Any) -> None:
        arrivals.append(number)
        handle(*given)

    signal.signal(number, count)
    return arrivals


@pytest.fixture
def prepared() -> Iterator[None]:
    """The handlers of a process of tasks; afterwards those of the tests are back."""
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, INTERRUPT)}
    hook = sys.unraisablehook
    prepare_sigterm()
    yield
    for number, handler in before.items():
        signal.signal(number, handler)
    sys.unraisablehook = hook
    signals._sigterm.prepared = False


def _send_later(number: signal.Signals, after_s: float) -> None:
    threading.Timer(after_s, os.kill, args=(os.getpid(), number)).start()


@pytest.mark.usefixtures("prepared")
def test_a_sigterm_whose_exception_a_destructor_has_lost_is_raised_with_the_next_interrupt() -> None:
    with pytest.raises(AirflowTaskTerminated), terminable():
        arrivals = _count_arrivals(signal.SIGTERM)
        _Sender(signal.SIGTERM, arrivals)
        _send_later(INTERRUPT, 0.05)
        time.sleep(60)
    assert arrivals == [signal.SIGTERM]


@pytest.mark.usefixtures("prepared")
def test_a_time_limit_whose_exception_a_destructor_has_lost_is_raised_again() -> None:
    with pytest.raises(AirflowTaskTimeout), time_limit(3600, "t"):
        arrivals = _count_arrivals(signal.SIGALRM)
        _Sender(signal.SIGALRM, arrivals)
        time.sleep(60)
    assert len(arrivals) == 2


@pytest.mark.usefixtures("prepared")
def test_an_interrupt_after_sigterm_raises_nothing_more() -> None:
    """`on_kill` and the callbacks of a task that was stopped run to their end."""
    ended = False
    try:
        with terminable():
            signal.raise_signal(signal.SIGTERM)
    except AirflowTaskTerminated:
        with terminable():
            signal.raise_signal(INTERRUPT)
            ended = True
    assert ended


@pytest.mark.usefixtures("prepared")
def test_other_exceptions_that_go_no_further_are_reported_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    monkeypatch.setattr(signals, "_other_hook", seen.append)

    class Broken:
        def __del__(self) -> None:
            with timeout(0.01):
                time.sleep(60)

    with terminable():
        Broken()
    assert [one.exc_type for one in seen] == [AirflowTaskTimeout]
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


@pytest.mark.parametrize("limit", [lambda: time_limit(0.2, "t"), lambda: timeout(0.2)])
def test_a_time_limit_ends_a_call_that_its_first_signal_has_missed(limit: Callable[[], Any]) -> None:
    """As if the first signal had arrived just before the call: the handler runs when the next one ends the call."""
    missed: list[int] = []
    with pytest.raises(AirflowTaskTimeout), limit():
        handle: Any = signal.getsignal(signal.SIGALRM)

        def miss_first(*given: Any) -> None:
            missed.append(1)
            if len(missed) > 1:
                handle(*given)

        signal.signal(signal.SIGALRM, miss_first)
        time.sleep(60)
    assert len(missed) == 2
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_limit_goes_on_after_a_shorter_one_within_it() -> None:
    began = time.monotonic()
    with pytest.raises(AirflowTaskTimeout, match="outer ran for longer"), time_limit(0.2, "outer"):
        with time_limit(60, "inner"):
            pass
        while time.monotonic() < began + 60:
            time.sleep(0.01)


def test_a_limit_that_is_over_within_another_one_raises_at_its_end() -> None:
    passed = []
    with pytest.raises(AirflowTaskTimeout, match="outer ran for longer"), time_limit(0.05, "outer"):
        with time_limit(60, "inner"):
            time.sleep(0.2)
            passed.append("inner")
        time.sleep(60)
    assert passed == ["inner"]
