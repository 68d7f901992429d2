"""The results of a run: what its tasks with `returns_dag_result` returned."""

from __future__ import annotations

from gnomon.model.ids import UNMAPPED
from gnomon.model.json_text import read_shown_json
from gnomon.model.records import DagRecord, RunRecord
from gnomon.queries.report.listings.run_list import find_spec_of_run
from gnomon.storage.store.dag_records.xcom_values import read_xcoms
from gnomon.storage.store.transaction import Transaction

RETURN_KEY = "return_value"


def find_results(tx: Transaction, dag: DagRecord, run: RunRecord) -> dict[str, object]:
    """By task id, in topological order: the value as stored, a list of values for a mapped task; without tasks that returned nothing."""
    task_ids = [task.task_id for task in find_spec_of_run(tx, dag, run).tasks if task.returns_dag_result]
    results: dict[str, object] = {}
    for xcom in read_xcoms(tx, run, RETURN_KEY, task_ids) if task_ids else ():
        value = read_shown_json(xcom.value)
        if xcom.map_index == UNMAPPED:
            results[xcom.task_id] = value
        else:
            values = results.setdefault(xcom.task_id, [])
            assert isinstance(values, list)
            values.append(value)
    return results
