"""Schedulers, triggerers and dag-processors as Airflow's jobs."""

from __future__ import annotations

import zlib
from datetime import datetime
from typing import Annotated, Any

from fastapi import Query
from pydantic import Field

from gnomon.api.access.permissions import requires
from gnomon.api.common.filters import read_instant
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.ordering import sort_entries
from gnomon.api.common.paging import PageParameters, cut_page
from gnomon.api.context import ApiContext, Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.api.v2.schemas.jobs_shapes import JobCollectionResponse, JobResponse
from gnomon.model.instants import SECOND, Instant, moment
from gnomon.queries.report.listings.process_health import PROCESSOR_SILENCE_S
from gnomon.storage.store import Transaction
from gnomon.storage.store.coordination import leases
from gnomon.storage.store.transaction import LEASE_TTL_S
from gnomon.storage.store.trigger_queue import triggerer_leases

router = OperationRouter(prefix="/jobs", tags=["Job"])
RUNNING, FAILED = "running", "failed"


class JobFilters(PageParameters):
    """The parameters of the list."""

    is_alive: bool | None = None
    start_date_gte: datetime | None = None
    start_date_gt: datetime | None = None
    start_date_lte: datetime | None = None
    start_date_lt: datetime | None = None
    end_date_gte: datetime | None = None
    end_date_gt: datetime | None = None
    end_date_lte: datetime | None = None
    end_date_lt: datetime | None = None
    order_by: list[str] = Field([])
    job_state: str | None = None
    job_type: str | None = None
    hostname: str | None = None
    executor_class: str | None = None


_ORDER: dict[str, Any] = {
    "id": lambda job: job.id,
    "dag_id": lambda job: job.dag_id,
    "state": lambda job: job.state,
    "job_type": lambda job: job.job_type,
    "start_date": lambda job: job.start_date,
    "end_date": lambda job: job.end_date,
    "latest_heartbeat": lambda job: job.latest_heartbeat,
    "executor_class": lambda job: job.executor_class,
    "hostname": lambda job: job.hostname,
    "unixname": lambda job: job.unixname,
}


@router.get("", dependencies=[requires(Permission.READ, ApiResource.JOB)])
def get_jobs(filters: Annotated[JobFilters, Query()], context: Context) -> JobCollectionResponse:
    """The processes that are registered. A process that ended normally is not."""
    with context.database.read() as tx:
        jobs = _read_jobs(context, tx)
    chosen = [job for job in jobs if _matches(job, filters)]
    ordered = sort_entries(chosen, filters.order_by, _ORDER, "id")
    return JobCollectionResponse(jobs=cut_page(ordered, filters), total_entries=len(ordered))


def _read_jobs(context: ApiContext, tx: Transaction) -> list[JobResponse]:
    now = tx.lease_now()
    beat_s = context.cfg.number("triggerer", "job_heartbeat_sec")
    jobs = [
        _build(
            "SchedulerJob",
            row.scheduler_id,
            row.host,
            row.started_at,
            row.beat_at,
            not row.fenced and now - row.beat_at <= LEASE_TTL_S * SECOND,
        )
        for row in leases.list_schedulers(tx)
    ]
    jobs += [
        _build("TriggererJob", row.triggerer_id, row.host, None, row.beat_at, row.is_alive(now, beat_s))
        for row in triggerer_leases.list_triggerers(tx)
    ]
    jobs += [
        _build(
            "DagProcessorJob",
            row.processor_id,
            row.host,
            None,
            row.beat_at,
            now - row.beat_at <= PROCESSOR_SILENCE_S * SECOND,
        )
        for row in leases.list_dag_processors(tx)
    ]
    return jobs


def _build(
    job_type: str, name: str, host: str, started_at: Instant | None, beat_at: Instant, is_alive: bool
) -> JobResponse:
    """A job; its id is a hash of the id of the process."""
    return JobResponse(
        id=zlib.crc32(f"{job_type} {name}".encode()),
        dag_id=None,
        state=RUNNING if is_alive else FAILED,
        job_type=job_type,
        start_date=moment(started_at),
        end_date=None if is_alive else moment(beat_at),
        latest_heartbeat=moment(beat_at),
        executor_class=None,
        hostname=host,
        unixname=None,
        dag_display_name=None,
    )


def _matches(job: JobResponse, filters: JobFilters) -> bool:
    if filters.is_alive is not None and filters.is_alive != (job.state == RUNNING):
        return False
    exact = (
        (filters.job_state, job.state),
        (filters.job_type, job.job_type),
        (filters.hostname, job.hostname),
        (filters.executor_class, job.executor_class),
    )
    return all(filter_value in (None, value) for filter_value, value in exact) and all(
        _is_within(getattr(job, name), filters, name) for name in ("start_date", "end_date")
    )


def _is_within(value: datetime | None, filters: JobFilters, name: str) -> bool:
    bounds: dict[str, datetime] = {
        suffix: bound
        for suffix in ("gte", "gt", "lte", "lt")
        if (bound := getattr(filters, f"{name}_{suffix}")) is not None
    }
    if not bounds:
        return True
    if value is None:
        return False
    at = read_instant(value)
    checks = {
        "gte": lambda other: at >= other,
        "gt": lambda other: at > other,
        "lte": lambda other: at <= other,
        "lt": lambda other: at < other,
    }
    return all(checks[suffix](read_instant(bound)) for suffix, bound in bounds.items())
