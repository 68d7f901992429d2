"""Options of the triggerer, seen at keepers with real hosts."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.acceptance.effects import effect_of, options
from tests.databases import create_schema
from tests.keys import CIPHER
from tests.unit.services.triggerer.authored import TRIGGERS
from tests.unit.services.triggerer.conftest import PATIENCE_S
from tests.unit.services.triggerer.keeping import Deferred
from tests.unit.services.triggerer.test_shared_stream_groups import Source, make_subscriber

from gnomon.authoring.operators.empty import EmptyOperator
from gnomon.authoring.operators.triggers import SuccessTrigger
from gnomon.authoring.sdk.dags.start_trigger import choose_triggerer_queue
from gnomon.authoring.sdk.deferral.shared_stream import AckTimeout
from gnomon.ground.config import set_current_config
from gnomon.services.triggerer.host_main import read_shared_stream_limits
from gnomon.services.triggerer.host_protocol import LoopBlocked
from gnomon.services.triggerer.shared_stream_groups import SharedStreamOverflow, SharedStreams
from gnomon.storage.store import open_database

Make = Callable[..., Deferred]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """A world of deferred tasks under options."""
    made: list[Deferred] = []

    def world(**values: object) -> Deferred:
        (tmp_path / "plugins").mkdir()
        (tmp_path / "plugins" / "authored.py").write_text(TRIGGERS)
        url = f"sqlite:///{tmp_path / 'gnomon.db'}"
        create_schema(url)
        db = open_database(
            url, synchronous="OFF", cipher=CIPHER, lease_clock=lambda: made[0].lease_now() if made else 0
        )
        named = {name if "__" in name else f"triggerer__{name}": value for name, value in values.items()}
        made.append(Deferred(db, options(tmp_path, **named)))
        made[0].dag("d")
        return made[0]

    yield world
    for one in made:
        one.close()
        one.db.close()


@effect_of("triggerer.capacity")
def test_no_more_triggers_run_than_the_capacity(make: Make) -> None:
    world = make(capacity=2)
    for _ in range(3):
        world.wait("Nap", seconds=600)
    keeper, crew = world.keeper()
    keeper.tick()
    keeper.tick()
    assert len(crew) == 2


@effect_of("triggerer.job_heartbeat_sec")
def test_a_triggerer_is_taken_over_2_1_beats_after_its_last(make: Make) -> None:
    world = make(job_heartbeat_sec=2)
    world.wait("Nap", seconds=600)
    (silent, _), (other, crew) = world.keeper(), world.keeper()
    silent.tick()
    world.lease_s = 4.3
    other.tick()
    assert len(crew) == 1


@effect_of("triggerer.blocked_main_thread_warning_threshold", "triggerer.runner_health_check_threshold")
def test_a_trigger_that_blocks_is_named_after_one_threshold_and_ended_after_the_other(make: Make) -> None:
    world = make(blocked_main_thread_warning_threshold=0.7, runner_health_check_threshold=1.5)
    wait = world.wait("Blocks", seconds=600)
    one = world.keeper()
    named: list[LoopBlocked] = []
    world.until(lambda: named.extend(one[1].blocked_loops) or named, one)
    assert named[0].seconds >= 0.7
    began = time.monotonic()
    world.until(world.events, one)
    assert "for 1.5 s" in (world.events()[wait.key].reason or "")
    assert time.monotonic() - began < 25, "the default is 30 s"


@effect_of("triggerer.on_kill_timeout")
def test_on_kill_is_given_up_after_its_timeout(make: Make, tmp_path: Path) -> None:
    world = make(on_kill_timeout=0.1)
    notes = tmp_path / "notes"
    wait = world.wait("SlowKill", seconds=600, notes=str(notes))
    one = world.keeper()
    world.until(notes.exists, one)
    world.gone(wait, killed=True)
    world.until(lambda: notes.read_text().endswith("cleanup\n"), one)
    assert notes.read_text() == "run\nbegins\ncleanup\n"


@effect_of(
    "triggerer.shared_stream_subscriber_queue_size",
    "triggerer.shared_stream_ack_timeout",
    "triggerer.shared_stream_cohort_grace_period",
)
def test_options_limit_the_shared_streams_of_a_host(tmp_path: Path) -> None:
    limits = read_shared_stream_limits(
        options(
            tmp_path,
            triggerer__shared_stream_subscriber_queue_size=1,
            triggerer__shared_stream_ack_timeout=0.05,
            triggerer__shared_stream_cohort_grace_period=0.1,
        )
    )

    async def read(slow: bool) -> tuple[float, str]:
        began, source = time.monotonic(), Source()
        events = SharedStreams(limits).open_events("key", make_subscriber(source))
        source.put("one")
        await anext(events)
        seconds = time.monotonic() - began
        for word in ("two", "three", "four") if slow else ():
            source.put(word)
        await asyncio.sleep(0.3)
        with pytest.raises((AckTimeout, SharedStreamOverflow)) as raised:
            await anext(events)
        await events.aclose()  # type: ignore[attr-defined]
        return seconds, type(raised.value).__name__

    assert asyncio.run(read(slow=True))[1] == "SharedStreamOverflow"
    seconds, late = asyncio.run(read(slow=False))
    assert late == "AckTimeout"
    assert seconds >= 0.1


@effect_of("metrics.statsd_on", "metrics.statsd_host", "metrics.statsd_port", "metrics.statsd_prefix")
def test_figures_are_sent_to_a_statsd_server(make: Make) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        server.settimeout(PATIENCE_S)
        world = make(
            metrics__statsd_on=True,
            metrics__statsd_host="127.0.0.1",
            metrics__statsd_port=server.getsockname()[1],
            metrics__statsd_prefix="acme",
            capacity=7,
        )
        for name in ("Nap", "Success", "Raises"):
            world.wait(name)
        world.wait("Blocks", seconds=1)
        one = world.keeper()
        world.until(lambda: len(world.events()) == 4, one)
        world.until(lambda: one[1].block_count, one)
        said: set[str] = set()
        wanted = {
            "acme.triggerer_heartbeat:1|c",
            "acme.triggers.running:0|g",
            "acme.triggerer.capacity_left.here_test:7|g",
            "acme.triggers.failed:1|c",
            "acme.triggers.blocked_main_thread:1|c",
            "acme.triggers.blocked_main_thread.authored.Blocks:1|c",
        }
        while not wanted <= said:
            said.add(server.recv(1000).decode())


@pytest.mark.parametrize(("queue", "goes_to"), [("far", None), ("default", "default"), (None, None)])
@effect_of("operators.default_queue")
def test_triggers_of_the_default_queue_are_everybodys(tmp_path: Path, queue: str | None, goes_to: str | None) -> None:
    set_current_config(options(tmp_path, operators__default_queue="far"))
    try:
        task = EmptyOperator(task_id="t") if queue is None else EmptyOperator(task_id="t", queue=queue)
        assert choose_triggerer_queue(task, SuccessTrigger) == goes_to
    finally:
        set_current_config(None)
