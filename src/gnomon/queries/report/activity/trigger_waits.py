"""What deferred tasks wait for: triggers, timers of the scheduler and questions; and the triggers that blocked an event loop."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gnomon.model.instants import SECOND, Instant, iso
from gnomon.queries.report.listings.connection_list import hide_stored_secrets
from gnomon.rules.engine.lifecycle.deferrals import NEVER
from gnomon.storage.store import Transaction
from gnomon.storage.store.errors import WrongKey
from gnomon.storage.store.pages.deferral_pages import ListedDeferral, read_deferral_page
from gnomon.storage.store.pages.event_pages import ListedEvent, read_event_page
from gnomon.storage.store.pages.page_query import Condition, Operator, PageQuery, SortKey
from gnomon.storage.store.trigger_queue.triggerer_leases import TriggererLease, list_triggerers

LISTED_MAX = 100
ARGUMENTS_MAX = 2_000
"""Characters of the arguments of one trigger that are shown."""
FAULTS_MAX = 20
FAULTS_FOR_S = 7 * 86400.0
"""How far back faults of triggers are listed."""
_FAULT_KINDS = ("trigger_blocked", "trigger_unresponsive")
_BLOCKED = "triggers.blocked_main_thread"
_BLOCKED_NOW = "triggers.blocked_now"


@dataclass(frozen=True, slots=True)
class TriggerWait:
    """A deferred task instance, and what it waits for."""

    number: int
    """The key of the deferral, by which the list is ordered."""
    dag_id: str
    run_id: str
    task_id: str
    map_index: int
    kind: str
    """trigger: a triggerer runs it; timer: the scheduler keeps the time; question: a person answers."""
    classpath: str
    arguments: str
    """JSON with masked secrets, at most ARGUMENTS_MAX characters; empty for a timer and a question."""
    queue: str | None
    since: str | None
    due_at: str | None
    timeout_at: str | None
    triggerer: str | None
    is_over: bool
    is_paused: bool
    priority: int


@dataclass(frozen=True, slots=True)
class TriggererState:
    """A triggerer that is registered."""

    id: str
    host: str
    alive: bool
    beat_at: str | None
    running: int
    capacity: int
    queues: list[str] | None
    """None: all queues."""
    succeeded: int
    failed: int
    blocks: int
    """How often a trigger blocked an event loop of it, since its start."""
    blocks_by_class: dict[str, int]
    blocked_now: list[str]
    """The classes of the triggers that blocked an event loop at the last heartbeat."""


@dataclass(frozen=True, slots=True)
class TriggerFault:
    """A trigger that blocked the event loop of all triggers, or did not end when it was cancelled."""

    at: str | None
    kind: str
    dag_id: str | None
    """None: the trigger of a watcher of assets."""
    run_id: str | None
    task_id: str | None
    map_index: int
    classpath: str
    text: str
    """What happened; for a block the stack of the code that blocked."""


def list_trigger_waits(
    tx: Transaction, conditions: Sequence[Condition], after: int | None = None, limit: int = LISTED_MAX
) -> list[TriggerWait]:
    """The deferrals that meet the conditions on fields of `deferral_pages.sql`, the oldest first; `after`: those behind this number."""
    behind = [] if after is None else [Condition("trigger_pk", Operator.MORE, after)]
    page = read_deferral_page(tx, PageQuery((*conditions, *behind), (SortKey("trigger_pk"),), limit))
    arguments = _show_arguments(
        tx, {deferral.trigger_pk: deferral.kwargs for deferral in page if _name_kind(deferral) == "trigger"}
    )
    return [_build_wait(deferral, arguments.get(deferral.trigger_pk, "")) for deferral in page]


def list_triggerer_states(tx: Transaction, beat_s: float) -> list[TriggererState]:
    """The triggerers that are not fenced. `beat_s`: the seconds between two heartbeats."""
    now = tx.lease_now()
    return [_build_state(row, now, beat_s) for row in list_triggerers(tx) if not row.fenced]


def list_trigger_faults(tx: Transaction, conditions: Sequence[Condition], now: Instant) -> list[TriggerFault]:
    """The newest faults of triggers in the audit log that meet the conditions on fields of `event_pages.sql`."""
    since = Condition("when", Operator.MORE, now - round(FAULTS_FOR_S * SECOND))
    chosen = (*conditions, Condition("event", Operator.IN, list(_FAULT_KINDS)), since)
    return [
        _build_fault(event)
        for event in read_event_page(
            tx, PageQuery(chosen, (SortKey("when", descends=True), SortKey("event_log_id", descends=True)), FAULTS_MAX)
        )
    ]


def _name_kind(deferral: ListedDeferral) -> str:
    return "question" if deferral.is_question else "timer" if deferral.due_at is not None else "trigger"


def _build_wait(deferral: ListedDeferral, arguments: str) -> TriggerWait:
    return TriggerWait(
        deferral.trigger_pk,
        deferral.dag_id,
        deferral.run_id,
        deferral.task_id,
        deferral.map_index,
        _name_kind(deferral),
        deferral.classpath,
        arguments,
        deferral.queue,
        iso(deferral.created_at),
        None if deferral.due_at == NEVER else iso(deferral.due_at),
        iso(deferral.timeout_at),
        deferral.triggerer,
        deferral.is_over,
        deferral.is_paused,
        deferral.priority,
    )


def _show_arguments(tx: Transaction, encrypted: Mapping[int, str]) -> dict[int, str]:
    """The arguments as JSON texts by key, secrets masked: those are looked up once for all."""
    readable: dict[int, Any] = {}
    shown: dict[int, str] = {}
    for key, kwargs in encrypted.items():
        try:
            readable[key] = json.loads(tx.cipher.decrypt(kwargs))
        except WrongKey as error:
            shown[key] = f"the arguments cannot be read: {error}"
    try:
        masked = hide_stored_secrets(tx, list(readable.values())) if readable else []
    except WrongKey as error:
        return dict.fromkeys(encrypted, f"the arguments cannot be read: {error}")
    for key, arguments in zip(readable, masked, strict=True):
        text = json.dumps(arguments, ensure_ascii=False)
        shown[key] = text if len(text) <= ARGUMENTS_MAX else f"{text[:ARGUMENTS_MAX]} … {len(text):,} characters"
    return shown


def _build_state(row: TriggererLease, now: Instant, beat_s: float) -> TriggererState:
    count = row.counters.get
    return TriggererState(
        row.triggerer_id,
        row.host,
        row.is_alive(now, beat_s),
        iso(row.beat_at),
        row.running,
        row.capacity,
        None if row.queues is None else list(row.queues),
        count("triggers.succeeded", 0),
        count("triggers.failed", 0),
        count(_BLOCKED, 0),
        _count_classes(row, _BLOCKED),
        list(_count_classes(row, _BLOCKED_NOW)),
    )


def _count_classes(row: TriggererLease, counter: str) -> dict[str, int]:
    """What the triggerer counted for each class of triggers, the largest number first."""
    begin = f"{counter}."
    return {
        name.removeprefix(begin): number
        for name, number in sorted(row.counters.items(), key=lambda item: -item[1])
        if name.startswith(begin)
    }


def _build_fault(event: ListedEvent) -> TriggerFault:
    classpath, _, text = event.body.partition(" ")
    return TriggerFault(
        iso(event.at), event.kind, event.dag_id, event.run_id, event.task_id, event.map_index, classpath, text
    )
