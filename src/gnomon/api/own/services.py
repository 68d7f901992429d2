"""The processes of the services."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime

from fastapi import APIRouter

from gnomon.api.access.permissions import requires
from gnomon.api.access.policies import ApiResource, Permission
from gnomon.api.context import Context
from gnomon.api.v2.schemas.base import Answer
from gnomon.report.listings.service_list import list_services

router = APIRouter(prefix="/services", tags=["Service"])


class ServiceAnswer(Answer):
    """A registered process."""

    service: str
    """The name of its command."""
    id: str
    host: str
    beat_at: datetime | None
    """Its last heartbeat."""
    alive: bool


class ServicesAnswer(Answer):
    """All registered processes; one that ended normally is not registered."""

    services: list[ServiceAnswer]


@router.get("", dependencies=[requires(Permission.READ, ApiResource.JOB)])
def get_services(context: Context) -> ServicesAnswer:
    """The registered processes with their heartbeats."""
    with context.database.read() as tx:
        rows = list_services(tx, context.cfg.number("triggerer", "job_heartbeat_sec"))
    return ServicesAnswer(services=[ServiceAnswer.model_validate(asdict(row)) for row in rows])
