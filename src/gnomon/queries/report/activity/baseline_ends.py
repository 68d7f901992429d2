"""The DAGs and tasks at the end of a baseline: whether they exist, and why a baseline over them has no run to judge."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.model.baseline_specs import BaselineSpec
from gnomon.model.baselines import split_subject
from gnomon.model.records import DagRecord
from gnomon.model.sentences import Sentence, quote, say
from gnomon.storage.store import Transaction
from gnomon.storage.store.cross_dag import dag_edges
from gnomon.storage.store.dag_records import dags
from gnomon.storage.store.ownership import group_state


@dataclass(frozen=True, slots=True)
class BaselineEnd:
    """What `dag_id` or `dag_id.task_id` names."""

    dag_id: str
    task_id: str | None
    dag: DagRecord | None
    """None: no active DAG has this id."""

    @property
    def exists(self) -> bool:
        """Whether there is this DAG, with this task."""
        return self.dag is not None and (
            self.task_id is None or any(task.task_id == self.task_id for task in self.dag.spec.tasks)
        )


def find_end(tx: Transaction, text: str) -> BaselineEnd:
    """The DAG and the task of the text; an unknown one is a DAG."""
    parts = text.split(".")
    names = [".".join(parts[:count]) for count in range(1, len(parts) + 1)]
    dag_id, task_id = split_subject(text, dag_edges.list_active_versions(tx, names))
    row = dags.find_dag_row(tx, dag_id)
    records = [] if row is None or not row.active else group_state.load_dags(tx, [row.dag_pk])
    return BaselineEnd(dag_id, task_id, records[0] if records else None)


def describe_idle(tx: Transaction, spec: BaselineSpec) -> Sentence | None:
    """Why no run can belong to a due time of the baseline; None: some DAG of it may run."""
    ends = [find_end(tx, text) for text in spec.of]
    missing = next((text for text, end in zip(spec.of, ends, strict=True) if not end.exists), None)
    if missing is not None:
        return say("baseline_names_nothing", baseline=spec.name, text=missing, place=spec.shown_place)
    dag_records = [end.dag for end in ends if end.dag is not None]
    if not any(dag.spec.timetable.can_be_scheduled or dag.spec.asset_condition for dag in dag_records):
        return say(
            "baseline_is_without_a_schedule", baseline=spec.name, dag=dag_records[0].dag_id, place=spec.shown_place
        )
    if all(dag.paused for dag in dag_records):
        return say("baseline_is_of_paused_dags", baseline=spec.name, dag=dag_records[0].dag_id)
    errors = [dag.dependency_error or dag.error for dag in dag_records]
    if all(errors):
        return say(
            "baseline_is_of_faulty_dags", baseline=spec.name, dag=dag_records[0].dag_id, why=quote(errors[0] or "")
        )
    return None
