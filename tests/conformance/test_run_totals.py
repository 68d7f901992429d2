"""The numbers of runs by state agree with the rows, also when one step changes and deletes a run, and can be counted anew."""

from __future__ import annotations

from tests.conformance.storeworld import World

from gnomon.model.states import DagRunState
from gnomon.storage.store.admin.run_totals import WrongTotal, list_wrong_totals, recount_totals
from gnomon.storage.store.pages.run_pages import read_run_counts_of_dags


def test_wrong_numbers_are_found_and_counted_anew(world: World) -> None:
    dag, other = world.dag("a"), world.dag("b")
    for number in range(3):
        world.run("a", f"r{number}")
    world.run("b", "s")
    with world.db.read() as tx:
        assert list_wrong_totals(tx) == []
    with world.db.write() as tx:
        tx.send_many("commit.tallies", [(dag.dag_pk, 1, -2), (dag.dag_pk, 100, 4)])
    wrong = [
        WrongTotal(dag.dag_pk, "a", DagRunState.QUEUED, 1, 3),
        WrongTotal(dag.dag_pk, "a", DagRunState.SUCCESS, 4, 0),
    ]
    with world.db.read() as tx:
        assert list_wrong_totals(tx) == wrong
    with world.db.write() as tx:
        assert recount_totals(tx) == wrong
    with world.db.write() as tx:
        assert recount_totals(tx) == []
    with world.db.read() as tx:
        assert read_run_counts_of_dags(tx, None) == {
            dag.dag_pk: {DagRunState.QUEUED: 3},
            other.dag_pk: {DagRunState.QUEUED: 1},
        }


def test_a_number_of_0_without_runs_is_right(world: World) -> None:
    """A number of 0 stays when the last run in a state left it."""
    dag = world.dag("a")
    with world.db.write() as tx:
        tx.send_many("commit.tallies", [(dag.dag_pk, 101, 0)])
    with world.db.read() as tx:
        assert list_wrong_totals(tx) == []
