"""XComs, as a task pulls them."""

from __future__ import annotations

from gnomon import store
from gnomon.model.questions import GetXComs
from gnomon.store import runs
from gnomon.store import xcoms as stored


def xcoms(tx: store.Transaction, question: GetXComs) -> object:
    """A list of {task_id, map_index, value, run_id}; empty for a run that does not exist."""
    run = runs.find(tx, question.dag_id, question.run_id)
    if run is None:
        return []
    rows = stored.pull(tx, run, question.key, question.task_ids, include_prior=question.include_prior_dates)
    return [
        {"task_id": row.task_id, "map_index": row.map_index, "value": row.value, "run_id": row.run_id}
        for row in rows
        if question.map_indexes is None or row.map_index in question.map_indexes
    ]
