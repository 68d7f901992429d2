"""The triggers that triggerers run: claimed in batches, handed back, ended by an event (OWNERSHIP.md line 21).

Timers are not among them: their owner keeps the time. What a triggerer writes, it writes in `Database.keeper`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import msgspec

from gnomon.model.deferral import EMPTY_KWARGS, DeferralResult
from gnomon.model.ids import TaskKey
from gnomon.model.instants import Instant
from gnomon.model.records import NewMail
from gnomon.store.errors import WrongKey
from gnomon.store.ownership import mailbox
from gnomon.store.transaction import Row, Transaction
from gnomon.store.trigger_queue.deferrals import is_plaintext

MESSAGE_EVENTS_MAX = 100
"""Events of one letter."""
MESSAGE_CHARACTERS_MAX = 10_000
"""Of what these events carry; a larger event has a letter of its own."""
NOTES_MAX = 5000
"""Notes that one call reads."""
_encoder = msgspec.json.Encoder()


@dataclass(frozen=True, slots=True)
class ClaimedTrigger:
    """One trigger to run, and whose it is."""

    trigger_pk: int
    key: TaskKey
    defer_seq: int
    group_no: int
    classpath: str
    kwargs: str
    """Typed JSON; nothing when there is a `fault`."""
    queue: str | None
    priority: int
    created_at: Instant
    dag_id: str
    run_id: str
    task_id: str
    try_number: int
    seq: int
    """Of the attempt that deferred; 0: none was made."""
    dag_pk: int
    fault: str | None = None
    """Why its arguments cannot be read: it is not to be run."""


@dataclass(frozen=True, slots=True)
class PendingTriggerWork:
    """What there is to do for one triggerer."""

    has_ended: bool
    """A note for it, or one for anybody."""
    has_paused: bool
    """It runs triggers of a DAG that is paused."""
    has_unclaimed: bool
    """Nobody runs a trigger of a DAG that is let run; it may be another's by its queue."""
    is_fenced: bool
    """It was declared dead, and writes nothing more."""

    @property
    def has_any(self) -> bool:
        return self.has_ended or self.has_paused or self.has_unclaimed or self.is_fenced


@dataclass(frozen=True, slots=True)
class EndedTriggers:
    """Triggers whose tasks wait no longer."""

    cancelled: tuple[int, ...] = ()
    """To be ended without a word."""
    to_kill: tuple[int, ...] = ()
    """To hear `on_kill`, by whom runs them; `delete_kill_notes` says when they are gone."""
    adopted: tuple[ClaimedTrigger, ...] = ()
    """To hear `on_kill`, and nobody runs them any more."""


@dataclass(frozen=True, slots=True)
class OutgoingTriggerEvent:
    """An event for the mail: the first of the trigger, or why there will be none."""

    trigger_pk: int
    key: TaskKey
    defer_seq: int
    group_no: int
    fired: DeferralResult


@dataclass(frozen=True, slots=True)
class DeferralStatus:
    """Where one deferral stands."""

    trigger_pk: int
    queue: str | None
    is_timer: bool
    """The scheduler keeps the time: no triggerer is asked."""
    is_over: bool
    """Its event is there, or on the way."""
    triggerer: str | None
    """Who runs it; None: it waits for one."""
    priority: int


class _StoredTriggerEvent(msgspec.Struct, frozen=True, array_like=True):
    run_pk: int
    task_no: int
    map_index: int
    defer_seq: int
    fired: DeferralResult


_message_decoder = msgspec.json.Decoder(list[_StoredTriggerEvent])


def find_pending_work(tx: Transaction, me: str) -> PendingTriggerWork:
    """Whether `list_ended_triggers`, `release_paused_triggers` and `claim_triggers` would find anything, by one question."""
    row = tx.one("triggers.news", me=me)
    assert row is not None
    return PendingTriggerWork(*map(bool, row))


def claim_triggers(tx: Transaction, me: str, limit: int, queues: Sequence[str] | None = None) -> list[ClaimedTrigger]:
    """At most `limit` triggers that nobody ran are mine now, the most urgent and then the oldest first.

    One whose arguments this host's key does not open is among them and has a `fault`.

    Those of a paused DAG stay where they are. `queues`: those of these queues and of none; None: all.
    """
    if limit <= 0:
        return []
    mine = tx.all("triggers.claim", me=me, most=limit, every=queues is None, queues=list(queues or ()))
    return _load_claimed(tx, [pk for (pk,) in mine]) if mine else []


def release_paused_triggers(tx: Transaction, me: str) -> list[int]:
    """Triggers of mine whose DAG is paused are nobody's now; returns them, to be cleaned up and begun anew some day."""
    paused = [dag_pk for (dag_pk,) in tx.all("triggers.paused_dags", me=me)]
    return sorted(pk for (pk,) in tx.all("triggers.suspend", me=me, dag_pks=paused)) if paused else []


