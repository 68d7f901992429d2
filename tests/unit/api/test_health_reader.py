"""What the page reads: a real database, a real run folder."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.databases import create_schema

from gnomon.api.health import HealthStatus
from gnomon.api.health_reader import CACHE_S, HealthReader, find_problems, find_unclaimed_triggers, find_unplanned_dags
from gnomon.ground.clock import VirtualClock
from gnomon.ground.config import Config, load_config
from gnomon.model.records import WorkerRecord
from gnomon.model.sentences import render
from gnomon.storage.store import open_database
from gnomon.storage.store.coordination import leases, service_leases
from gnomon.storage.store.dag_records import dags
from gnomon.storage.store.parsed_files import dag_files
from gnomon.storage.store.trigger_queue import triggerer_leases
from gnomon.storage.store.trigger_queue.triggerer_leases import TriggererLease

START = 1_767_225_600_000_000


@pytest.fixture
def cfg() -> Iterator[Config]:
    with tempfile.TemporaryDirectory(prefix="gnomon") as home:
        yield load_config({}, Path(home))


def _status(looker: HealthReader) -> dict[str, HealthStatus | None]:
    return {part.name: part.status for part in looker.read_health().components}


def test_a_missing_database_is_told_and_found_once_it_is_there(cfg: Config) -> None:
    clock = VirtualClock(START)
    looker = HealthReader(cfg, clock)
    health = looker.read_health()
    assert health.counts is None
    assert "gnomon db migrate" in render(health.problems[0])
    assert _status(looker)["metadatabase"] is HealthStatus.UNHEALTHY
    create_schema(cfg.database_url)
    clock.advance(CACHE_S * 2)
    silent = looker.read_health().silent
    assert silent == looker.read_health().problems[: len(silent)]
    assert "scheduler_is_dead" in {sentence.code for sentence in silent}
    assert [render(wrong).split(":")[0] for wrong in looker.read_health().problems] == [
        "No scheduler is alive",
        "No worker is alive",
        "No dag-processor is alive",
    ]
    assert _status(looker) == dict.fromkeys(("scheduler", "worker", "triggerer", "dag_processor")) | {
        "metadatabase": HealthStatus.HEALTHY
    }
    looker.close()


def test_beats_make_health(cfg: Config) -> None:
    create_schema(cfg.database_url)
    database = open_database(cfg.database_url)
    with database.write() as tx:
        leases.register_scheduler(tx, "s1", "here")
        leases.register_worker(tx, WorkerRecord("w1", "here", "/s", 8, 0, False))
        leases.beat_dag_processor(tx, "p1", "there")
    database.close()
    looker = HealthReader(cfg, VirtualClock(START))
    health = looker.read_health()
    parts = {part.name: part for part in health.components}
    assert health.problems == ()
    assert parts["dag_processor"].status is HealthStatus.HEALTHY
    assert parts["dag_processor"].note == "1 running on there"
    assert parts["scheduler"].status is HealthStatus.HEALTHY
    assert parts["worker"].status is HealthStatus.HEALTHY
    assert parts["worker"].note == "8 slots · 1 running on here"
    looker.close()


def test_a_triggerer_says_what_it_has_counted(cfg: Config) -> None:
    create_schema(cfg.database_url)
    database = open_database(cfg.database_url)
    blocked = "triggers.blocked_main_thread"
    with database.write() as tx:
        for name, counted in (
            ("one", {"triggers.succeeded": 1200, blocked: 2, f"{blocked}.a.Slow": 2}),
            ("two", {"triggers.succeeded": 3, "triggers.failed": 1, blocked: 1, f"{blocked}.a.Once": 1}),
            ("new", {}),
        ):
            triggerer_leases.register_triggerer(tx, name, "here", 10)
            triggerer_leases.beat_triggerer(tx, name, counted)
    database.close()
    looker = HealthReader(cfg, VirtualClock(START))
    (part,) = (part for part in looker.read_health().components if part.name == "triggerer")
    assert (
        part.note
        == "0 of 30 slots in use · 1,203 succeeded, 1 failed, blocked 3 times (mostly by a.Slow) · 3 running on here"
    )
    looker.close()


def _triggerer(running: int, queues: tuple[str, ...] | None = None) -> TriggererLease:
    return TriggererLease("t", "here", 10, queues, 0, False, running, {})


@pytest.mark.pure
@pytest.mark.parametrize(
    ("unclaimed", "alive", "said"),
    [
        ({}, [], ()),
        ({None: 1}, [], ("No triggerer is alive, and 1 deferred task waits for one. `gnomon triggerer` starts one.",)),
        (
            {None: 2, "far": 3},
            [],
            ("No triggerer is alive, and 5 deferred tasks wait for one. `gnomon triggerer` starts one.",),
        ),
        ({None: 1, "far": 2}, [_triggerer(9)], ()),
        (
            {"far": 2},
            [_triggerer(0, ("near",))],
            (
                "No triggerer takes queue 'far', and 2 deferred tasks wait on it. `gnomon triggerer --queues far` starts one.",
            ),
        ),
        ({None: 4, "far": 2}, [_triggerer(10), _triggerer(9, ("far",))], ()),
        (
            {None: 4, "far": 2, "near": 1000},
            [_triggerer(10, ("near",)), _triggerer(9, ("far",))],
            (
                "All slots of the triggerers are in use, and 1,000 deferred tasks wait for one. Raise the limit with `--capacity`, or start another triggerer: "
                "`gnomon triggerer`.",
            ),
        ),
    ],
)
def test_deferred_tasks_that_no_triggerer_takes_are_told_with_the_remedy(
    unclaimed: dict[str | None, int], alive: list[TriggererLease], said: tuple[str, ...]
) -> None:
    assert tuple(map(render, find_unclaimed_triggers(unclaimed, alive))) == said


@pytest.mark.pure
def test_requests_that_come_together_share_one_look(cfg: Config) -> None:
    clock = VirtualClock(START)
    looker = HealthReader(cfg, clock)
    first = looker.read_health()
    assert looker.read_health() is first
    clock.advance(CACHE_S * 2)
    assert looker.read_health() is not first
    assert os.path.isdir(cfg.home)
    looker.close()


def test_a_process_that_fell_silent_is_told(cfg: Config) -> None:
    """A dag-processor that is frozen holds its lock and beats no more."""
    create_schema(cfg.database_url)
    database = open_database(cfg.database_url)
    with database.write() as tx:
        leases.beat_dag_processor(tx, "p1", "there")
        tx._connection._connection.execute("UPDATE dag_processor SET beat_at = beat_at - 21000000")
    looker = HealthReader(cfg, VirtualClock(START))
    assert _status(looker)["dag_processor"] is HealthStatus.UNHEALTHY
    assert any("No dag-processor is alive" in render(wrong) for wrong in looker.read_health().problems)
    with database.write() as tx:
        leases.retire_dag_processor(tx, "p1")
        assert leases.list_dag_processors(tx) == []
    database.close()
    looker.close()


@pytest.mark.pure
def test_files_that_could_not_be_loaded_are_named_up_to_a_bound() -> None:
    errors = [
        dag_files.StoredImportError(f"/dags/{number}.py", "import", f"bad {number}\nmore", None, "", 0)
        for number in range(7)
    ]
    wrongs = list(map(render, find_problems((), errors)))
    assert wrongs[0] == "/dags/0.py: bad 0"
    assert wrongs[-1].startswith("2 more files could not be loaded (`gnomon dags errors` shows all")
    assert find_problems((), []) == ()
    named = dag_files.StoredImportError("/dags/a.py", "syntax", "/dags/a.py, line 2: invalid syntax", 2, "", 0)
    assert render(find_problems((), [named])[0]).startswith("/dags/a.py, line 2")


@pytest.mark.pure
def test_dags_that_are_not_planned_are_named_up_to_a_bound_and_paused_ones_are_not() -> None:
    bad = [dags.StoredDag(n, f"dag{n}", 0, False, True, 1, "f.py", "it hangs") for n in range(7)]
    quiet = [
        dags.StoredDag(8, "paused", 0, True, True, 1, "f.py", "it hangs"),
        dags.StoredDag(9, "well", 0, False, True, 1, "f.py", None),
    ]
    told = list(map(render, find_unplanned_dags([*bad, *quiet])))
    assert (
        told[0] == "DAG dag0 is not planned: it hangs" and told[-1] == "2 more DAGs are not planned" and len(told) == 6
    )


@pytest.mark.pure
def test_dags_whose_dependencies_are_never_met_are_not_planned_either() -> None:
    known = [dags.StoredDag(n, f"dag{n}", 0, n == 3, True, 1, "f.py", None) for n in range(4)]
    (told,) = find_unplanned_dags(known, {1: "a circle", 3: "another"})
    assert render(told) == "DAG dag1 is not planned: a circle"


def test_the_monitor_is_a_part_only_where_it_is_expected(cfg: Config) -> None:
    create_schema(cfg.database_url)
    clock = VirtualClock(START)
    looker = HealthReader(cfg, clock)
    assert "monitor" not in _status(looker)
    (cfg.home / "gnomon.toml").write_text(
        '[alerts.channels.ops]\ntype = "webhook"\nurl = "http://127.0.0.1:1/"\n[[alerts.rules]]\nwhen = "failure"\nto = "ops"\n'
    )
    clock.advance(CACHE_S * 2)
    assert _status(looker)["monitor"] is HealthStatus.UNHEALTHY
    assert any(render(problem).startswith("No monitor is alive") for problem in looker.read_health().problems)
    database = open_database(cfg.database_url)
    with database.write() as tx:
        assert service_leases.claim_lease(tx, service_leases.MONITOR, "m", "here")
    database.close()
    clock.advance(CACHE_S * 2)
    assert _status(looker)["monitor"] is HealthStatus.HEALTHY
    looker.close()
