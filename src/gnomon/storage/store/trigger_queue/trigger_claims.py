"""The triggers that triggerers run: claimed in batches, released, ended by an event (TRIGGER in docs/contributing/ownership.md).

Timers are not among them: their owner keeps the time. A triggerer writes in `Database.triggerer_write`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import msgspec

from gnomon.model.deferral import EMPTY_KWARGS, DeferralResult
from gnomon.model.ids import TaskKey
from gnomon.model.instants import Instant
from gnomon.model.records import NewMail
from gnomon.storage.store.coordination import mailbox
from gnomon.storage.store.errors import WrongKey
from gnomon.storage.store.transaction import Row, Transaction
from gnomon.storage.store.trigger_queue.deferrals import is_plaintext

MESSAGE_EVENTS_MAX = 100
"""The largest number of events in one message."""
MESSAGE_CHARACTERS_MAX = 10_000
"""The largest total size of the events in one message; a larger event has a message of its own."""
TRIGGER_ENDS_MAX = 5000
"""Rows of `trigger_end` that one call reads of each kind."""
_encoder = msgspec.json.Encoder()


@dataclass(frozen=True, slots=True)
class ClaimedTrigger:
    """One trigger to run, with the names of its task instance."""

    trigger_pk: int
    key: TaskKey
    defer_seq: int
    group_no: int
    classpath: str
    kwargs: str
    """Typed JSON; empty when there is a `fault`."""
    queue: str | None
    priority: int
    created_at: Instant
    dag_id: str
    run_id: str
    task_id: str
    try_number: int
    seq: int
    """Number of the attempt that deferred; 0: the task started from its trigger."""
    dag_pk: int
    fault: str | None = None
    """Why its arguments cannot be decrypted; such a trigger must not be run."""


@dataclass(frozen=True, slots=True)
class PendingTriggerWork:
    """Which kinds of work wait for one triggerer."""

    has_ended: bool
    """A trigger of it must end, or an `on_kill` is due that no triggerer has claimed."""
    has_paused: bool
    """It runs triggers of a paused DAG."""
    has_unclaimed: bool
    """A trigger of an active DAG is unclaimed; its queue may be one that this triggerer does not serve."""
    is_fenced: bool
    """Another process has fenced it; it cannot write any more."""

    @property
    def has_any(self) -> bool:
        return self.has_ended or self.has_paused or self.has_unclaimed or self.is_fenced


@dataclass(frozen=True, slots=True)
class EndedTriggers:
    """Triggers whose tasks do not wait any more."""

    cancelled: tuple[int, ...] = ()
    """To be cancelled without `on_kill`."""
    to_kill: tuple[int, ...] = ()
    """To be cancelled with `on_kill` by this triggerer, which calls `delete_finished_on_kills` when they have ended."""
    adopted: tuple[ClaimedTrigger, ...] = ()
    """Their `on_kill` is due, and the triggerer that ran them has ended."""


@dataclass(frozen=True, slots=True)
class OutgoingTriggerEvent:
    """An event to send: the first one of the trigger, or why there will be none."""

    trigger_pk: int
    key: TaskKey
    defer_seq: int
    group_no: int
    result: DeferralResult


@dataclass(frozen=True, slots=True)
class DeferralStatus:
    """The state of one deferral."""

    trigger_pk: int
    queue: str | None
    is_timer: bool
    """True when the owner keeps the time and no triggerer is needed."""
    is_over: bool
    """True when its event was sent or applied."""
    triggerer: str | None
    """Id of the triggerer that runs it; None: unclaimed."""
    priority: int


class _StoredTriggerEvent(msgspec.Struct, frozen=True, array_like=True):
    run_pk: int
    task_no: int
    map_index: int
    defer_seq: int
    result: DeferralResult


_message_decoder = msgspec.json.Decoder(list[_StoredTriggerEvent])


def find_pending_work(tx: Transaction, triggerer_id: str) -> PendingTriggerWork:
    """Whether `list_ended_triggers`, `release_paused_triggers` and `claim_triggers` would find work, by one statement."""
    row = tx.one("trigger_claims.pending_work", me=triggerer_id)
    assert row is not None
    return PendingTriggerWork(*map(bool, row))


def claim_triggers(
    tx: Transaction, triggerer_id: str, limit: int, queues: Sequence[str] | None = None
) -> list[ClaimedTrigger]:
    """Claim at most `limit` triggers for a triggerer, the highest priority and then the oldest first.

    Triggers of paused DAGs are not claimed. `queues` selects triggers of these queues and those without a queue; None selects all.
    A trigger whose arguments the key of this host does not decrypt is claimed too and has a `fault`.
    """
    if limit <= 0:
        return []
    claimed = tx.all(
        "trigger_claims.claim", me=triggerer_id, limit=limit, all_queues=queues is None, queues=list(queues or ())
    )
    return _load_claimed(tx, [pk for (pk,) in claimed]) if claimed else []


def release_paused_triggers(tx: Transaction, triggerer_id: str) -> list[int]:
    """Release the triggers of a triggerer whose DAG is paused; returns their keys, so that the triggerer cancels them."""
    paused = [dag_pk for (dag_pk,) in tx.all("trigger_claims.paused_dags", me=triggerer_id)]
    return sorted(pk for (pk,) in tx.all("trigger_claims.release", me=triggerer_id, dag_pks=paused)) if paused else []


def list_ended_triggers(tx: Transaction, triggerer_id: str, queues: Sequence[str] | None = None) -> EndedTriggers:
    """The triggers that this triggerer must end, at most TRIGGER_ENDS_MAX of each kind; each is returned once.

    Also claims triggers without a triggerer whose `on_kill` is due. If the triggerer ends before `delete_finished_on_kills`, another one calls
    `on_kill` again. `queues` as for `claim_triggers`.
    """
    cancelled = tuple(
        sorted(pk for (pk,) in tx.all("trigger_claims.take_cancelled", me=triggerer_id, limit=TRIGGER_ENDS_MAX))
    )
    to_kill = tuple(
        sorted(pk for (pk,) in tx.all("trigger_claims.take_killed", me=triggerer_id, limit=TRIGGER_ENDS_MAX))
    )
    claimed = tx.all(
        "trigger_claims.claim_killed",
        me=triggerer_id,
        limit=TRIGGER_ENDS_MAX,
        all_queues=queues is None,
        queues=list(queues or ()),
    )
    adopted = tx.all("trigger_claims.find_killed", pks=[pk for (pk,) in claimed]) if claimed else []
    return EndedTriggers(cancelled, to_kill, tuple(_decode_trigger(tx, row) for row in adopted))


def delete_finished_on_kills(tx: Transaction, triggerer_id: str, trigger_pks: Iterable[int]) -> None:
    """Record that `on_kill` of these triggers was called, or was given up: no triggerer calls it again."""
    tx.send_many("trigger_claims.remove_killed", [(pk, triggerer_id) for pk in trigger_pks])


def send_events(tx: Transaction, triggerer_id: str, events: Sequence[OutgoingTriggerEvent]) -> None:
    """Send these events to the owners by mail, the first one of each deferral, and release the triggers."""
    first = {event.trigger_pk: event for event in reversed(events)}
    marked = tx.all("trigger_claims.mark_sent", me=triggerer_id, pks=list(first))
    mailbox.send_messages(tx, _make_messages(tx, [first[pk] for (pk,) in marked]))


def decode_trigger_events(tx: Transaction, body: str) -> list[tuple[TaskKey, int, DeferralResult]]:
    """Task instance, deferral number and result of each event in a message of `send_events`.

    Raises WrongKey when the key of this host does not decrypt the message, ValueError when the message is malformed.
    """
    events = _message_decoder.decode(body if is_plaintext(body) else tx.cipher.decrypt(body))
    if is_plaintext(body) and not all(event.result.is_bare for event in events):
        raise ValueError(
            "the message holds an event in clear text that should be encrypted: it was changed outside of Gnomon"
        )
    return [(TaskKey(event.run_pk, event.task_no, event.map_index), event.defer_seq, event.result) for event in events]


def build_error_mail(tx: Transaction, group_no: int, body: str, reason: str) -> NewMail:
    """The message that ends the deferrals of another message's events with an error. Raises as `decode_trigger_events`."""
    failure = DeferralResult(outcome="error", reason=reason)
    events = [_StoredTriggerEvent(*key, defer_seq, failure) for key, defer_seq, _ in decode_trigger_events(tx, body)]
    return NewMail(group_no, "trigger", tx.cipher.encrypt(_encoder.encode(events).decode()))


