"""While the machine is busy, requests of users share a part of it, and each client gets its turn."""

from __future__ import annotations

import asyncio
import os
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.types import Message, Receive, Scope, Send

from gnomon.api.common import processor_share
from gnomon.api.common.client_bursts import ADDRESS_BURST_S, BURST_S, CLIENTS_MAX, PAUSE_S, ClientBursts
from gnomon.api.common.processor_share import (
    DEBT_S,
    FIRST_COST_S,
    HOLD_S,
    MEASURE_S,
    SAVED_S,
    KernelMeter,
    ProcessorShare,
    ProcessorUse,
    RequestBudget,
)
from gnomon.api.common.request_turns import WAITING_MAX, RequestTurns

pytestmark = pytest.mark.pure


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
        self.use = ProcessorUse(
            self.use.process_s + process, self.use.loop_ran_s + ran, self.use.loop_waited_s + waited
        )


def make_busy(meter: ScriptedMeter, budget: RequestBudget) -> None:
    meter.pass_time(MEASURE_S, ran=0.01, waited=0.09)
    budget.update()


def take_all(budget: RequestBudget, login: bytes = b"flood", address: str = "flood") -> int:
    """Begin requests of the login until one would have to wait; returns how many began. At most 100,000."""
    for begun in range(100_000):
        if budget.may_begin:
            budget.count(address, login)
        elif not budget.count_burst(address, login):
            return begun
    return 100_000


def test_a_machine_with_a_free_processor_limits_nothing() -> None:
    meter = ScriptedMeter()
    budget = RequestBudget(0.1, meter)
    assert take_all(budget) == 100_000
    meter.pass_time(1.0, ran=0.9, waited=0.1)
    budget.update()
    assert budget.may_begin


def test_a_busy_machine_gives_a_burst_and_then_the_share_in_processor_time() -> None:
    meter = ScriptedMeter()
    budget = RequestBudget(0.1, meter)
    make_busy(meter, budget)
    assert take_all(budget) == pytest.approx(BURST_S / FIRST_COST_S, abs=2)
    assert 0 < budget.pause_s <= MEASURE_S
    begun_each = [pass_hundredth(meter, budget, request_s=0.004) for _ in range(1_500)]
    assert sum(begun_each[500:]) == pytest.approx(
        10 * 0.1 / 0.004, rel=0.05
    )  # the first five seconds find out what a request costs


def pass_hundredth(meter: ScriptedMeter, budget: RequestBudget, request_s: float, *, is_busy: bool = True) -> int:
    """A hundredth of a second with a flood that never pauses; returns how many requests began. A free machine answers three."""
    meter.pass_time(0.01, ran=0.001, waited=0.009 if is_busy else 0.0)
    budget.update()
    begun = 0
    while begun < 3 and (budget.may_begin or budget.count_burst("flood", b"token")):
        budget.count("flood", b"token")
        meter.pass_time(0.0, process=request_s)
        begun += 1
    return begun


def test_a_flood_that_a_free_machine_has_answered_has_no_burst_when_the_machine_becomes_busy() -> None:
    """Runs of two seconds and pauses of one and a half between them, as in `bench.api_flood`."""
    meter = ScriptedMeter()
    budget = RequestBudget(0.1, meter)
    in_runs = []
    for _run in range(20):
        in_runs.append(sum(pass_hundredth(meter, budget, 0.004) for _ in range(200)))
        for _ in range(150):
            pass_hundredth(meter, budget, 0.004, is_busy=False)
    used_s = [begun * 0.004 for begun in in_runs[2:]]
    until_measured_s = (MEASURE_S + 0.01) * 3 / 0.01 * 0.004
    assert max(used_s) <= 2.0 * 0.1 + until_measured_s + SAVED_S


def test_the_limit_ends_with_the_other_work() -> None:
    meter = ScriptedMeter()
    budget = RequestBudget(0.1, meter)
    make_busy(meter, budget)
    take_all(budget)
    assert not budget.may_begin
    for _ in range(round((HOLD_S + MEASURE_S) / MEASURE_S) + 1):
        meter.pass_time(MEASURE_S, ran=0.1, waited=0.01)
        budget.update()
    assert take_all(budget) == 100_000


def test_one_measurement_with_little_waiting_does_not_end_the_limit() -> None:
    meter = ScriptedMeter()
    budget = RequestBudget(0.1, meter)
    make_busy(meter, budget)
    take_all(budget)
    meter.pass_time(MEASURE_S, ran=0.1, waited=0.01)
    budget.update()
    assert take_all(budget) < 100


def test_a_pause_without_requests_says_nothing_about_a_busy_machine_and_ends_the_limit() -> None:
    meter = ScriptedMeter()
    budget = RequestBudget(0.1, meter)
    make_busy(meter, budget)
    take_all(budget)
    meter.pass_time(HOLD_S + MEASURE_S)
    budget.update()
    assert take_all(budget) == 100_000


def test_exempt_requests_take_nothing_of_the_share() -> None:
    meter = ScriptedMeter()
    budget = RequestBudget(0.1, meter)
    make_busy(meter, budget)
    for _ in range(10_000):
        budget.count_exempt()
    assert budget.may_begin


def test_a_login_has_its_burst_beside_the_flood_of_another_login_of_its_address() -> None:
    meter = ScriptedMeter()
    budget = RequestBudget(0.1, meter)
    make_busy(meter, budget)
    take_all(budget, b"flood")
    assert take_all(budget, b"page") == pytest.approx(BURST_S / FIRST_COST_S, abs=2)
    assert not budget.count_burst("flood", b"flood")
    assert not budget.count_burst("flood", b"page")


