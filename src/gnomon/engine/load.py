"""Groups into memory and out of it: the code of a start, a take-over, and of every refused commit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from gnomon.engine.cells import Run
from gnomon.engine.memory import Memory
from gnomon.engine.runs import attach, attach_past, forget
from gnomon.model.ids import group_of
from gnomon.model.records import GroupState, TaskRecord


def load(memory: Memory, state: GroupState, epochs: Mapping[int, int]) -> list[Run]:
    """Take these groups into memory as the store has them; returns the runs to judge in the next step."""
    memory.epochs.update(epochs)
    rows: dict[int, list[TaskRecord]] = defaultdict(list)
    for task in state.tasks:
        rows[task.run_pk].append(task)
    for record in state.dags:
        dag = memory.add_dag(record)
        dag.as_loaded = True
        for run, tasks in state.tails.get(record.dag_pk, ()):
            attach_past(memory, dag, run, tasks)
    loaded = []
    for run_record in state.runs:
        dag_of_run = memory.dags.get(run_record.dag_pk)
        if dag_of_run is not None:
            loaded.append(attach(memory, dag_of_run, run_record, rows[run_record.run_pk], state.run_waits.get(run_record.run_pk, ())))
    return loaded


def drop(memory: Memory, groups: Iterable[int]) -> None:
    """Forget everything of these groups."""
    gone = set(groups)
    for dag_id in [dag_id for dag_id in memory.asked if group_of(dag_id) in gone]:
        del memory.asked[dag_id]
    for dag in [dag for dag in memory.dags.values() if dag.record.group_no in gone]:
        forget(memory, dag)
    for group in gone:
        memory.epochs.pop(group, None)
    for pool in memory.pools.values():
        pool.ready.sweep()
        pool.oversized.sweep()
    memory.timers.sweep()
