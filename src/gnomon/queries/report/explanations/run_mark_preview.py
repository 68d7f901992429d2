"""What a mark of a run does to its task instances.

The engine decides it, on the state that a scheduler would load: a teardown runs only if there is something to tear down, which takes trigger rules.
"""

from __future__ import annotations

import itertools

from gnomon.model.instants import Instant
from gnomon.model.records import DagRecord, RunRecord
from gnomon.model.states import FINISHED_TASK_STATES
from gnomon.queries.report.explanations.engine_state_reading import load_engine_state
from gnomon.rules.engine.events import MarkRun
from gnomon.rules.engine.state.engine_state import EngineLimits
from gnomon.rules.engine.state.task_instance import DagRun
from gnomon.rules.engine.step import step
from gnomon.storage.store import Transaction


def find_states_after_mark(
    tx: Transaction, dag: DagRecord, run: RunRecord, state: str, limits: EngineLimits, now: Instant
) -> dict[tuple[str, int], str]:
    """By task id and map index: the final state of each task instance that ends because the run is marked, at once and not by an attempt."""
    with load_engine_state(tx, limits, run, dag_pk=dag.dag_pk, groups=(dag.group_no,)) as engine_state:
        loaded = engine_state.runs[run.run_pk]
        before = _find_final_states(loaded)
        ids = itertools.count()
        step(engine_state, [MarkRun(run.run_pk, state, "preview")], now, lambda: f"preview-{next(ids)}")
        return {name: final for name, final in _find_final_states(loaded).items() if name not in before}


def _find_final_states(run: DagRun) -> dict[tuple[str, int], str]:
    instances = (ti for of_task in run.task_instances for ti in of_task.values())
    return {
        (ti.task.task_id, ti.map_index): ti.state.value
        for ti in instances
        if ti.state in FINISHED_TASK_STATES and ti.state is not None
    }
