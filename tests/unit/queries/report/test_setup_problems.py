"""Set-ups of several hosts that cannot work are named, each with its remedy; those that work are not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.databases import create_schema

from gnomon.author_code.loading.folder_digest import READ_EVERY_S, FolderDigest, read_digest
from gnomon.ground.clock import VirtualClock
from gnomon.ground.metrics import ProcessFigures, definitions
from gnomon.model.instants import SECOND
from gnomon.model.records import REMOTE_ADDRESS, WorkerRecord
from gnomon.queries.report.listings.setup_problems import STEADY_S, find_setup_problems
from gnomon.storage.store import Database, open_database
from gnomon.storage.store.coordination import leases
from gnomon.storage.store.coordination.service_figures import put_figures

pytestmark = pytest.mark.ordinary

START = 1_767_225_600 * SECOND


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    url = f"sqlite:///{tmp_path / 'gnomon.db'}"
    create_schema(url)
    database = open_database(url, lease_clock=lambda: START)
    yield database
    database.close()


def add(
    db: Database,
    service: str,
    host: str,
    *,
    address: str = "/run/w",
    difference_s: float = 0.0,
    folder: tuple[str, str, float] | None = None,
) -> None:
    """A live process. `folder`: digest, number of files, and for how many seconds they have been these."""
    name = f"{service}-{host}"
    figures = ProcessFigures()
    figures.put(definitions.CLOCK_DIFFERENCE, difference_s)
    if folder is not None:
        figures.put(definitions.DAG_FOLDER, START / SECOND - folder[2], *folder[:2])
    with db.write() as tx:
        if service == "scheduler":
            leases.register_scheduler(tx, name, host)
        elif service == "worker":
            leases.register_worker(tx, WorkerRecord(name, host, address, 4, 0, False))
        else:
            leases.beat_dag_processor(tx, name, host)
        put_figures(tx, service, name, host, figures.encode())


def problems(db: Database) -> list[str]:
    with db.read() as tx:
        return [str(problem) for problem in find_setup_problems(tx, 5.0)]


def test_one_host_with_everything_has_no_problem(db: Database) -> None:
    assert problems(db) == []
    for service in ("scheduler", "worker", "dag-processor"):
        add(db, service, "a", difference_s=0.9, folder=("d1", "3", STEADY_S))
    assert problems(db) == []


def test_a_clock_that_differs_by_more_than_a_second_is_named_once_for_its_host(db: Database) -> None:
    for service, difference_s in (("scheduler", 1.1), ("worker", -2.5), ("dag-processor", 0.0)):
        add(db, service, "a", difference_s=difference_s)
    (found,) = problems(db)
    assert "host a " in found and "-2.5 s" in found and "its worker" in found and "timedatectl" in found


def test_a_dag_folder_that_is_not_that_of_the_dag_processor_is_named_once_both_are_steady(db: Database) -> None:
    for host in ("a", "b"):
        add(db, "scheduler", host)
    add(db, "dag-processor", "a", folder=("d1", "3", STEADY_S))
    add(db, "worker", "a", folder=("d1", "3", STEADY_S))
    add(db, "worker", "b", folder=("d2", "2", STEADY_S - 1))
    assert problems(db) == [], "files may be on their way"
    add(db, "worker", "c", address=f"{REMOTE_ADDRESS}:x", folder=("d2", "2", STEADY_S))
    (found,) = problems(db)
    assert "worker on host c (2 files)" in found and "dag-processor on host a (3 files)" in found


def test_a_local_worker_that_no_scheduler_reaches_is_named(db: Database) -> None:
    add(db, "scheduler", "a")
    assert problems(db) == [], "the worker may be started next; without any worker the health page says so"
    add(db, "worker", "c", address=f"{REMOTE_ADDRESS}:x")
    assert problems(db) == [], "a worker of the CeleryExecutor serves every scheduler"
    add(db, "worker", "b")
    first, second = problems(db)
    assert "worker on host b" in first and "schedulers run on a" in first and "gnomon scheduler" in first
    assert "scheduler on host a has no worker" in second
    add(db, "scheduler", "b")
    add(db, "worker", "a")
    assert problems(db) == []


def test_the_digest_tells_names_and_sizes_of_dag_files_apart(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        (folder / "sub/__pycache__").mkdir(parents=True)
        (folder / "a.py").write_text("x")
        (folder / "sub/b.py").write_text("xy")
    (one / "sub/__pycache__/b.py").write_text("cached")
    (one / "data.csv").write_text("1")
    assert read_digest(one) == read_digest(two) and read_digest(one)[1] == 2
    (two / "a.py").write_text("xx")
    assert read_digest(one) != read_digest(two)
    assert read_digest(tmp_path / "none") == ("", 0)


def test_the_time_since_which_a_folder_is_the_same_is_kept(tmp_path: Path) -> None:
    clock, figures = VirtualClock(START), ProcessFigures()
    digest = FolderDigest(tmp_path, clock)

    def record() -> tuple[str, float]:
        digest.record(figures)
        ((_name, labels, value),) = figures.list_numbers()
        return labels[1], value

    assert record() == ("0", START // SECOND)
    clock.advance(READ_EVERY_S)
    assert record() == ("0", START // SECOND)
    (tmp_path / "a.py").write_text("x")
    clock.advance(READ_EVERY_S - 1)
    assert record() == ("0", START // SECOND), "it is read once a minute"
    clock.advance(1)
    assert record() == ("1", START // SECOND + 2 * READ_EVERY_S)
