"""What runs, what waits and why, and what is late now."""

from __future__ import annotations

from datetime import datetime

from gnomon.api.access.hidden_names import build_name_filter
from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.sentence_answers import Hide, SentenceAnswer, build_sentence
from gnomon.api.common.shapes import Answer, copy_fields
from gnomon.api.context import Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.queries.report.activity.current_work import LateRun, WaitingRun, read_current_work
from gnomon.queries.report.explanations.engine_state_reading import build_limits

router = OperationRouter(prefix="/work", tags=["Work"])


class RunningTaskAnswer(Answer):
    """A task instance that is with a worker."""

    dag_id: str
    run_id: str
    task: str
    """Task id, with the map index in brackets if it has one."""
    state: str
    try_number: int
    since: datetime | None
    """The start of the try; None while it has not begun."""
    worker: str | None


class WaitingRunAnswer(Answer):
    """A run that waits, or with tasks that wait."""

    dag_id: str
    run_id: str
    state: str
    since: datetime | None
    reasons: list[str]
    """Empty when there are more than 2,000 unfinished runs: then no reasons are read."""
    coded: list[SentenceAnswer]
    """The same sentences, with code, arguments and spans."""


class LateRunAnswer(Answer):
    """A run that should exist, or should have ended."""

    dag_id: str
    run_id: str | None
    """None: it has not been created."""
    why: str
    coded: SentenceAnswer
    """The same sentence, with code, arguments and spans."""
    late_since: datetime | None
    """When it should have been created, or should have ended."""


class WorkAnswer(Answer):
    """The work of the DAGs that the user may see, at one instant; at most 200 of each, of the 500 newest unfinished runs."""

    at: datetime
    running: list[RunningTaskAnswer]
    waiting: list[WaitingRunAnswer]
    late: list[LateRunAnswer]


@router.get("", dependencies=[requires(Permission.READ, ApiResource.TASK_INSTANCE)])
def get_work(context: Context, user: CurrentUser) -> WorkAnswer:
    """What runs, waits and is late now."""
    limits = build_limits(context.cfg)
    with context.database.read() as tx:
        visible = VisibleDags(context, tx, user)
        work = read_current_work(tx, limits, context.clock.now(), context.work_facts.find(), dag_ids=visible.dag_ids)
        hide = build_name_filter(visible)
    return WorkAnswer.model_validate(
        {
            "at": work.at,
            "running": work.running,
            "waiting": [_build_waiting(row, hide) for row in work.waiting],
            "late": [_build_late(row, hide) for row in work.late],
        },
        from_attributes=True,
    )


def _build_waiting(row: WaitingRun, hide: Hide) -> dict[str, object]:
    coded = [build_sentence(reason, hide) for reason in row.reasons]
    return copy_fields(row) | {"reasons": [sentence.text for sentence in coded], "coded": coded}


def _build_late(row: LateRun, hide: Hide) -> dict[str, object]:
    coded = build_sentence(row.why, hide)
    return copy_fields(row) | {"why": coded.text, "coded": coded}
