"""The processes of the services, with their figures, and the problems of the installation."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime

from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.reader_language import word
from gnomon.api.common.sentence_answers import SentenceAnswer, build_sentence
from gnomon.api.common.shapes import Answer
from gnomon.api.context import Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.model.instants import moment
from gnomon.queries.report.listings.service_list import WrittenFigures, list_services, read_figures

router = OperationRouter(prefix="/services", tags=["Service"])


class ServiceAnswer(Answer):
    """A registered process."""

    service: str
    """The name of its command."""
    id: str
    host: str
    beat_at: datetime | None
    """Its last heartbeat."""
    alive: bool
    groups: int | None = None
    """The groups of DAGs, of 64, that a scheduler owns."""
    version: str | None = None
    """The version of Gnomon that the process runs; null until it has written figures."""
    slots: int | None = None
    """How many tasks a worker runs at a time, or how many triggers a triggerer."""
    queues: list[str] | None = None
    """The queues that a worker of the CeleryExecutor takes tasks from."""
    used_by: list[str] | None = None
    """The hosts of the live schedulers that send tasks to a worker."""
    figures: dict[str, float] = {}
    """What the process has written with its last heartbeats, by the names of /metrics, without those that have labels."""


class PartAnswer(Answer):
    """A part of the installation: the database, or all processes of one service."""

    name: str
    status: str | None
    """healthy or unhealthy; null: it was never started."""
    beat_at: datetime | None
    note: str


class ServicesAnswer(Answer):
    """All registered processes; one that ended normally is not registered."""

    services: list[ServiceAnswer]
    parts: list[PartAnswer]
    problems: list[str]
    """What is wrong, each with its remedy; text in back quotes is a command or a name. Empty for an account that does not see every DAG."""
    coded: list[SentenceAnswer]
    """The problems with code, arguments and spans."""


@router.get("", dependencies=[requires(Permission.READ, ApiResource.JOB)])
def get_services(context: Context, user: CurrentUser) -> ServicesAnswer:
    """The registered processes with their heartbeats and figures, and the problems with their remedies."""
    health = context.read_health()
    with context.database.read() as tx:
        written = read_figures(tx)
        rows = list_services(tx, context.cfg.number("triggerer", "job_heartbeat_sec"), written)
        is_all = VisibleDags(context, tx, user).is_all
    coded = [build_sentence(problem, str) for problem in health.problems] if is_all else []
    return ServicesAnswer(
        services=[
            ServiceAnswer.model_validate({**asdict(row), "figures": _read_figures(written, row.id)}) for row in rows
        ],
        parts=[
            PartAnswer(
                name=part.name,
                status=None if part.status is None else part.status.value,
                beat_at=moment(part.beat_at),
                note=part.note and word(part.note),
            )
            for part in health.components
        ],
        problems=[sentence.text for sentence in coded],
        coded=coded,
    )


class SilentServicesAnswer(Answer):
    """The services that are not alive though work waits for them."""

    silent: list[SentenceAnswer]
    """Each with what does not happen, and its remedy."""


@router.get("/silent", dependencies=[requires(Permission.READ, ApiResource.DAG)])
def get_silent_services(context: Context) -> SilentServicesAnswer:
    """The services that are not alive though work waits for them: what every page of a client should say. Cheap enough to be asked every few seconds."""
    return SilentServicesAnswer(silent=[build_sentence(sentence, str) for sentence in context.read_health().silent])


def _read_figures(written: WrittenFigures, process_id: str) -> dict[str, float]:
    """The figures of a process without labels, of what it has written."""
    samples = written.samples.get(process_id, ())
    return {
        sample.metric.name: sample.value
        for sample in samples
        if not sample.labels and isinstance(sample.value, float | int)
    }
