"""Runs by hand, listings, pools, Variables and connections."""

from __future__ import annotations

import json
import threading
from dataclasses import replace

import pytest
from tests.conformance.storeworld import AT, DAY, World, manual
from tests.patience import PATIENCE_S

from gnomon.model.instants import iso
from gnomon.model.records import Changes
from gnomon.model.states import DagRunState, DagRunType
from gnomon.storage.store import NotFound, ResourceInUse, RunExists, RunTypeNotAllowed, open_database
from gnomon.storage.store.admin import connections, pools, variables
from gnomon.storage.store.admin.connections import StoredConnection
from gnomon.storage.store.coordination import mailbox
from gnomon.storage.store.dag_records import dag_runs
from gnomon.storage.store.ownership import group_state

pytestmark = pytest.mark.usefixtures("kept_newest_runs")


def test_a_run_by_hand_reads_back_and_its_owner_is_told(world: World) -> None:
    dag = world.dag()
    with world.db.write() as tx:
        run = dag_runs.create_manual_run(
            tx,
            dag_id="d",
            run_id=None,
            logical_at=AT,
            run_after=AT + 5,
            interval=(AT, AT + DAY),
            conf={"x": ["ü", 1]},
            by="me",
            at=AT + 7,
        )
    assert run.run_id == f"manual__{iso(AT)}"
    with world.db.read() as tx:
        assert dag_runs.find_stored_run(tx, "d", run.run_id) == run
        assert group_state.load_run(tx, run.run_pk) == (run, [])
        letters = [
            json.loads(letter.body)
            for letter in mailbox.read_messages(tx, [dag.group_no], 10)
            if letter.kind == "run_created"
        ]
    assert letters == [{"run_pk": run.run_pk}]


def test_a_taken_run_id_and_a_taken_slot_name_the_holder(world: World) -> None:
    world.dag()
    world.run(run_id="one", day=3)
    with pytest.raises(RunExists, match="another run id") as refused:
        world.run(run_id="one")
    assert refused.value.holder == "one"
    with pytest.raises(RunExists, match="'one'") as refused:
        world.run(run_id="two", day=3)
    assert refused.value.holder == "one"
    assert world.count("SELECT count(*) FROM dag_run") == 1


def test_a_run_of_a_type_that_the_dag_does_not_allow_is_refused_with_the_remedy(world: World) -> None:
    world.dag(allowed_run_types=("manual",))
    with world.db.write() as tx:
        with pytest.raises(
            RunTypeNotAllowed,
            match=r"'d' \(.*\) allows no operator_triggered runs: .* manual; add DagRunType.OPERATOR_TRIGGERED",
        ):
            manual(tx, "d", "one", run_type=DagRunType.OPERATOR_TRIGGERED)
        manual(tx, "d", "two")
        manual(tx, "d", "three", run_type=DagRunType.OPERATOR_TRIGGERED, of_any_type=True)
    assert world.count("SELECT count(*) FROM dag_run") == 2


