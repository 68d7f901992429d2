"""One trigger that blocks beside many that do not: who is named, and how late the others are for it."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable

import pytest
from tests.unit.services.triggerer.conftest import PATIENCE_S, Running

from gnomon.ground.clock import SystemClock
from gnomon.ground.config import Config
from gnomon.services.triggerer import loop_watchdog
from gnomon.services.triggerer.host_protocol import LoopBlocked
from gnomon.services.triggerer.loop_watchdog import LoopWatchdog, SleepAwareSelector, create_watched_loop

MANY = pytest.param(1000, 5.0, marks=pytest.mark.soak)


@pytest.mark.parametrize(("healthy", "seconds"), [(50, 2.0), MANY])
def test_one_that_blocks_is_named_while_it_does_and_the_others_are_late_by_that_at_most(
    cfg: Config, healthy: int, seconds: float
) -> None:
    running = Running(cfg)
    try:
        named: list[LoopBlocked] = []
        running.start("Clocked", count=healthy, seconds=seconds)
        pk = running.start("Holds", seconds=seconds)
        running.until(lambda: len(running.ends) == healthy + 1)
        named = [told for job, told in running.crew.take_block_reports() if job.trigger_pk == pk]
        begun, over = json.loads(running.ends[pk].payload)
        clocked = [json.loads(fired.payload) for key, fired in running.ends.items() if key != pk]
    finally:
        running.crew.kill()
    assert [(one.classpath, one.task) for one in named] == [("authored.Holds", f"d r t{pk}")]
    assert 'time.sleep(self.kwargs["seconds"])' in named[0].stack
    assert named[0].seconds < over - begun, "said before the loop turned again"
    in_order = sorted(clocked)
    assert [fired for _, fired in in_order] == sorted(fired for _, fired in in_order), "who was due first went first"
    held_up = [(due, fired) for due, fired in clocked if begun < due < over]
    assert held_up and all(fired >= over for _, fired in held_up)
    latest = max(fired - max(due, over) if due > begun else fired - due for due, fired in clocked)
    print(
        f"{healthy} triggers beside one that blocked {over - begun:.2f} s: the last went on {latest:.3f} s after its end or its due"
    )
    assert latest < PATIENCE_S, "a bound, not an expectation"


@pytest.mark.parametrize("healthy", [50, pytest.param(1000, marks=pytest.mark.soak)])
def test_one_that_blocks_for_ever_is_ended_with_its_host_beside_many_that_go_on(cfg: Config, healthy: int) -> None:
    running = Running(cfg, silent_s=2.0)
    try:
        running.start("Nap", count=healthy, seconds=4)
        pk = running.start("Blocks", seconds=600)
        fired = running.end_of(pk)
        assert (fired.outcome, list(running.ends)) == ("error", [pk])
        assert "blocked the event loop of all triggers for 2 s" in (fired.reason or "")
        assert "time.sleep" in (fired.traceback or "")
        running.until(lambda: len(running.ends) == healthy + 1)
        assert {one.outcome for key, one in running.ends.items() if key != pk} == {"event"}
    finally:
        running.crew.kill()


def test_asyncios_own_debug_mode_names_slow_callbacks_in_the_log_of_the_triggerer(
    cfg: Config, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PYTHONASYNCIODEBUG", "1")
    running = Running(cfg, late_s=60.0)
    said: list[str] = []

    def slow_callbacks() -> list[str]:
        said.extend(line for line in capfd.readouterr().err.splitlines() if '"logger": "asyncio"' in line)
        return [
            line
            for line in said
            if "Executing <Task" in line and "authored.Blocks of d r t1" in line and " took " in line
        ]

    try:
        running.start("Blocks", seconds=0.5)
        running.until(slow_callbacks)
    finally:
        running.crew.kill()


def test_a_loop_that_sleeps_is_looked_at_and_not_woken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop_watchdog, "CHECK_EVERY_S", 0.001)
    looks: list[None] = []
    asked_after: list[int] = []

    class Dozer(SleepAwareSelector):
        @property
        def is_asleep(self) -> bool:  # type: ignore[override]
            looks.append(None)
            return len(looks) <= 10

    class Silent:
        def find_blocking_trigger(self) -> None:
            raise AssertionError("the loop has answered: nobody holds it up")

    def ask(answered: Callable[[], None]) -> None:
        asked_after.append(len(looks))
        answered()
        watch.stop()

    watch = LoopWatchdog(Silent(), ask, SystemClock(), late_s=PATIENCE_S, selector=Dozer())  # type: ignore[arg-type]
    watch.start()
    watch.join(PATIENCE_S)
    assert asked_after == [11]


def test_a_selector_tells_whether_its_loop_sleeps_in_it() -> None:
    seen: list[bool] = []
    loop, sleeper = create_watched_loop()

    async def turn() -> None:
        seen.append(sleeper.is_asleep)
        look = threading.Thread(target=lambda: seen.append(_until(lambda: sleeper.is_asleep)))
        look.start()
        await asyncio.to_thread(look.join)
        seen.append(sleeper.is_asleep)

    try:
        loop.run_until_complete(turn())
    finally:
        loop.close()
    assert seen == [False, True, False]


def _until(holds: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + PATIENCE_S
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.001)
    return holds()
