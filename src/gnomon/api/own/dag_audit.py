"""What people and services did to one DAG and its runs: the audit log in pages that stay right while rows are added."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Query
from pydantic import Field

from gnomon.api.access.hidden_names import build_name_filter
from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.common.filters import read_instant
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.paths import Id
from gnomon.api.common.reader_language import word, word_body
from gnomon.api.common.sentence_answers import SpannedAnswer, map_spans
from gnomon.api.common.shapes import Answer
from gnomon.api.context import Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.api.v2.lookup import find_stored_dag, refuse_wildcard
from gnomon.ground.log.uri_passwords import hide_uri_passwords
from gnomon.model.accounts import Role
from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import to_datetime
from gnomon.queries.report.listings.audit_list import hide_in_value, read_details
from gnomon.storage.store.pages.event_pages import ListedEvent, read_event_page
from gnomon.storage.store.pages.page_query import Condition, Operator, PageQuery, SortKey

router = OperationRouter(prefix="/dags/{dag_id}", tags=["Audit"])
LIMIT_MAX = 200
Text = Annotated[str | None, Query(min_length=1, max_length=250, pattern=r"^[^\x00]*$")]


class AuditRowAnswer(SpannedAnswer):
    """One row."""

    id: int
    at: dt.datetime
    event: str
    by: str
    """`api:NAME`, `cli:NAME`, or a service."""
    from_: str | None = Field(serialization_alias="from")
    """The address from which it was asked over the API; only administrators see it."""
    run_id: str | None
    task_id: str | None
    map_index: int | None
    before: Any
    """The value before the change, where it is recorded; `after` likewise."""
    after: Any
    text: str
    """What else is recorded."""


class AuditAnswer(Answer):
    """A page of rows, newest first."""

    rows: list[AuditRowAnswer]
    next: int | None
    """`older_than` of the next page; null: there is none."""


@router.get("/audit", dependencies=[requires(Permission.READ, ApiResource.AUDIT_LOG)], response_model_by_alias=True)
def get_dag_audit(
    dag_id: Id,
    context: Context,
    user: CurrentUser,
    limit: Annotated[int, Query(ge=1, le=LIMIT_MAX)] = 50,
    older_than: Annotated[int | None, Query(ge=0, lt=2**63)] = None,
    event: Text = None,
    by: Text = None,
    run_id: Text = None,
    from_: Annotated[dt.datetime | None, Query(alias="from")] = None,
    to: dt.datetime | None = None,
) -> AuditAnswer:
    """The rows about the DAG and its runs. `event` and `by`: a part of the text; `run_id`: of one run; `from` and `to`: of a span of time."""
    refuse_wildcard("dag_id", dag_id)
    conditions = []
    if older_than is not None:
        conditions.append(Condition("event_log_id", Operator.LESS, older_than))
    conditions += [
        Condition(name, Operator.MATCHES, [text])
        for name, text in (("event", event), ("owner", by))
        if text is not None
    ]
    if run_id is not None:
        conditions.append(Condition("run_id", Operator.EQUAL, run_id))
    if from_ is not None:
        conditions.append(Condition("when", Operator.AT_LEAST, read_instant(from_)))
    if to is not None:
        conditions.append(Condition("when", Operator.LESS, read_instant(to)))
    with context.database.read() as tx:
        stored = find_stored_dag(tx, dag_id)
        page = read_event_page(
            tx, PageQuery(tuple(conditions), (SortKey("event_log_id", descends=True),), limit + 1), stored.dag_pk
        )
        visible = VisibleDags(context, tx, user)
    hide = build_name_filter(visible)
    is_admin = user.identity.everywhere is Role.ADMIN
    return AuditAnswer(
        rows=[_build(event, hide, is_admin=is_admin) for event in page[:limit]],
        next=page[limit - 1].event_pk if len(page) > limit else None,
    )


def _build(event: ListedEvent, hide: Callable[[str], str], *, is_admin: bool) -> AuditRowAnswer:
    body = hide_uri_passwords(event.body)
    details = hide_in_value(read_details(word_body(body)), hide)
    rest = {name: value for name, value in details.items() if name not in ("before", "after")}
    text = hide(word(body)) if not details else json.dumps(rest, ensure_ascii=False) if rest else ""
    return AuditRowAnswer(
        id=event.event_pk,
        at=to_datetime(event.at),
        event=event.kind,
        by=event.by,
        from_=event.address if is_admin else None,
        run_id=event.run_id,
        task_id=event.task_id,
        map_index=None if event.map_index == UNMAPPED else event.map_index,
        before=details.get("before"),
        after=details.get("after"),
        text=text,
        spans=map_spans([text if details else body], hide),
    )
