"""The process of a projection makes way for those who interrupt it."""

from __future__ import annotations

import os
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from gnomon.entry.projection import idle_process


def _compute_beside(monkeypatch: pytest.MonkeyPatch, interruptions: int) -> Callable[[], tuple[int, int]]:
    """Computes half a second of processor, with so many interruptions each time somebody looks; the answer is the nice value and the number of pauses."""
    seen = 0
    pauses: list[float] = []

    def count(_who: int) -> SimpleNamespace:
        nonlocal seen
        seen += interruptions
        return SimpleNamespace(ru_nivcsw=seen)

    monkeypatch.setattr("resource.getrusage", count)
    monkeypatch.setattr("time.sleep", pauses.append)
    monkeypatch.setattr(idle_process, "LOOK_S", 0.0)

    def compute() -> tuple[int, int]:
        end = os.times().user + 0.5
        while os.times().user < end:
            sum(range(10_000))
        return os.nice(0), sum(map(bool, pauses))

    return compute


def test_it_pauses_while_others_want_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    nice, pauses = idle_process.run_idle(_compute_beside(monkeypatch, idle_process.INTERRUPTIONS_MAX + 1))
    assert nice == idle_process.IDLE
    assert pauses > 0


@pytest.mark.parametrize(("ticks", "policy"), [([7, 7], os.SCHED_OTHER), ([7, 8], os.SCHED_IDLE)])
def test_it_takes_idle_moments_alone_where_there_are_some(
    monkeypatch: pytest.MonkeyPatch, ticks: list[int], policy: int
) -> None:
    monkeypatch.setattr(idle_process, "_read_idle_ticks", lambda: ticks.pop(0))
    assert idle_process.run_idle(lambda: os.sched_getscheduler(0)) == policy


def test_it_does_not_pause_on_a_machine_that_has_nothing_else_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    _, pauses = idle_process.run_idle(_compute_beside(monkeypatch, idle_process.INTERRUPTIONS_MAX))
    assert pauses == 0
