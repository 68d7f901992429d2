"""A task instance of a run as it is stored when a task asks for it, with the names of Airflow's `TaskInstance`; read only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from gnomon.author_code.context.task_instance_key import TaskInstanceKey
from gnomon.authoring.sdk.arguments.timezone import to_pendulum
from gnomon.authoring.sdk.connections import channel as sdk_channel
from gnomon.model.attempts import TaskInstanceFacts
from gnomon.model.ids import UNMAPPED
from gnomon.model.states import TaskInstanceState
from gnomon.model.task_api_requests import GetTaskInstances

if TYPE_CHECKING:
    import pendulum


class StoredTaskInstance:
    """The state of a task instance at the moment of the question. `task` is the operator when the DAG of the run is loaded, else None."""

    def __init__(self, facts: TaskInstanceFacts, dag_run: Any) -> None:
        """`dag_run`: the `RuntimeDagRun` of the instance."""
        self._facts = facts
        self.dag_run = dag_run
        self.dag_id = dag_run.dag_id
        self.run_id = dag_run.run_id
        self.task_id = facts.task_id
        self.map_index = facts.map_index
        self.state = None if facts.state is None else TaskInstanceState(facts.state)
        self.try_number = facts.try_number
        self.max_tries = facts.max_tries
        self.operator = facts.operator
        self.queue = facts.queue
        self.pool = facts.pool
        self.pool_slots = facts.pool_slots
        self.priority_weight = facts.priority_weight
        self.hostname = facts.hostname
        self.rendered_map_index = facts.rendered_map_index
        dag = dag_run.dag
        self.task = dag.task_dict.get(facts.task_id) if dag is not None else None

    @property
    def start_date(self) -> pendulum.DateTime | None:
        """The start of the newest try."""
        return to_pendulum(self._facts.started_at)

    @property
    def end_date(self) -> pendulum.DateTime | None:
        return to_pendulum(self._facts.ended_at)

    @property
    def duration(self) -> float | None:
        """Seconds from `start_date` to `end_date`; None before the end."""
        if self._facts.started_at is None or self._facts.ended_at is None:
            return None
        return (self._facts.ended_at - self._facts.started_at) / 1_000_000

    @property
    def logical_date(self) -> pendulum.DateTime | None:
        moment: pendulum.DateTime | None = self.dag_run.logical_date
        return moment

    @property
    def execution_date(self) -> pendulum.DateTime | None:
        """The logical date, under its name in Airflow 2."""
        return self.logical_date

    @property
    def key(self) -> TaskInstanceKey:
        """The key of the newest try."""
        return TaskInstanceKey(self.dag_id, self.task_id, self.run_id, self.try_number, self.map_index)

    def current_state(self, session: Any = None) -> TaskInstanceState | None:
        """Return the state now; None when there is none."""
        states_now = {
            (instance.task_id, instance.map_index): instance.state for instance in list_task_instances(self.dag_run)
        }
        return states_now.get((self.task_id, self.map_index))

    def get_dagrun(self, session: Any = None) -> Any:
        """Return the run."""
        return self.dag_run

    def __repr__(self) -> str:
        where = "" if self.map_index == UNMAPPED else f" [{self.map_index}]"
        return f"<TaskInstance: {self.dag_id}.{self.task_id} {self.run_id}{where} [{self.state}]>"


def list_task_instances(dag_run: Any) -> list[StoredTaskInstance]:
    """All task instances of the run in topological order, then by map index; none when the run does not exist any more."""
    answer = sdk_channel.ask(GetTaskInstances(dag_id=dag_run.dag_id, run_id=dag_run.run_id))
    return [StoredTaskInstance(facts, dag_run) for facts in msgspec.convert(answer or [], list[TaskInstanceFacts])]
