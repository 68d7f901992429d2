"""What `dag.test()` returns: the run, its task instances and their XComs, readable after the run has ended."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from gnomon.author_code.context.runtime_dag_run import RuntimeDagRun
from gnomon.authoring.sdk.runtime.xcom import decode_xcom
from gnomon.entry.testing.dag_runs.private_store import PrivateStore
from gnomon.model.attempts import RETURN_VALUE, RunFacts
from gnomon.model.ids import UNMAPPED
from gnomon.model.records import RunRecord
from gnomon.model.states import DagRunState, TaskInstanceState
from gnomon.queries.report.listings.not_found import task_not_found
from gnomon.queries.report.listings.run_list import TaskInstanceRow
from gnomon.storage.store.dag_records import dag_runs, xcom_values


class FinishedTaskInstance:
    """A task instance of a run that has ended."""

    def __init__(self, row: TaskInstanceRow, store: PrivateStore, task: Any) -> None:
        self._store = store
        self.task = task
        """The operator, as the DAG has it."""
        self.dag_id = row.dag_id
        self.run_id = row.run_id
        self.task_id = row.task_id
        self.map_index = row.map_index
        self.rendered_map_index = row.rendered_map_index
        self.state: TaskInstanceState | None = None if row.state is None else TaskInstanceState(row.state)
        self.try_number = row.try_number
        self.start_date = None if row.start_date is None else datetime.fromisoformat(row.start_date)
        self.end_date = None if row.end_date is None else datetime.fromisoformat(row.end_date)
        self.reason = row.reason
        """Why the task instance failed or was skipped; None without a reason."""

    @property
    def duration(self) -> float | None:
        """Seconds between start and end; None for a task instance that did not run."""
        return (
            None
            if self.start_date is None or self.end_date is None
            else (self.end_date - self.start_date).total_seconds()
        )

    def xcom_pull(
        self,
        task_ids: str | Iterable[str] | None = None,
        key: str = RETURN_VALUE,
        *,
        map_indexes: int | None = None,
        default: Any = None,
    ) -> Any:
        """The value that a task of the run pushed: one value for one task, a list for several or for all instances of a mapped task.

        `task_ids` None: this task instance. `default`: the answer when there is no value.
        """
        if task_ids is None:
            return self._read(self.task_id, key, self.map_index, default)
        if isinstance(task_ids, str):
            return self._read(task_ids, key, map_indexes, default)
        return [self._read(task_id, key, map_indexes, default) for task_id in task_ids]

    def _read(self, task_id: str, key: str, map_index: int | None, default: Any) -> Any:
        with self._store.db.read() as tx:
            run = dag_runs.find_stored_run(tx, self.dag_id, self.run_id)
            xcoms = (
                []
                if run is None
                else xcom_values.read_xcoms(
                    tx, run, key, (task_id,), map_indexes=None if map_index is None else {map_index}
                )
            )
        values = [
            decode_xcom(
                xcom.value, key=key, task_id=task_id, dag_id=self.dag_id, run_id=self.run_id, map_index=xcom.map_index
            )
            for xcom in xcoms
        ]
        is_list = map_index is None and any(xcom.map_index != UNMAPPED for xcom in xcoms)
        return values if is_list else values[0] if values else default

    def __repr__(self) -> str:
        where = "" if self.map_index < 0 else f" [{self.map_index}]"
        return f"<TaskInstance: {self.dag_id}.{self.task_id} {self.run_id}{where} [{self.state}]>"


class FinishedDagRun(RuntimeDagRun):
    """A run that has ended, with its task instances."""

    def __init__(
        self, facts: RunFacts, record: RunRecord, rows: list[TaskInstanceRow], store: PrivateStore, dag: Any
    ) -> None:
        super().__init__(facts)
        self.state = record.state
        self.reason = record.reason
        """Why the run failed; None for one that succeeded."""
        self.dag = dag
        self._task_instances = [FinishedTaskInstance(row, store, dag.task_dict.get(row.task_id)) for row in rows]

    @property
    def is_success(self) -> bool:
        """Whether the run succeeded."""
        return self.state == DagRunState.SUCCESS

    @property
    def task_instances(self) -> list[FinishedTaskInstance]:
        """All task instances, in topological order of the tasks, then by map index."""
        return list(self._task_instances)

    def get_task_instances(self, state: Any = None, session: Any = None) -> list[FinishedTaskInstance]:
        """The task instances; with `state` (one or several) only those in it. `session` is Airflow's and has no effect."""
        if state is None:
            return self.task_instances
        states = [state] if isinstance(state, str) or not isinstance(state, Iterable) else list(state)
        return [instance for instance in self._task_instances if instance.state in states]

    def get_task_instance(
        self, task_id: str, session: Any = None, *, map_index: int = UNMAPPED
    ) -> FinishedTaskInstance | None:
        """The task instance; None when the run has none of that map index. `session` is Airflow's and has no effect.

        Raises NameNotFound for a task that the DAG does not have.
        """
        if task_id not in self.dag.task_dict:
            raise task_not_found(self.dag_id, task_id, list(self.dag.task_dict))
        return next(
            (
                instance
                for instance in self._task_instances
                if instance.task_id == task_id and instance.map_index == map_index
            ),
            None,
        )
