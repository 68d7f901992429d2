"""While the machine is busy, requests of users share a part of it, and each client gets its turn."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.types import Message, Receive, Scope, Send

from gnomon.api.common import processor_share
from gnomon.api.common.processor_share import (
    BURST_S,
    FIRST_COST_S,
    MEASURE_S,
    KernelMeter,
    ProcessorShare,
    ProcessorUse,
    RequestBudget,
)
from gnomon.api.common.request_turns import WAITING_MAX, RequestTurns


class ScriptedMeter:
    """A machine whose counters the test moves."""

    def __init__(self) -> None:
        self.at = 0.0
        self.use = ProcessorUse(0.0, 0.0, 0.0)

    def now(self) -> float:
        return self.at

    def read(self) -> ProcessorUse:
        return self.use

    def pass_time(self, seconds: float, *, ran: float = 0.0, waited: float = 0.0, process: float = 0.0) -> None:
        self.at += seconds
        self.use = ProcessorUse(self.use.process_s + process, self.use.loop_ran_s + ran, self.use.loop_waited_s + waited)


def make_busy(meter: ScriptedMeter, budget: RequestBudget) -> None:
    meter.pass_time(MEASURE_S, ran=0.01, waited=0.09)
    budget.update()


def test_a_machine_with_a_free_processor_limits_nothing() -> None:
    meter = ScriptedMeter()
    budget = RequestBudget(0.1, meter)
    for _ in range(10_000):
        budget.count()
    meter.pass_time(1.0, ran=0.9, waited=0.1)
    budget.update()
    assert budget.may_begin


def test_a_busy_machine_gives_a_burst_and_then_the_share_in_processor_time() -> None:
    meter = ScriptedMeter()
    budget = RequestBudget(0.1, meter)
    make_busy(meter, budget)
    begun = 0
    while budget.may_begin:
        budget.count()
        begun += 1
    assert begun == pytest.approx(BURST_S / FIRST_COST_S, abs=1)
    assert 0 < budget.pause_s <= MEASURE_S
    begun_each = [pass_hundredth(meter, budget, request_s=0.004) for _ in range(1_500)]
    assert sum(begun_each[500:]) == pytest.approx(10 * 0.1 / 0.004, rel=0.05)  # the first five seconds find out what a request costs


def pass_hundredth(meter: ScriptedMeter, budget: RequestBudget, request_s: float) -> int:
    """A hundredth of a second on a busy machine; returns how many requests began."""
    meter.pass_time(0.01, ran=0.001, waited=0.009)
    budget.update()
    begun = 0
    while budget.may_begin:
        budget.count()
        meter.pass_time(0.0, process=request_s)
        begun += 1
    return begun


def test_the_limit_ends_with_the_other_work() -> None:
    meter = ScriptedMeter()
    budget = RequestBudget(0.1, meter)
    make_busy(meter, budget)
    for _ in range(1_000):
        budget.count()
    assert not budget.may_begin
    meter.pass_time(MEASURE_S, ran=0.1, waited=0.01)
    budget.update()
    assert budget.may_begin


def test_a_pause_without_requests_says_nothing_about_a_busy_machine_and_ends_the_limit() -> None:
    meter = ScriptedMeter()
    budget = RequestBudget(0.1, meter)
    make_busy(meter, budget)
    for _ in range(1_000):
        budget.count()
    for _ in range(2):
        meter.pass_time(MEASURE_S)
        budget.update()
    assert budget.may_begin


def test_exempt_requests_take_nothing_of_the_share() -> None:
    meter = ScriptedMeter()
    budget = RequestBudget(0.1, meter)
    make_busy(meter, budget)
    for _ in range(10_000):
        budget.count(is_exempt=True)
    assert budget.may_begin


def test_each_address_and_each_login_of_an_address_get_their_turns() -> None:
    async def play() -> list[str]:
        turns = RequestTurns()
        called: list[str] = []

        def add(address: str, login: str, name: str) -> None:
            turn = turns.add(address, login.encode())
            assert turn is not None
            turn.add_done_callback(lambda _turn: called.append(name))

        for number in range(4):
            add("flood", f"token {number % 2}", f"flood {number % 2} {number // 2}")
        add("other", "", "other 0")
        add("other", "", "other 1")
        for _ in range(6):
            assert turns.call_next()
            await asyncio.sleep(0)
        assert not turns.call_next()
        assert not turns
        return called

    assert asyncio.run(play()) == ["flood 0 0", "other 0", "flood 1 0", "other 1", "flood 0 1", "flood 1 1"]


def test_one_client_cannot_take_the_places_of_another_and_cancelled_requests_are_passed_over() -> None:
    async def play() -> None:
        turns = RequestTurns()
        many = [turns.add("flood", b"") for _ in range(WAITING_MAX)]
        assert None not in many
        assert turns.add("flood", b"") is None
        last = turns.add("other", b"")
        assert last is not None
        for turn in many:
            assert turn is not None
            turn.cancel()
        assert turns.call_next()
        assert last.done()
        assert not turns.call_next()
        assert turns.add("flood", b"") is not None

    asyncio.run(play())


async def ask(share: ProcessorShare, path: str, address: str) -> int:
    """The status of the answer."""
    statuses: list[int] = []

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    async def receive() -> Message:
        return {"type": "http.request", "body": b""}

    await share({"type": "http", "path": path, "client": (address, 1), "headers": [(b"authorization", b"Bearer x")]}, receive, send)
    return statuses[0]


async def answer(_scope: Scope, _receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})


def test_requests_wait_workers_and_probes_do_not_and_too_many_of_a_client_are_refused() -> None:
    async def play() -> None:
        meter = ScriptedMeter()
        share = ProcessorShare(answer, 0.1 / len(os.sched_getaffinity(0)), meter)
        meter.pass_time(MEASURE_S, ran=0.01, waited=0.09)
        statuses = [await ask(share, "/api/v2/dags", "flood") for _ in range(int(BURST_S / FIRST_COST_S))]
        assert set(statuses) == {200}
        waiting = [asyncio.create_task(ask(share, "/api/v2/dags", "flood")) for _ in range(WAITING_MAX + 1)]
        await asyncio.sleep(0)
        refused = [one for one in waiting if one.done()]
        assert [one.result() for one in refused] == [503]
        for path in ("/execution/2026-11-01/attempts/1/heartbeat", "/health", "/api/v2/monitor/health"):
            assert await ask(share, path, "flood") == 200
        assert sum(one.done() for one in waiting) == 1
        meter.pass_time(MEASURE_S, ran=0.1)  # the other work has ended
        assert await asyncio.wait_for(asyncio.gather(*waiting), 30) == [200] * WAITING_MAX + [503]

    asyncio.run(play())


def test_the_counters_of_the_kernel_are_those_of_this_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "schedstat"
    file.write_text("2000000000 500000000 77\n")
    monkeypatch.setattr(processor_share, "_SCHEDSTAT", file)
    assert replace(KernelMeter().read(), process_s=0.0) == ProcessorUse(0.0, 2.0, 0.5)
    file.unlink()
    assert replace(KernelMeter().read(), process_s=0.0) == ProcessorUse(0.0, 0.0, 0.0)