def list_ended_triggers(tx: Transaction, me: str, queues: Sequence[str] | None = None) -> EndedTriggers:
    """What I run, or nobody, and whose task waits no longer, NOTES_MAX of each kind at most; each is told to me once.

    What is to hear `on_kill` is told to another when I am gone before I have said `delete_kill_notes`. `queues`: as for `claim_triggers`.
    """
    gone = tuple(sorted(pk for (pk,) in tx.all("triggers.ended", me=me, most=NOTES_MAX)))
    killed = tuple(sorted(pk for (pk,) in tx.all("triggers.killed", me=me, most=NOTES_MAX)))
    mine = tx.all("triggers.adopt", me=me, most=NOTES_MAX, every=queues is None, queues=list(queues or ()))
    adopted = tx.all("triggers.adopted", pks=[pk for (pk,) in mine]) if mine else []
    return EndedTriggers(gone, killed, tuple(_decode_trigger(tx, row) for row in adopted))


def delete_kill_notes(tx: Transaction, me: str, trigger_pks: Iterable[int]) -> None:
    """These triggers have heard `on_kill` and are gone, or were given up: nobody is told of them again."""
    tx.send_many("triggers.closed", [(pk, me) for pk in trigger_pks])


def send_events(tx: Transaction, me: str, events: Sequence[OutgoingTriggerEvent]) -> None:
    """The owners have these events by mail, of each deferral the first that was sent, and nobody runs the triggers again."""
    first = {event.trigger_pk: event for event in reversed(events)}
    counted = tx.all("triggers.sent", me=me, pks=list(first))
    mailbox.send_messages(tx, _make_messages(tx, [first[pk] for (pk,) in counted]))


def decode_trigger_events(tx: Transaction, body: str) -> list[tuple[TaskKey, int, DeferralResult]]:
    """The task instances, their deferrals and how these ended, from a letter of `send_events`. WrongKey; ValueError."""
    events = _message_decoder.decode(body if is_plaintext(body) else tx.cipher.decrypt(body))
    if is_plaintext(body) and not all(event.fired.is_bare for event in events):
        raise ValueError("an event in clear text that should be encrypted: somebody has changed it")
    return [(TaskKey(event.run_pk, event.task_no, event.map_index), event.defer_seq, event.fired) for event in events]


def count_unclaimed_triggers(tx: Transaction) -> dict[str | None, int]:
    """How many triggers nobody runs that are to be run, by queue: those of paused DAGs rest."""
    return {row[0]: row[1] for row in tx.all("triggers.unclaimed")}


def find_deferral_status(tx: Transaction, key: TaskKey) -> DeferralStatus | None:
    """Where the deferral of this task instance stands; None when it does not wait."""
    row = tx.one("triggers.standing", run_pk=key.run_pk, task_no=key.task_no, map_index=key.map_index)
    return None if row is None else DeferralStatus(row[5], row[0], bool(row[1]), bool(row[2]), row[3], row[4])


def _load_claimed(tx: Transaction, pks: list[int]) -> list[ClaimedTrigger]:
    return [_decode_trigger(tx, row) for row in tx.all("triggers.claimed", pks=pks)]


def _decode_trigger(tx: Transaction, row: Row) -> ClaimedTrigger:
    (pk, run_pk, task_no, map_index, defer_seq, group_no, classpath, kwargs, queue, priority, created_at, dag_id, run_id, task_id,
     try_number, seq, dag_pk) = row
    key = TaskKey(run_pk, task_no, map_index)
    fault = None
    try:
        opened = tx.cipher.decrypt(kwargs)
    except WrongKey as error:
        opened, fault = EMPTY_KWARGS, str(error)
    return ClaimedTrigger(
        pk, key, defer_seq, group_no, classpath, opened, queue, priority, created_at, dag_id, run_id, task_id, try_number, seq, dag_pk,
        fault,
    )


def _make_messages(tx: Transaction, events: Iterable[OutgoingTriggerEvent]) -> Iterator[NewMail]:
    """The events of one owner share letters; what comes from authors' code is sealed, a letter at once."""
    sorted_: dict[tuple[int, bool], list[_StoredTriggerEvent]] = {}
    for sent in events:
        event = _StoredTriggerEvent(*sent.key, sent.defer_seq, sent.fired)
        sorted_.setdefault((sent.group_no, sent.fired.is_bare), []).append(event)
    for (group_no, is_bare), found in sorted_.items():
        for letter in _split_events(found):
            text = _encoder.encode(letter).decode()
            yield NewMail(group_no, "trigger", text if is_bare else tx.cipher.encrypt(text))


def _split_events(events: Iterable[_StoredTriggerEvent]) -> Iterator[list[_StoredTriggerEvent]]:
    letter: list[_StoredTriggerEvent] = []
    size = 0
    for event in events:
        if letter and (len(letter) == MESSAGE_EVENTS_MAX or size + event.fired.size > MESSAGE_CHARACTERS_MAX):
            yield letter
            letter, size = [], 0
        letter.append(event)
        size += event.fired.size
    yield letter