def test_of_two_who_make_the_same_run_at_once_one_succeeds(world: World, url: str) -> None:
    world.dag()
    barrier = threading.Barrier(4)
    outcomes: list[str] = []

    def trigger(number: int) -> None:
        other = open_database(url)
        barrier.wait()
        try:
            with other.write() as tx:
                manual(tx, "d", f"run_{number % 2}", day=1)
            outcomes.append("made")
        except RunExists as error:
            outcomes.append(error.holder)
        other.close()

    threads = [threading.Thread(target=trigger, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=PATIENCE_S)
    winner = world.state().runs[0].run_id
    assert sorted(outcomes) == sorted(["made", winner, winner, winner])


def test_a_run_of_an_unknown_dag_is_refused(world: World) -> None:
    with pytest.raises(NotFound, match="gnomon dags list"):
        world.run("nowhere")


def test_runs_are_listed_newest_first_by_state_and_number(world: World) -> None:
    from dataclasses import replace

    from gnomon.model.records import Changes

    world.dag()
    first, second, third = (world.run(run_id=f"r{n}") for n in range(3))
    ended = replace(second, state=DagRunState.FAILED, ended_at=AT)
    world.apply(Changes(runs=[ended]))
    with world.db.read() as tx:
        assert dag_runs.list_runs(tx, "d") == [third, ended, first]
        assert dag_runs.list_runs(tx, "d", limit=2) == [third, ended]
        assert dag_runs.list_runs(tx, "d", state=DagRunState.FAILED) == [ended]
        assert dag_runs.list_runs(tx, "other") == []
        assert dag_runs.find_stored_run(tx, "d", "none") is None
    assert [run.run_id for run in world.state().runs] == ["r0", "r2"]


def test_pools_are_set_changed_and_deleted_unless_something_runs_in_them(world: World) -> None:
    from gnomon.model.records import Changes, PoolRecord

    with world.db.write() as tx:
        pools.set_pool(tx, "p", 2, description="two", include_deferred=True)
    world.apply(Changes(pool_used={"p": 1}))
    with world.db.write() as tx:
        pools.set_pool(tx, "p", 5)
        assert pools.find_pool(tx, "p") == PoolRecord("p", 5, 1)
        assert group_state.load_pools(tx) == pools.list_pools(tx)
        with pytest.raises(ResourceInUse, match="1 of its slots"):
            pools.delete_pool(tx, "p")
        with pytest.raises(ResourceInUse, match="default_pool"):
            pools.delete_pool(tx, "default_pool")
        with pytest.raises(NotFound):
            pools.delete_pool(tx, "nowhere")
    world.apply(Changes(pool_used={"p": -1}))
    with world.db.write() as tx:
        pools.delete_pool(tx, "p")
        assert pools.find_pool(tx, "p") is None


def test_variables_are_set_read_listed_and_deleted(world: World) -> None:
    with world.db.write() as tx:
        variables.set_variable(tx, "b", "1", "first")
        variables.set_variable(tx, "b", "2")
        variables.set_variable(tx, "a", "{}")
        assert variables.get_variable(tx, "b") == "2"
        assert variables.get_variable(tx, "none") is None
        assert [(v.key, v.value, v.description) for v in variables.list_variables(tx)] == [
            ("a", "{}", None),
            ("b", "2", "first"),
        ]
        assert variables.list_variable_keys(tx, "b") == ["b"]
        assert variables.delete_variable(tx, "b")
        assert not variables.delete_variable(tx, "b")


def test_connections_are_set_read_listed_and_deleted(world: World) -> None:
    row = StoredConnection("c", "http", "host", "schema", "me", "secret", 80, "{}", "what")
    with world.db.write() as tx:
        connections.set_connection(tx, StoredConnection("c", "ftp"))
        connections.set_connection(tx, row)
        assert connections.get_connection(tx, "c") == row
        assert connections.list_connections(tx) == [row]
        assert connections.delete_connection(tx, "c")
        assert connections.get_connection(tx, "c") is None


def test_the_run_before_the_unfinished_and_the_newest_are_found_without_a_list(world: World) -> None:
    dag = world.dag()
    first, second, third = (world.run(run_id=f"r{day}", day=day) for day in range(3))
    world.apply(Changes(runs=[replace(first, state=DagRunState.SUCCESS, ended_at=AT)]))
    with world.db.read() as tx:
        before = [
            dag_runs.find_previous_run(tx, third),
            dag_runs.find_previous_run(tx, third, DagRunState.SUCCESS),
            dag_runs.find_previous_run(tx, first),
        ]
        assert [None if run is None else run.run_id for run in before] == ["r1", "r0", None]
        assert [run.run_id for run in dag_runs.list_unfinished_runs(tx, dag.dag_pk)] == ["r2", "r1"]
        ended = dag_runs.find_newest_ended_run(tx, dag.dag_pk)
        assert ended is not None and ended.run_id == "r0"
        assert dag_runs.list_newest_run_states(tx) == {dag.dag_pk: ("r2", DagRunState.QUEUED)}
        assert second.run_id == "r1"