def count_unclaimed_triggers(tx: Transaction) -> dict[str | None, int]:
    """The number of unclaimed triggers by queue, without those of paused DAGs."""
    return {row[0]: row[1] for row in tx.all("trigger_claims.count_unclaimed")}


def find_deferral_status(tx: Transaction, key: TaskKey) -> DeferralStatus | None:
    """The state of the deferral of this task instance; None when it is not deferred."""
    row = tx.one("trigger_claims.deferral_status", run_pk=key.run_pk, task_no=key.task_no, map_index=key.map_index)
    return None if row is None else DeferralStatus(row[5], row[0], bool(row[1]), bool(row[2]), row[3], row[4])


def _load_claimed(tx: Transaction, pks: list[int]) -> list[ClaimedTrigger]:
    return [_decode_trigger(tx, row) for row in tx.all("trigger_claims.find_claimed", pks=pks)]


def _decode_trigger(tx: Transaction, row: Row) -> ClaimedTrigger:
    (
        pk,
        run_pk,
        task_no,
        map_index,
        defer_seq,
        group_no,
        classpath,
        kwargs,
        queue,
        priority,
        created_at,
        dag_id,
        run_id,
        task_id,
        try_number,
        seq,
        dag_pk,
    ) = row
    key = TaskKey(run_pk, task_no, map_index)
    fault = None
    try:
        opened = tx.cipher.decrypt(kwargs)
    except WrongKey as error:
        opened, fault = EMPTY_KWARGS, str(error)
    return ClaimedTrigger(
        pk,
        key,
        defer_seq,
        group_no,
        classpath,
        opened,
        queue,
        priority,
        created_at,
        dag_id,
        run_id,
        task_id,
        try_number,
        seq,
        dag_pk,
        fault,
    )


def _make_messages(tx: Transaction, events: Iterable[OutgoingTriggerEvent]) -> Iterator[NewMail]:
    """Messages with the events of each group; events with data of an author are encrypted, one message at a time."""
    by_group: dict[tuple[int, bool], list[_StoredTriggerEvent]] = {}
    for sent in events:
        event = _StoredTriggerEvent(*sent.key, sent.defer_seq, sent.result)
        by_group.setdefault((sent.group_no, sent.result.is_bare), []).append(event)
    for (group_no, is_bare), group_events in by_group.items():
        for part in _split_events(group_events):
            text = _encoder.encode(part).decode()
            yield NewMail(group_no, "trigger", text if is_bare else tx.cipher.encrypt(text))


def _split_events(events: Iterable[_StoredTriggerEvent]) -> Iterator[list[_StoredTriggerEvent]]:
    part: list[_StoredTriggerEvent] = []
    size = 0
    for event in events:
        if part and (len(part) == MESSAGE_EVENTS_MAX or size + event.result.size > MESSAGE_CHARACTERS_MAX):
            yield part
            part, size = [], 0
        part.append(event)
        size += event.result.size
    yield part
