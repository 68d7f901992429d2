"""Runs of all DAGs in listings, on both databases; at many runs without a scan where an index answers."""

from __future__ import annotations

import pytest
from tests.conformance.storeworld import World, task

from gnomon.model.records import Changes
from gnomon.model.states import DagRunState, TaskInstanceState
from gnomon.storage.store.dag_records import run_listing, xcom_values
from gnomon.storage.store.parsed_files import dag_files


@pytest.fixture
def runs(world: World) -> World:
    """Of `d`: `old` failed at 10, `new` failed at 30, `ok` succeeded at 20; of `e`: `open` runs."""
    world.dag()
    world.dag("e")
    for run_id, state, ended_at in (("new", "failed", 30), ("old", "failed", 10), ("ok", "success", 20)):
        run = world.run("d", run_id)
        run.state, run.started_at, run.ended_at = DagRunState(state), 1, ended_at
        world.apply(Changes(runs=[run]))
    run = world.run("e", "open")
    run.state, run.started_at = DagRunState.RUNNING, 5
    world.apply(Changes(runs=[run], tasks=[task(run, 0, TaskInstanceState.RUNNING), task(run, 1, None)]))
    return world


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"state": DagRunState.FAILED}, ["new", "old"]),
        ({"state": DagRunState.FAILED, "since": 20}, ["new"]),
        ({"state": DagRunState.FAILED, "limit": 1}, ["new"]),
        ({"state": DagRunState.SUCCESS}, ["ok"]),
        ({"state": DagRunState.RUNNING}, ["open"]),
        ({"state": DagRunState.QUEUED}, []),
        ({}, ["open", "ok", "old", "new"]),
        ({"since": 20}, ["open", "new", "ok"]),
        ({"since": 21}, ["open", "new"]),
        ({"since": 20, "limit": 2}, ["open", "new"]),
        ({"state": DagRunState.SUCCESS, "since": 20}, ["ok"]),
        ({"state": DagRunState.SUCCESS, "since": 21}, []),
        ({"limit": 2}, ["open", "ok"]),
    ],
)
def test_runs_of_all_dags(runs: World, arguments: dict[str, object], found: list[str]) -> None:
    with runs.db.read() as tx:
        assert [named.run.run_id for named in run_listing.list_runs_of_all(tx, **arguments)] == found  # type: ignore[arg-type]
        assert {named.dag_id for named in run_listing.list_unfinished_of_all(tx, 10)} == {"e"}
        assert [
            [named.dag_id for named in run_listing.list_unfinished_of_all(tx, 10, dag_ids)]
            for dag_ids in (["d"], ["d", "e"], [])
        ] == [[], ["e"], []]


def test_runs_of_one_dag(runs: World) -> None:
    with runs.db.read() as tx:
        assert {run.run_id for run in run_listing.list_runs_since(tx, "d", since=20)} == {"ok", "new"}
        assert [run.run_id for run in run_listing.list_runs_since(tx, "d", state=DagRunState.SUCCESS, limit=5)] == [
            "ok"
        ]


def test_states_of_tasks_are_counted_and_those_with_a_worker_listed(runs: World) -> None:
    with runs.db.read() as tx:
        run = run_listing.list_unfinished_of_all(tx, 1)[0].run
        assert run_listing.count_task_states(tx, [run.run_pk]) == {
            (run.run_pk, 0): {TaskInstanceState.RUNNING: 1},
            (run.run_pk, 1): {None: 1},
        }
        assert [one.task_no for one in run_listing.list_live_tasks(tx, [run.run_pk], 10)] == [0]
        assert run_listing.list_overdue_dags(tx, 10**18, 10) == []
        for statement, parameters in {
            "dags": {},
            "runs": {"dag_id": "d"},
            "tasks": {"dag_id": "d"},
            "pools": {},
            "variables": {},
        }.items():
            found = [row[0] for row in tx.all(f"completion.{statement}", prefix="", limit=10, **parameters)]
            assert (
                sorted(found)
                == {
                    "dags": ["d", "e"],
                    "runs": ["new", "ok", "old"],
                    "tasks": ["a", "b"],
                    "pools": ["default_pool"],
                    "variables": [],
                }[statement]
            )


def test_an_xcom_is_removed_and_files_are_read_again(runs: World) -> None:
    with runs.db.write() as tx:
        run = run_listing.list_unfinished_of_all(tx, 1)[0].run
        xcom_values.write_xcom(tx, run.run_pk, 0, -1, "k", "1")
        assert xcom_values.lock_task_instance(tx, run.run_pk, 0, -1) == (TaskInstanceState.RUNNING, None)
        assert xcom_values.lock_task_instance(tx, run.run_pk, 7, -1) is None
        assert xcom_values.remove_xcom(tx, run.run_pk, 0, -1, "k") and not xcom_values.remove_xcom(
            tx, run.run_pk, 0, -1, "k"
        )
        assert dag_files.mark_stale(tx, "d") == 1 and dag_files.list_stale_files(tx) == ["/dags/d.py"]
        assert dag_files.mark_stale(tx) == 2
