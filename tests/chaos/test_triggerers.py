"""Two triggerers: one is killed, or stops past its deadline and thaws, while events fire; every task ends once, and nothing is lost."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from collections.abc import Iterator

import pytest
from tests.chaos.home import home
from tests.chaos.processes import kill, until
from tests.chaos.waiting import DEADLINE_S, END_S, OPTIONS, Waiting
from tests.databases import BOTH
from tests.postgres import own_schema

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's")
SHORT, LONG = 200, 5000
SHORT_ROUNDS, LONG_ROUNDS = 3, 20
SEED = int(os.environ.get("GNOMON_SOAK_SEED", "4"))
A_ROUND_S = 4.0
"""What one round may take of the span in which events fire."""
FROZEN_S = (0.5, 6.0)
"""For less than the deadline, or for more."""


@pytest.fixture(params=BOTH)
def waiting(request: pytest.FixtureRequest) -> Iterator[Waiting]:
    if request.param == "sqlite":
        yield from _in_a_home(None)
    else:
        with own_schema() as url:
            yield from _in_a_home(url)


def _in_a_home(url: str | None) -> Iterator[Waiting]:
    with home(url, OPTIONS) as here:
        made = Waiting(here)
        try:
            yield made
        finally:
            made.end()


counts = pytest.mark.parametrize("count", [SHORT, pytest.param(LONG, marks=pytest.mark.soak)])


@counts
def test_the_triggers_of_a_killed_triggerer_fire_elsewhere(waiting: Waiting, count: int) -> None:
    first = waiting.triggerer()
    waiting.wait_for(count)
    (was,) = waiting.known()
    second = waiting.triggerer()
    waiting.moments(4 * DEADLINE_S)
    until(lambda: len(waiting.notes("fired")) > count // 10, "some have fired")
    first.kill()
    waiting.audit()
    dead = waiting.row(was.triggerer_id)
    took_s = waiting.taken_over(dead, first.pid, second.pid)
    assert dead.fenced
    assert all(one > DEADLINE_S for one in took_s), "taken over before the deadline"


@pytest.mark.parametrize(
    ("waiting", "count"),
    [
        ("sqlite", SHORT),
        pytest.param("postgresql", SHORT, marks=pytest.mark.soak),
        *(pytest.param(kind, LONG, marks=pytest.mark.soak) for kind in BOTH),
    ],
    indirect=["waiting"],
)
def test_a_triggerer_that_thaws_after_its_deadline_writes_nothing_and_begins_anew(waiting: Waiting, count: int) -> None:
    first = waiting.triggerer()
    waiting.wait_for(count)
    (was,) = waiting.known()
    second = waiting.triggerer()
    waiting.moments(6 * DEADLINE_S)
    until(lambda: len(waiting.notes("fired")) > count // 10, "some have fired")
    waiting.freeze(first.pid)
    until(lambda: waiting.row(was.triggerer_id).fenced, "the frozen one is fenced", END_S)
    dead = waiting.row(was.triggerer_id)
    until(lambda: len(waiting.notes("fired")) > count // 2, "half have fired", END_S)
    kill(first.pid, signal.SIGCONT)
    until(lambda: waiting.here.events("triggerer_was_fenced"), "it hears that it was declared dead", END_S)
    until(lambda: len(waiting.known()) >= 3, "its next incarnation")
    waiting.audit()
    took_s = waiting.taken_over(dead, first.pid, second.pid)
    assert all(one > DEADLINE_S for one in took_s), "taken over before the deadline"
    assert waiting.row(was.triggerer_id) == dead, "who was fenced has written again"
    assert first.poll() is None, "who thaws goes on"


@pytest.mark.parametrize(
    ("waiting", "count", "rounds"),
    [
        pytest.param("sqlite", SHORT, SHORT_ROUNDS, marks=pytest.mark.soak),
        ("postgresql", SHORT, SHORT_ROUNDS),
        *(pytest.param(kind, LONG, LONG_ROUNDS, marks=pytest.mark.soak) for kind in BOTH),
    ],
    indirect=["waiting"],
)
def test_rounds_of_kills_and_frosts_lose_no_event_and_apply_none_twice(
    waiting: Waiting, count: int, rounds: int
) -> None:
    """Of a triggerer, the host of one, or the scheduler; whoever is killed is followed by another."""
    chance = random.Random(SEED)
    began = time.monotonic()
    for _ in range(2):
        waiting.triggerer()
    waiting.wait_for(count)
    waiting.moments(rounds * A_ROUND_S)
    fires_at = time.monotonic()
    for number in range(rounds):
        who = chance.choice(["triggerer", "triggerer", "host", "scheduler"])
        how = chance.choice(["killed", "frozen"])
        frozen_s = chance.uniform(*FROZEN_S)
        pids = until(
            lambda who=who: waiting.hosts() if who == "host" else [one.pid for one in waiting.running(who)], f"a {who}"
        )  # type: ignore[misc]
        pid = chance.choice(sorted(pids))
        if how == "killed":
            kill(pid)
            if who != "host":
                waiting.begin(who)
        else:
            waiting.freeze(pid)
            time.sleep(frozen_s)
            kill(pid, signal.SIGCONT)
        fired = [note.trigger for note in waiting.notes("fired")]
        after = f" for {frozen_s:.1f} s" if how == "frozen" else ""
        print(
            f"round {number} of seed {SEED}, {time.monotonic() - began:.0f} s: a {who} {how}{after}; {len(set(fired))} of {count} fired, {len(fired)} times"
        )
        time.sleep(max(0.0, fires_at + (number + 1) * A_ROUND_S - time.monotonic()))
    waiting.audit()
    print(f"seed {SEED}: {count} triggers in {rounds} rounds, all ended once after {time.monotonic() - began:.0f} s")
