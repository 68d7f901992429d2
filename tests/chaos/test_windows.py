"""The six points of WINDOWS in docs/contributing/ownership.md, with real processes: user code runs once, wherever a scheduler stops.

On PostgreSQL the first scheduler is frozen in its window, the second takes over, and the first is thawed. On SQLite the
first is killed and replaced.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from tests.chaos import journal
from tests.chaos.ground import DAG, Ground
from tests.chaos.home import Home, home
from tests.chaos.processes import until
from tests.conformance.storeworld import parsed, spec
from tests.patience import PATIENCE_S
from tests.postgres import own_schema

from gnomon.model.spec import TaskSpec
from gnomon.model.states import TaskInstanceState as S
from gnomon.storage.store.parsed_files import dag_files

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's")


@pytest.fixture(scope="module", params=["postgresql", "sqlite"])
def workers(request: pytest.FixtureRequest) -> Iterator[tuple[Home, bool]]:
    """A home with its database, one DAG and two workers; whether schedulers are frozen (or killed) in it."""
    frozen = request.param == "postgresql"
    schema = own_schema() if frozen else None
    with home(schema.__enter__() if schema else None) as here:
        here.dag_file("windows", DAG)
        here.prepare()
        file = str(here.folder / "dags" / "windows.py")
        with here.store() as database, database.write() as tx:
            dag_files.record_parsed_files(
                tx, [parsed(file, spec("windows", [TaskSpec(task_id="t")]))], at=1, paused_by_default=False
            )
        running = [here.spawn("gnomon", "worker") for _ in range(2)]
        until(lambda: len(here.events("worker_started")) == 2, "two workers")
        yield here, frozen
        for worker in running:
            worker.terminate()
            worker.communicate(timeout=PATIENCE_S)
            assert worker.returncode == 0
    if schema:
        schema.__exit__(None, None, None)


@pytest.fixture
def ground(workers: tuple[Home, bool]) -> Iterator[Ground]:
    made = Ground(workers[0], frozen=workers[1])
    yield made
    made.end()


def test_line_35_before_commit_nothing_happened(ground: Ground) -> None:
    first, run_id = ground.stops_in("before commit")
    assert ground.task_state(run_id) is None
    print(f"take-over after {ground.take_over():.1f} s")
    until(lambda: ground.started(run_id), "the task")
    ground.ends_once(first, run_id)


def test_line_36_committed_and_not_submitted_is_submitted_again(ground: Ground) -> None:
    first, run_id = ground.stops_in("committed, not submitted")
    assert ground.task_state(run_id) is S.QUEUED
    assert not ground.started(run_id)
    print(f"take-over after {ground.take_over():.1f} s")
    until(lambda: ground.started(run_id), "the task")
    ground.ends_once(first, run_id)
    if ground.frozen:
        until(lambda: ground.here.events("submission_refused"), "the worker's refusal of the lower epoch")


def test_line_37_submitted_and_start_not_recorded_is_adopted(ground: Ground) -> None:
    first, run_id = ground.stops_in("submitted, start not recorded")
    assert ground.task_state(run_id) is S.QUEUED
    print(f"take-over after {ground.take_over():.1f} s")
    until(lambda: ground.task_state(run_id) is S.RUNNING, "the inventory")
    ground.ends_once(first, run_id)


def test_line_38_ended_and_not_committed_is_sent_again(ground: Ground) -> None:
    first, run_id = ground.stops_in("ended, not committed")
    assert ground.task_state(run_id) in (S.QUEUED, S.RUNNING)
    print(f"take-over after {ground.take_over():.1f} s")
    ground.ends_once(first, run_id)


def test_line_39_committed_and_not_acknowledged_is_dropped_when_sent_again(ground: Ground) -> None:
    first, run_id = ground.stops_in("committed, not acknowledged")
    assert ground.task_state(run_id) is S.SUCCESS
    print(f"take-over after {ground.take_over():.1f} s")
    ground.ends_once(first, run_id)


@pytest.mark.parametrize("truth", ["stored", "not stored"])
def test_line_40_an_unknown_outcome_drops_memory_and_reads_again(ground: Ground, truth: str) -> None:
    only, run_id = ground.stops_in(f"outcome unknown, {truth}")
    until(lambda: ground.started(run_id), "the task")
    ground.go(run_id)
    until(lambda: not ground.here.unfinished("windows"), "the end of the run")
    assert only.end() == (0, "refused 1")
    assert [note.what for note in journal.read(ground.here) if note.run_id == run_id] == ["start", "end"]
    assert journal.audit(ground.here, retries=0) == []
