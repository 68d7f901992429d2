"""What the page reads: a real database, a real run folder."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from gnomon.api.health import Status
from gnomon.api.looking import FRESH_S, Looker, homeless, not_planned, wrongs_of
from gnomon.clock import VirtualClock
from gnomon.config import Config, load_config
from gnomon.model.records import WorkerRecord
from gnomon.store import dags, files, leases, migrations, open_database, processors, triggerers
from gnomon.store.triggerers import TriggererRow

START = 1_767_225_600_000_000


@pytest.fixture
def cfg() -> Iterator[Config]:
    with tempfile.TemporaryDirectory(prefix="gnomon") as home:
        yield load_config({}, Path(home))


def _status(looker: Looker) -> dict[str, Status | None]:
    return {part.name: part.status for part in looker.look().parts}


def test_a_missing_database_is_told_and_found_once_it_is_there(cfg: Config) -> None:
    clock = VirtualClock(START)
    looker = Looker(cfg, clock)
    health = looker.look()
    assert health.counts is None
    assert "gnomon db migrate" in health.wrongs[0]
    assert _status(looker)["metadatabase"] is Status.UNHEALTHY
    migrations.upgrade(cfg.database_url)
    clock.advance(FRESH_S * 2)
    assert [wrong.split(":")[0] for wrong in looker.look().wrongs] == [
        "No scheduler is alive", "No worker is alive", "No dag-processor is alive",
    ]
    assert _status(looker) == dict.fromkeys(("scheduler", "worker", "triggerer", "dag_processor")) | {"metadatabase": Status.HEALTHY}
    looker.close()


def test_beats_make_health(cfg: Config) -> None:
    migrations.upgrade(cfg.database_url)
    database = open_database(cfg.database_url)
    with database.write() as tx:
        leases.register_scheduler(tx, "s1", "here")
        leases.register_worker(tx, WorkerRecord("w1", "here", "/s", 8, 0, False))
        processors.beat(tx, "p1", "there")
    database.close()
    looker = Looker(cfg, VirtualClock(START))
    health = looker.look()
    parts = {part.name: part for part in health.parts}
    assert health.wrongs == ()
    assert parts["dag_processor"].status is Status.HEALTHY
    assert parts["dag_processor"].note == "1 on there"
    assert parts["scheduler"].status is Status.HEALTHY
    assert parts["worker"].status is Status.HEALTHY
    assert parts["worker"].note == "8 slots · 1 on here"
    looker.close()


def test_a_triggerer_says_what_it_has_counted(cfg: Config) -> None:
    migrations.upgrade(cfg.database_url)
    database = open_database(cfg.database_url)
    blocked = "triggers.blocked_main_thread"
    with database.write() as tx:
        for name, counted in (
            ("one", {"triggers.succeeded": 1200, blocked: 2, f"{blocked}.a.Slow": 2}),
            ("two", {"triggers.succeeded": 3, "triggers.failed": 1, blocked: 1, f"{blocked}.a.Once": 1}),
            ("new", {}),
        ):
            triggerers.register(tx, name, "here", 10)
            triggerers.beat(tx, name, counted)
    database.close()
    looker = Looker(cfg, VirtualClock(START))
    (part,) = (part for part in looker.look().parts if part.name == "triggerer")
    assert part.note == "0 of 30 places taken · 1,203 came, 1 failed, blocked 3 times (mostly by a.Slow) · 3 on here"
    looker.close()


def _triggerer(running: int, queues: tuple[str, ...] | None = None) -> TriggererRow:
    return TriggererRow("t", "here", 10, queues, 0, False, running, {})


@pytest.mark.parametrize(("unclaimed", "alive", "said"), [
    ({}, [], ()),
    ({None: 1}, [], ("No triggerer is alive, and 1 deferred task waits for one. `gnomon triggerer` starts one.",)),
    ({None: 2, "far": 3}, [], ("No triggerer is alive, and 5 deferred tasks wait for one. `gnomon triggerer` starts one.",)),
    ({None: 1, "far": 2}, [_triggerer(9)], ()),
    ({"far": 2}, [_triggerer(0, ("near",))], (
        "No triggerer listens to queue 'far', and 2 deferred tasks wait on it. `gnomon triggerer --queues far` starts one.",
    )),
    ({None: 4, "far": 2}, [_triggerer(10), _triggerer(9, ("far",))], ()),
    ({None: 4, "far": 2, "near": 1000}, [_triggerer(10, ("near",)), _triggerer(9, ("far",))], (
        "All places of the triggerers are taken, and 1,000 deferred tasks wait for one. Give them more with `--capacity`, or start another: "
        "`gnomon triggerer`.",
    )),
])
def test_deferred_tasks_that_no_triggerer_takes_are_told_with_the_remedy(
    unclaimed: dict[str | None, int], alive: list[TriggererRow], said: tuple[str, ...]
) -> None:
    assert homeless(unclaimed, alive) == said


def test_requests_that_come_together_share_one_look(cfg: Config) -> None:
    clock = VirtualClock(START)
    looker = Looker(cfg, clock)
    first = looker.look()
    assert looker.look() is first
    clock.advance(FRESH_S * 2)
    assert looker.look() is not first
    assert os.path.isdir(cfg.home)
    looker.close()


def test_a_process_that_fell_silent_is_told(cfg: Config) -> None:
    """A dag-processor that is frozen holds its lock and beats no more."""
    migrations.upgrade(cfg.database_url)
    database = open_database(cfg.database_url)
    with database.write() as tx:
        processors.beat(tx, "p1", "there")
        tx._link._connection.execute("UPDATE dag_processor SET beat_at = beat_at - 21000000")
    looker = Looker(cfg, VirtualClock(START))
    assert _status(looker)["dag_processor"] is Status.UNHEALTHY
    assert any("No dag-processor is alive" in wrong for wrong in looker.look().wrongs)
    with database.write() as tx:
        processors.retire(tx, "p1")
        assert processors.known(tx) == []
    database.close()
    looker.close()


def test_files_that_could_not_be_loaded_are_named_up_to_a_bound() -> None:
    errors = [files.ImportErrorRow(f"/dags/{number}.py", "import", f"bad {number}\nmore", None, "", 0) for number in range(7)]
    wrongs = wrongs_of((), errors)
    assert wrongs[0] == "/dags/0.py: bad 0"
    assert wrongs[-1].startswith("2 more files could not be loaded (`gnomon dags errors` shows all")
    assert wrongs_of((), []) == ()
    named = files.ImportErrorRow("/dags/a.py", "syntax", "/dags/a.py, line 2: invalid syntax", 2, "", 0)
    assert wrongs_of((), [named])[0].startswith("/dags/a.py, line 2")


def test_dags_that_are_not_planned_are_named_up_to_a_bound_and_paused_ones_are_not() -> None:
    bad = [dags.DagRow(n, f"dag{n}", 0, False, True, 1, "f.py", "it hangs") for n in range(7)]
    quiet = [dags.DagRow(8, "paused", 0, True, True, 1, "f.py", "it hangs"), dags.DagRow(9, "well", 0, False, True, 1, "f.py", None)]
    told = not_planned([*bad, *quiet])
    assert told[0] == "DAG dag0 is not planned: it hangs" and told[-1] == "2 more DAGs are not planned" and len(told) == 6


def test_dags_whose_dependencies_are_never_met_are_not_planned_either() -> None:
    known = [dags.DagRow(n, f"dag{n}", 0, n == 3, True, 1, "f.py", None) for n in range(4)]
    assert not_planned(known, {1: "a circle", 3: "another"}) == ("DAG dag1 is not planned: a circle",)
