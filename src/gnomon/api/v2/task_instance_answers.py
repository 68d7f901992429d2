"""The shapes of a task instance and of its tries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gnomon.api.v2.conversions import build_version, seconds_between, task_instance_uuid
from gnomon.api.v2.schemas.task_instances_shapes import TaskInstanceHistoryResponse, TaskInstanceResponse
from gnomon.api.v2.schemas.versions_shapes import DagVersionResponse
from gnomon.model.ids import TaskKey
from gnomon.model.instants import moment, to_datetime
from gnomon.model.states import TaskInstanceState
from gnomon.queries.report.listings.task_instance_details import TaskInstanceDetail, TaskTry, find_executor, find_queue
from gnomon.storage.store.dag_records.notes import NotesOfRuns
from gnomon.storage.store.pages.run_pages import ListedRun

DEFAULT_POOL = "default_pool"


@dataclass(frozen=True, slots=True)
class InstanceLookups:
    """What the rows of task instances leave to other tables."""

    hosts: Mapping[str, str]
    """The host name by the id of a worker."""
    notes: NotesOfRuns
    ended_workers: Mapping[TaskKey, str]
    """The worker of the last attempt of the task instances that have no attempt on a worker now."""

    def find_hostname(self, worker: str | None) -> str | None:
        """The host of the worker, or its id when it is not known."""
        return None if worker is None else self.hosts.get(worker, worker)


def build_run_version(listed: ListedRun, display_name: str) -> DagVersionResponse | None:
    """The version of the DAG that a run uses; None while it has none."""
    if listed.run.version_pk is None or listed.version_number is None or listed.version_created_at is None:
        return None
    return build_version(
        listed.dag_id,
        display_name,
        listed.run.version_pk,
        listed.version_number,
        listed.version_created_at,
        listed.bundle_name,
        listed.run.bundle_version,
    )


def build_task_instance(
    listed: ListedRun, display_name: str, detail: TaskInstanceDetail, lookups: InstanceLookups
) -> TaskInstanceResponse:
    """A task instance of a run. `display_name`: of the DAG."""
    run, record, spec = listed.run, detail.record, detail.spec
    started_at, ended_at = (record.started_at, record.ended_at) if record is not None else (None, None)
    key = TaskKey(run.run_pk, detail.task_no, detail.row.map_index)
    worker = (record.worker if record is not None else None) or lookups.ended_workers.get(key)
    return TaskInstanceResponse(
        id=task_instance_uuid(key),
        task_id=detail.row.task_id,
        dag_id=listed.dag_id,
        dag_run_id=run.run_id,
        map_index=detail.row.map_index,
        logical_date=moment(run.logical_at),
        run_after=to_datetime(run.run_after),
        start_date=moment(started_at),
        end_date=moment(ended_at),
        duration=seconds_between(started_at, ended_at),
        state=record.state if record is not None else None,
        try_number=record.try_number if record is not None else 0,
        max_tries=record.max_tries
        if record is not None and record.try_number
        else (spec.retries if spec is not None else 0),
        task_display_name=(spec.display_name if spec is not None else None) or detail.row.task_id,
        dag_display_name=display_name,
        hostname=lookups.find_hostname(worker),
        unixname=None,
        pool=(record.pool if record is not None else None) or (spec.pool if spec is not None else DEFAULT_POOL),
        pool_slots=spec.pool_slots if spec is not None else record.pool_slots if record is not None else 1,
        queue=find_queue(detail),
        priority_weight=record.priority
        if record is not None and record.state is not None
        else spec.effective_priority
        if spec is not None
        else None,
        operator=spec.operator if spec is not None else None,
        operator_name=spec.operator if spec is not None else None,
        queued_when=None,
        scheduled_when=None,
        pid=None,
        executor=find_executor(detail),
        executor_config="{}",
        note=lookups.notes.find_instance_note(key),
        rendered_map_index=record.rendered_map_index if record is not None else None,
        rendered_fields={},
        trigger=None,
        triggerer_job=None,
        dag_version=build_run_version(listed, display_name),
    )


def build_history(
    listed: ListedRun, display_name: str, detail: TaskInstanceDetail, task_try: TaskTry, lookups: InstanceLookups
) -> TaskInstanceHistoryResponse:
    """A try of a task instance."""
    current = build_task_instance(listed, display_name, detail, lookups)
    shared = current.model_dump(include=set(TaskInstanceHistoryResponse.model_fields))
    state_names = {state.value for state in TaskInstanceState}
    changed: dict[str, object] = {
        "try_number": task_try.try_number,
        "state": task_try.state if task_try.state in state_names else None,
        "start_date": moment(task_try.started_at),
        "end_date": moment(task_try.ended_at),
        "duration": seconds_between(task_try.started_at, task_try.ended_at),
        "hostname": lookups.find_hostname(task_try.worker),
    }
    return TaskInstanceHistoryResponse.model_validate({**shared, **changed})
