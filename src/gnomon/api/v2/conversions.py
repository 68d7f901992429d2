"""From the records of the store to the shapes of the API."""

from __future__ import annotations

from uuid import UUID

from gnomon.api.v2.schemas.dag_runs_shapes import DAGRunResponse
from gnomon.api.v2.schemas.versions_shapes import DagVersionResponse
from gnomon.ground.config.dag_bundles import DAGS_FOLDER_BUNDLE
from gnomon.ground.log.uri_passwords import hide_uri_passwords
from gnomon.model.ids import TaskKey
from gnomon.model.instants import SECOND, Instant, moment, to_datetime
from gnomon.model.states import TRIGGERED_BY_RUN_TYPE, DagRunTriggeredByType, parse_triggering_user
from gnomon.queries.report.listings.audit_list import hide_in_value
from gnomon.storage.store.pages.run_pages import ListedRun

_TRIGGERED_BY_PREFIX = {
    "cli": DagRunTriggeredByType.CLI,
    "api": DagRunTriggeredByType.REST_API,
    "task": DagRunTriggeredByType.OPERATOR,
}


def seconds_between(start: Instant | None, end: Instant | None) -> float | None:
    """The span in seconds; None while one of them is not known."""
    return None if start is None or end is None else (end - start) / SECOND


def task_instance_uuid(key: TaskKey) -> UUID:
    """The id of a task instance: its key as a number."""
    return UUID(int=(key.run_pk << 64) | (key.task_no << 32) | (key.map_index & 0xFFFFFFFF))


def build_version(
    dag_id: str,
    display_name: str,
    version_pk: int,
    number: int,
    created_at: Instant,
    bundle_name: str | None = None,
    bundle_version: str | None = None,
) -> DagVersionResponse:
    """A version of a DAG; its id is its key as a number."""
    return DagVersionResponse(
        id=UUID(int=version_pk),
        version_number=number,
        dag_id=dag_id,
        bundle_name=bundle_name or DAGS_FOLDER_BUNDLE,
        bundle_version=bundle_version,
        created_at=to_datetime(created_at),
        dag_display_name=display_name,
        bundle_url=None,
    )


def build_dag_run(listed: ListedRun, display_name: str, note: str | None) -> DAGRunResponse:
    """A run. `display_name`: of its DAG."""
    run = listed.run
    origin = (listed.created_by or "").partition(":")[0]
    versions = []
    if run.version_pk is not None and listed.version_number is not None and listed.version_created_at is not None:
        versions = [
            build_version(
                listed.dag_id,
                display_name,
                run.version_pk,
                listed.version_number,
                listed.version_created_at,
                listed.bundle_name,
                run.bundle_version,
            )
        ]
    return DAGRunResponse(
        dag_run_id=run.run_id,
        dag_id=listed.dag_id,
        logical_date=moment(run.logical_at),
        queued_at=moment(run.queued_at),
        start_date=moment(run.started_at),
        end_date=moment(run.ended_at),
        duration=seconds_between(run.started_at, run.ended_at),
        data_interval_start=moment(run.interval_start),
        data_interval_end=moment(run.interval_end),
        run_after=to_datetime(run.run_after),
        last_scheduling_decision=None,
        run_type=run.run_type,
        state=run.state,
        triggered_by=TRIGGERED_BY_RUN_TYPE.get(run.run_type, _TRIGGERED_BY_PREFIX.get(origin)),
        triggering_user_name=parse_triggering_user(listed.created_by),
        conf=hide_in_value(run.conf, hide_uri_passwords),
        note=note,
        dag_versions=versions,
        bundle_version=run.bundle_version,
        dag_display_name=display_name,
        partition_key=run.partition_key,
        partition_date=moment(run.partition_date),
    )