def test_the_share_of_the_time_after_a_burst_pays_for_it_up_to_a_bound() -> None:
    meter = ScriptedMeter()
    budget = RequestBudget(0.1, meter)
    make_busy(meter, budget)
    take_all(budget, b"page")
    seconds = 0.0
    while not budget.may_begin:
        meter.pass_time(MEASURE_S, ran=0.01, waited=0.09)
        budget.update()
        seconds += MEASURE_S
    assert seconds == pytest.approx(DEBT_S / 0.1, abs=0.2)


def test_a_burst_grows_again_in_a_pause_only() -> None:
    bursts = ClientBursts(0.1)
    bursts.charge("a", b"x", 0.0, BURST_S + 1.0)
    at = 0.0
    for _ in range(100):
        at += PAUSE_S / 2
        assert not bursts.has_left("a", b"x", at)
        bursts.charge("a", b"x", at, 0.0)
    assert bursts.has_left("a", b"x", at + 1.0)
    bursts.charge("a", b"x", at + 1.0, 0.05)
    assert bursts.has_left("a", b"x", at + 1.0)
    bursts.charge("a", b"x", at + 1.0, 0.06)
    assert not bursts.has_left("a", b"x", at + 1.0)


def test_an_address_that_invents_logins_has_a_bound_of_its_own() -> None:
    meter = ScriptedMeter()
    budget = RequestBudget(0.1, meter)
    make_busy(meter, budget)
    begun = sum(take_all(budget, b"invented %d" % number, "flood") for number in range(100))
    assert begun == pytest.approx((SAVED_S + ADDRESS_BURST_S) / FIRST_COST_S, rel=0.01)
    assert take_all(budget, b"page", "other") == pytest.approx(BURST_S / FIRST_COST_S, abs=2)


def test_logins_and_addresses_that_are_remembered_have_a_bound() -> None:
    bursts = ClientBursts(0.1)
    bursts.charge("a", b"first", 0.0, BURST_S)
    bursts.charge_address("first", 0.0, ADDRESS_BURST_S)
    for number in range(CLIENTS_MAX - 1):
        bursts.charge("a", b"%d" % number, 0.0, BURST_S)
        bursts.charge_address(str(number), 0.0, ADDRESS_BURST_S)
    assert not bursts.has_left("a", b"first", 0.0)
    assert not bursts.has_left("first", b"new", 0.0)
    bursts.charge("a", b"one more", 0.0, BURST_S)
    bursts.charge_address("one more", 0.0, ADDRESS_BURST_S)
    assert bursts.has_left("a", b"first", 0.0)
    assert bursts.has_left("first", b"new", 0.0)


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


async def ask(share: ProcessorShare, path: str, address: str, login: bytes = b"Bearer x") -> int:
    """The status of the answer."""
    statuses: list[int] = []

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    async def receive() -> Message:
        return {"type": "http.request", "body": b""}

    await share(
        {"type": "http", "path": path, "client": (address, 1), "headers": [(b"authorization", login)]}, receive, send
    )
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
        assert not [one for one in waiting if one.done() and one.result() == 200]
        unknown = [
            asyncio.create_task(ask(share, path, "flood"))
            for path in ("/healthy", "/health/x", "/api/v2/monitor/health2")
        ]
        await asyncio.sleep(0)
        assert [one.result() for one in unknown] == [503] * 3
        assert {await ask(share, "/api/v2/dags", "flood", b"Bearer page") for _ in range(20)} == {
            200
        }  # as many as a page asks for when it is opened
        assert sum(one.done() for one in waiting) == 1
        meter.pass_time(HOLD_S + MEASURE_S, ran=0.1)  # the other work has ended
        assert await asyncio.wait_for(asyncio.gather(*waiting), 30) == [200] * WAITING_MAX + [503]

    asyncio.run(play())


def test_the_addresses_of_one_ipv6_network_are_one_client() -> None:
    async def play() -> list[int]:
        meter = ScriptedMeter()
        share = ProcessorShare(answer, 0.1 / len(os.sched_getaffinity(0)), meter)
        meter.pass_time(MEASURE_S, ran=0.01, waited=0.09)
        asked = [
            asyncio.create_task(ask(share, "/api/v2/dags", f"2001:db8::{number:x}", b"%d" % number))
            for number in range(3_000)
        ]
        await asyncio.sleep(0)
        for one in asked:
            one.cancel()
        return [one.result() for one in asked if one.done()]

    statuses = asyncio.run(play())
    assert statuses.count(200) == pytest.approx((SAVED_S + ADDRESS_BURST_S) / FIRST_COST_S, rel=0.01)
    assert statuses.count(503) == 3_000 - statuses.count(200) - WAITING_MAX


def test_invented_logins_that_are_long_take_little_memory() -> None:
    async def play() -> int:
        share = ProcessorShare(answer, 0.1, ScriptedMeter())
        await ask(share, "/api/v2/dags", "flood")
        before = tracemalloc.get_traced_memory()[0]
        for number in range(200):
            assert await ask(share, "/api/v2/dags", "flood", b"%d" % number + b"x" * 50_000) == 200
        return tracemalloc.get_traced_memory()[0] - before

    tracemalloc.start()
    try:
        assert asyncio.run(play()) < 1_000_000
    finally:
        tracemalloc.stop()


def test_the_counters_of_the_kernel_are_those_of_this_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "schedstat"
    file.write_text("2000000000 500000000 77\n")
    monkeypatch.setattr(processor_share, "_SCHEDSTAT", file)
    assert replace(KernelMeter().read(), process_s=0.0) == ProcessorUse(0.0, 2.0, 0.5)
    file.unlink()
    assert replace(KernelMeter().read(), process_s=0.0) == ProcessorUse(0.0, 0.0, 0.0)
