"""The compact grid of a run is the plain one with numbers for states: with mapped tasks, tasks that left, and runs that lack some, on both databases."""

from __future__ import annotations

import random

from tests.conformance.storeworld import World

from gnomon.model.records import DagRecord
from gnomon.model.spec import TaskSpec
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.queries.report.listings.run_grid import CompactGrid, StateCounts, read_compact_grid, read_run_grid
from gnomon.queries.report.listings.run_list import list_task_instances
from gnomon.queries.report.listings.task_instance_details import list_details
from gnomon.storage.store import Transaction

SEED = 5
RUNS = 12
TASKS = 9
STATES = (0, 1, 3, 8, 100, 101, 104)


def _store_runs(tx: Transaction, dag: DagRecord, chance: random.Random) -> None:
    """Runs with all tasks, with the first or the last of them, with gaps, with mapped tasks, without any."""
    execute = tx._connection.execute_raw
    for number in range(RUNS):
        execute(
            "INSERT INTO dag_run (dag_pk, group_no, run_id, run_type, state, run_after, queued_at) "
            f"VALUES ({dag.dag_pk}, {dag.group_no}, 'r{number}', 'manual', 1, {1000 + number}, 1)"
        )
    run_pks = [row[0] for row in tx.all("dag_runs.newest_of_all", limit=RUNS)]
    numbers = sorted(dag.task_numbers.values())
    for place, run_pk in enumerate(run_pks):
        chosen = [numbers, numbers[:4], numbers[3:], numbers[2:7], [], [n for n in numbers if chance.random() < 0.5]][
            place % 6
        ]
        for task_no in chosen:
            is_mapped = (place % 4 == 1 and task_no % 3 == 0) or place == 7
            for map_index in range(chance.randrange(1, 5)) if is_mapped else (-1,):
                state = chance.choice(STATES)
                execute(
                    "INSERT INTO task_instance (run_pk, task_no, map_index, state, try_number, max_tries, seq, defer_seq, pool_slots, priority, ended_at) "
                    f"VALUES ({run_pk}, {task_no}, {map_index}, {state}, 1, 1, 1, 0, 1, 1, {5 if state >= 100 else 'NULL'})"
                )


def _read_cells(grid: CompactGrid) -> dict[str, list[StateCounts]]:
    """The counts of each cell."""
    found = {}
    for task_id, cells in zip(grid.task_ids, grid.cells, strict=True):
        pairs = [[] if cell is None else [(cell, 1)] if isinstance(cell, int) else cell for cell in cells]
        found[task_id] = [{grid.states[number]: count for number, count in of_run} for of_run in pairs]
    return found


def test_the_compact_grid_has_the_states_of_the_plain_one(world: World) -> None:
    world.dag("d", tasks=tuple(TaskSpec(task_id=f"t{number}") for number in range(TASKS)))
    dag = world.dag(
        "d", tasks=tuple(TaskSpec(task_id=f"t{number}") for number in range(TASKS) if number not in (0, 4, 8))
    )
    with world.db.write() as tx:
        _store_runs(tx, dag, random.Random(SEED))
    with world.db.read() as tx:
        for count in (1, 2, 5, RUNS):
            compact, plain = read_compact_grid(tx, dag, count), read_run_grid(tx, dag, count)
            assert [run.run_id for run in compact.runs] == [run.run_id for run in plain.runs]
            assert _read_cells(compact) == {task.task_id: task.states for task in plain.tasks}, count
            assert compact.has_older == (count < RUNS)
        assert set(compact.states) == {None, "scheduled", "running", "awaiting_input", "success", "failed", "removed"}


def test_the_instances_of_one_task_are_those_of_all_tasks_with_its_id(world: World) -> None:
    world.dag("d", tasks=tuple(TaskSpec(task_id=f"t{number}") for number in range(TASKS)))
    dag = world.dag("d", tasks=tuple(TaskSpec(task_id=f"t{number}") for number in range(TASKS) if number != 4))
    with world.db.write() as tx:
        _store_runs(tx, dag, random.Random(SEED))
    with world.db.read() as tx:
        assert dag == find_dag(tx, "d")
        for run in read_run_grid(tx, dag, RUNS).runs:
            rows, details = list_task_instances(tx, dag, run), list_details(tx, dag, run)
            assert [detail.row for detail in details] == rows
            for task_id in (*dag.task_numbers, "unknown"):
                assert list_task_instances(tx, dag, run, task_id) == [row for row in rows if row.task_id == task_id]
                assert list_details(tx, dag, run, task_id) == [
                    detail for detail in details if detail.row.task_id == task_id
                ]
