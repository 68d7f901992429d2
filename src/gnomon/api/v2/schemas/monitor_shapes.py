"""The shapes of monitor in the API: names and fields are those of Airflow's document."""

from __future__ import annotations

from gnomon.api.common.shapes import Answer


class BaseInfoResponse(Answer):
    """`BaseInfoResponse` of Airflow's document."""

    status: str | None


class SchedulerInfoResponse(Answer):
    """`SchedulerInfoResponse` of Airflow's document."""

    status: str | None
    latest_scheduler_heartbeat: str | None


class TriggererInfoResponse(Answer):
    """`TriggererInfoResponse` of Airflow's document."""

    status: str | None
    latest_triggerer_heartbeat: str | None


class DagProcessorInfoResponse(Answer):
    """`DagProcessorInfoResponse` of Airflow's document."""

    status: str | None
    latest_dag_processor_heartbeat: str | None


class HealthInfoResponse(Answer):
    """`HealthInfoResponse` of Airflow's document."""

    metadatabase: BaseInfoResponse
    scheduler: SchedulerInfoResponse
    triggerer: TriggererInfoResponse
    dag_processor: DagProcessorInfoResponse | None = None


class VersionInfo(Answer):
    """`VersionInfo` of Airflow's document."""

    version: str
    git_version: str | None
