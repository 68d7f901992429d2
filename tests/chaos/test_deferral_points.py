"""A fault at each step of a deferral, from the worker's word to the last row: every task ends once, every event is applied once.

The steps and what may happen in each are the table of `tests.chaos.deferring.POINTS`; docs/contributing/architecture.md says who goes on.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.chaos.deferring import DEADLINE_S, POINTS, START, Deferring
from tests.databases import BOTH, new_database
from tests.keys import CIPHER

from gnomon.model.instants import SECOND
from gnomon.storage.store import migrations, open_database

SOME = ("event persisted", "owner applied")
"""Points that are tried again later, when some of the tasks have passed them."""
CASES = [
    (point, fault, nth)
    for point, faults in POINTS.items()
    for fault in faults
    for nth in ((1, 2, 3) if point in SOME else (1,))
]
ALIKE = ("crash after", "lost", "refused")
"""A database sees nothing else in them than in `stored` and `crash before`: a transaction that is committed or rolled back."""
SHORT = [
    (kind, *case) for kind in BOTH for case in CASES if kind == "sqlite" or (case[1] not in ALIKE and case[2] == 1)
]
"""The rules are the same on both databases: these faults and a later occurrence of a point are tried on one of them, and on both by `make soak`."""
LONG = [(kind, *case) for kind in BOTH for case in CASES if (kind, *case) not in SHORT]
LOOK_S = 2.0
"""A sweep, and what a round takes."""
SEEDS = range(5)
SOAK_SEEDS = range(
    int(os.environ.get("GNOMON_SOAK_SEED", "1000")), int(os.environ.get("GNOMON_SOAK_SEED", "1000")) + 100
)


def _name(case: tuple[object, ...]) -> str:
    return "-".join(map(str, case)).replace(" ", "_")


@pytest.fixture(params=BOTH)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    with new_database(request.param, tmp_path) as address:
        yield address


@pytest.fixture
def play(url: str) -> Iterator[Callable[..., Deferring]]:
    """Plays one world to its end; the leases go by its clock."""
    worlds: list[Deferring] = []
    migrations.upgrade_schema(url)
    db = open_database(
        url,
        synchronous="OFF",
        cipher=CIPHER,
        lease_clock=lambda: START + (int(worlds[0].clock.monotonic() * SECOND) if worlds else 0),
    )

    def played(**options: Any) -> Deferring:
        worlds.append(Deferring(db, **options))
        worlds[0].play()
        return worlds[0]

    yield played
    db.close()


@pytest.mark.parametrize(
    ("url", "point", "fault", "nth"),
    [
        *(pytest.param(*case, id=_name(case)) for case in SHORT),
        *(pytest.param(*case, id=_name(case), marks=pytest.mark.soak) for case in LONG),
    ],
    indirect=["url"],
)
def test_a_fault_at_a_point_loses_no_event_and_applies_none_twice(
    play: Callable[..., Deferring], point: str, fault: str, nth: int
) -> None:
    world = play(point=point, fault=fault, nth=nth)
    assert world.injected == [f"{fault} at {point}"]
    assert world.audit() == []
    assert all(took_s < DEADLINE_S + LOOK_S for took_s in world.taken_over_s), world.taken_over_s


def test_nothing_is_taken_over_where_nothing_breaks(play: Callable[..., Deferring]) -> None:
    world = play()
    assert world.audit() == []
    assert not world.taken_over_s
    assert world.fenced == world.crashes == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_faults_by_chance_at_all_points_lose_no_event_and_apply_none_twice(
    play: Callable[..., Deferring], seed: int
) -> None:
    world = play(seed=seed, chance=0.15)
    assert world.injected
    assert world.audit() == [], f"seed {seed}: {world.injected}"


@pytest.mark.soak
@pytest.mark.parametrize("seed", SOAK_SEEDS)
def test_many_seeds(play: Callable[..., Deferring], seed: int) -> None:
    world = play(seed=seed, chance=0.15)
    assert world.audit() == [], f"seed {seed}: {world.injected}"
