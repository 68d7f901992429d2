"""A DAG with a long history is deleted a batch a round: nobody waits for it, and a restart goes on with it."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from tests.databases import create_schema

from gnomon.entry.simulate import Deployment
from gnomon.ground.clock import VirtualClock
from gnomon.model.instants import SECOND
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.rules.timetables.registry import reference
from gnomon.storage.store import Database, open_database
from gnomon.storage.store.coordination import mailbox
from gnomon.storage.store.dag_records import dag_runs, dags
from gnomon.storage.store.ownership import commit
from gnomon.testing import Play
from gnomon.timetables import NullTimetable

START = 1_767_225_600 * SECOND
RUNS = 40


@pytest.mark.parametrize("killed", [False, True])
def test_a_long_history_goes_in_many_rounds_and_survives_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, killed: bool
) -> None:
    monkeypatch.setattr(commit, "DELETED_RUNS_MAX", 2)
    url = f"sqlite:///{tmp_path / 'gnomon.db'}"
    create_schema(url)
    clocks: list[VirtualClock] = []
    database = open_database(url, synchronous="OFF", lease_clock=lambda: clocks[0].now() if clocks else START)
    world = Deployment(database, seed=1, start=START, script=lambda attempt, rng: Play())
    clocks.append(world.clock)
    world.add_dags(
        [
            DagSpec(
                dag_id=dag_id,
                timetable=reference(NullTimetable()),
                tasks=(TaskSpec(task_id="t", runs_code=False),),
                paused_upon_creation=False,
            )
            for dag_id in ("old", "other")
        ]
    )
    trigger(database, "old", RUNS)
    world.run_until(START + 60 * SECOND)
    request_pk = delete(database, "old")
    trigger(database, "other", 1)
    left: list[int] = []

    def look(_: Deployment) -> None:
        with database.read() as tx:
            left.append(len(dag_runs.list_runs(tx, "old")))
            waiting = [run for run in dag_runs.list_runs(tx, "other") if run.ended_at is None]
        if killed and len(left) == 5:
            world.kill_scheduler()
        assert not (left[-1] < RUNS // 2 and waiting), "the other DAG waits for the deletion"

    world.run_until(START + 120 * SECOND, look)
    assert all(before - after <= 2 for before, after in itertools.pairwise(left)), "too much went at once"
    with database.read() as tx:
        assert mailbox.read_answer(tx, request_pk)[0] == "done"
        assert dags.find_dag_row(tx, "old") is None
        assert len(dag_runs.list_runs(tx, "other")) == 1
    database.close()


def trigger(database: Database, dag_id: str, count: int) -> None:
    with database.write() as tx:
        for number in range(count):
            dag_runs.create_manual_run(
                tx,
                dag_id=dag_id,
                run_id=f"r{number}",
                logical_at=None,
                run_after=START,
                interval=None,
                conf={},
                by="test",
                at=START,
            )


def delete(database: Database, dag_id: str) -> int:
    with database.write() as tx:
        dag = dags.find_dag_row(tx, dag_id)
        assert dag is not None
        body = {"dag_pk": dag.dag_pk, "by": "test"}
        return mailbox.submit_request(tx, by="test", kind="delete", body=body, groups=[dag.group_no], at=START)
