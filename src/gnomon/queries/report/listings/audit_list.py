"""The audit log as commands print it, and which of its lines a user sees."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from gnomon.ground.log.uri_passwords import hide_uri_passwords
from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import iso
from gnomon.model.sentences import Sentence, render
from gnomon.model.sentences.stored_sentences import put_into_details
from gnomon.storage.store import Transaction
from gnomon.storage.store.pages.event_pages import ListedEvent, read_event_page, resolve_names
from gnomon.storage.store.pages.page_query import Condition, Operator, PageQuery, SortKey


@dataclass(frozen=True, slots=True)
class AuditRow:
    """A line of the audit log."""

    at: str
    event: str
    by: str
    address: str | None
    """From where the user asked, over the API; only administrators see it."""
    dag_id: str | None
    run_id: str | None
    task_id: str | None
    """With the map index of a mapped task."""
    details: str | None


def list_visible_conditions(dag_ids: Collection[str] | None, *, is_admin: bool) -> list[Condition]:
    """Lines about DAGs that the user sees; those that belong to no DAG, such as changes of accounts, are for administrators. None: all DAGs."""
    if dag_ids is not None:
        return [Condition("dag_id", Operator.IN, list(dag_ids))]
    return [] if is_admin else [Condition("dag_id", Operator.NOT_IN, [None])]


def list_audit_rows(
    tx: Transaction,
    conditions: Collection[Condition],
    limit: int,
    dag_pk: int | None = None,
    *,
    is_admin: bool,
    hide: Callable[[str], str],
) -> list[AuditRow]:
    """The newest `limit` lines that meet the conditions, newest first; with `dag_pk` only those about this DAG.

    `hide` replaces the ids of DAGs that the user may not see.
    """
    query = PageQuery(
        tuple(conditions if dag_pk is not None else resolve_names(tx, tuple(conditions))),
        (SortKey("event_log_id", descends=True),),
        limit,
    )
    return [_build_row(event, hide, is_admin=is_admin) for event in read_event_page(tx, query, dag_pk)]


def read_details(body: str) -> dict[str, Any]:
    """The fields of a body that is a JSON object; empty for a plain text."""
    if not body.startswith("{"):
        return {}
    try:
        body_fields = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return body_fields if isinstance(body_fields, dict) else {}


def put_body_into(body: str, word: Callable[[Sentence], str]) -> str:
    """The body of a line with the sentences in a JSON object, which are stored with code and arguments, as texts by `word`."""
    details = read_details(body)
    shown = put_into_details(details, word)
    return body if shown == details else json.dumps(shown, ensure_ascii=False)


def hide_in_value(value: Any, hide: Callable[[str], str]) -> Any:
    """The JSON value with `hide` applied to its texts and to the names of its fields; numbers and the rest stay as they are."""
    if isinstance(value, str):
        return hide(value)
    if isinstance(value, dict):
        return {hide(name): hide_in_value(item, hide) for name, item in value.items()}
    if isinstance(value, list):
        return [hide_in_value(item, hide) for item in value]
    return value


def hide_in_body(body: str, hide: Callable[[str], str]) -> str:
    """The body of a line with `hide` applied to each text of a JSON object, or to a plain text; it stays as it is if that changes nothing.

    Passwords in addresses are hidden: lines that older releases wrote may have some.
    """
    body = hide_uri_passwords(body)
    details = read_details(body)
    if not details:
        return hide(body)
    shown = hide_in_value(details, hide)
    return body if shown == details else json.dumps(shown, ensure_ascii=False)


def _build_row(event: ListedEvent, hide: Callable[[str], str], *, is_admin: bool) -> AuditRow:
    task_id = (
        event.task_id if event.task_id is None or event.map_index == UNMAPPED else f"{event.task_id}[{event.map_index}]"
    )
    return AuditRow(
        iso(event.at) or "",
        event.kind,
        event.by,
        event.address if is_admin else None,
        event.dag_id,
        event.run_id,
        task_id,
        hide_in_body(put_body_into(event.body, render), hide) or None,
    )
