"""After a step that failed: applies its items in parts, and replaces, refuses or quarantines the one that fails alone.

The engine state cannot be undone, so each failed part costs a load of the groups. Without a failure nothing here is called.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import msgspec

from gnomon.ground import log
from gnomon.model.attempts import AttemptResult
from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import Instant
from gnomon.model.quarantine import QuarantinedItem, message_key
from gnomon.model.records import MailRecord
from gnomon.model.storable_text import escape_unstorable
from gnomon.rules.engine import events as e
from gnomon.rules.engine.state.engine_state import EngineState
from gnomon.services.scheduler.event_bisection import apply_bisected
from gnomon.services.scheduler.event_replacement import build_replacement
from gnomon.services.scheduler.event_subjects import find_dag_pk, find_run_pk
from gnomon.services.scheduler.mailbox import Mailbox, RoundItem
from gnomon.services.scheduler.quarantine import WithheldMessage
from gnomon.services.scheduler.step_failures import (
    CommitRefused,
    describe_failure,
    find_failing_dags,
    is_isolable,
    root_cause,
)
from gnomon.services.scheduler.unstorable_values import INTEGER_MAX, INTEGER_MIN, list_unstorable
from gnomon.storage.store import Cipher, Database, InvalidKey
from gnomon.storage.store.address import SQLITE

_log = log.get_logger("scheduler.poison_isolation")

SET_ASIDE_MAX = 8
"""How many times one event that came by no message is tried again after the DAGs that it failed by were set aside."""


IsolatedItem = RoundItem | WithheldMessage


class PoisonIsolation:
    """Applies the items of a round whose step failed. The functions are those of `RoundRecovery`."""

    def __init__(
        self,
        db: Database,
        engine_state: EngineState,
        mailbox: Mailbox,
        *,
        apply: Callable[[list[e.EngineEvent], list[int], list[QuarantinedItem], Instant], None],
        reload: Callable[[Instant], None],
        set_aside: Callable[[Sequence[int], Exception], bool],
        acknowledge: Callable[[str, list[str]], object],
    ) -> None:
        """`apply`: steps and commits. `reload`: loads all groups again after a failure, and brings them up to date without any event.

        `set_aside`: sets DAGs aside because of a failure; False if it names none that is in memory. `acknowledge`: lets a worker forget results.
        """
        self._db = db
        self._engine_state = engine_state
        self._mailbox = mailbox
        self._apply = apply
        self._reload = reload
        self._set_aside = set_aside
        self._acknowledge = acknowledge
        self._now: Instant = 0

    def apply_items(self, items: Sequence[IsolatedItem], now: Instant) -> None:
        """Applies the items in order, each that does not fail alone. Raises the failure of an event that belongs to no message and to no DAG."""
        self._now = now
        apply_bisected(
            items,
            self._try,
            self._on_failed_alone,
            lambda item: bool(list_unstorable(self._read_values(item), limit=1)),
        )

    def _try(self, items: Sequence[IsolatedItem]) -> Exception | None:
        """Applies these items with one commit. After a failure, which is returned, the groups are loaded again."""
        messages = [message for item in items if (message := _message_of(item)) is not None]
        rows = [item.row for item in items if isinstance(item, WithheldMessage) and item.row is not None]
        try:
            self._apply(self._translate(items), [message.mail_pk for message in messages], rows, self._now)
        except Exception as failure:
            if not is_isolable(failure, self._db):
                raise
            self._reload(self._now)
            return failure
        return None

    def _try_events(
        self, events: list[e.EngineEvent], mail_pks: list[int], quarantined: list[QuarantinedItem]
    ) -> Exception | None:
        try:
            self._apply(events, mail_pks, quarantined, self._now)
        except Exception as failure:
            if not is_isolable(failure, self._db):
                raise
            self._reload(self._now)
            return failure
        return None

    def _translate(self, items: Sequence[IsolatedItem]) -> list[e.EngineEvent]:
        refusals = [event for item in items if isinstance(item, WithheldMessage) for event in item.events]
        return [*refusals, *self._mailbox.translate(item for item in items if not isinstance(item, WithheldMessage))]

    def _read_values(self, item: IsolatedItem) -> object:
        """What is searched for a value that cannot be stored."""
        if not isinstance(item, MailRecord):
            return item
        try:
            return json.loads(item.body)
        except (ValueError, RecursionError):
            return item.body

    # ---- one item that fails alone -----------------------------------------------------------------------------------
    def _on_failed_alone(self, item: IsolatedItem, failure: Exception) -> None:
        try:
            events = self._translate([item])
        except Exception as error:
            if not is_isolable(error, self._db):
                raise
            events, failure = [], error
        self._mailbox.take_unreadable()
        message = _message_of(item)
        mail_pks = [] if message is None else [message.mail_pk]
        if len(events) > 1 and all(isinstance(event, e.DeferralEnded) for event in events):
            self._apply_trigger_events(item, events, mail_pks)
        elif not self._replace(events, mail_pks, failure):
            self._quarantine(item, events, mail_pks, failure)

    def _apply_trigger_events(self, item: IsolatedItem, events: list[e.EngineEvent], mail_pks: list[int]) -> None:
        """The events of one message of a triggerer, each alone. One that cannot even be replaced quarantines the message: the others are applied only once."""
        last_failure: Exception | None = None
        for event in events:
            failure = self._try_events([event], [], [])
            if failure is not None and not self._replace([event], [], failure):
                last_failure = failure
        if last_failure is None:
            self._try_events([], mail_pks, [])
        else:
            self._quarantine(item, events, mail_pks, last_failure)

    def _replace(self, events: list[e.EngineEvent], mail_pks: list[int], failure: Exception) -> bool:
        """Applies what takes the place of the events; False if nothing does, or if that fails too."""
        reason = self._describe(failure, [*events, _changes_of(failure)])
        replacement = build_replacement(events, reason, self._now)
        if replacement is None:
            return False
        refused = self._try_events(replacement, mail_pks, [])
        if refused is not None and all(isinstance(event, e.AuthorCodeEntered) for event in events):
            return False
        _log.error(
            "event_replaced" if refused is None else "event_not_replaced",
            kinds=[type(event).__name__ for event in events],
            reason=reason,
            error=None if refused is None else str(refused),
        )
        return refused is None

    def _quarantine(
        self, item: IsolatedItem, events: list[e.EngineEvent], mail_pks: list[int], failure: Exception
    ) -> None:
        row = self._build_row(item, events, failure)
        if row is None:
            self._set_dags_aside(item, failure)
            return
        refused = self._try_events([], mail_pks, [row])
        if refused is not None:
            raise refused
        if isinstance(item, e.ResultReceived) and item.worker_id is not None:
            self._acknowledge(item.worker_id, [item.result.attempt_id])
        _log.error(
            "message_quarantined",
            kind=row.kind,
            group=row.group_no,
            dag_id=row.dag_id,
            task=row.task_id,
            reason=row.reason,
        )

    def _set_dags_aside(self, item: IsolatedItem, failure: Exception) -> None:
        """For an event that came by no message: the DAG that it fails by is set aside, and the event is applied to the others."""
        for _ in range(SET_ASIDE_MAX):
            dag_pks = find_failing_dags(failure, self._engine_state)
            own = None if isinstance(item, MailRecord | WithheldMessage) else find_dag_pk(item, self._engine_state)
            if not self._set_aside([own] if own is not None else dag_pks, failure):
                raise failure
            again = self._try([item])
            if again is None:
                return
            failure = again
        raise failure

    def _describe(self, failure: Exception, suspects: Sequence[object]) -> str:
        return describe_failure(failure, suspects, stores_nul=self._db.dialect == SQLITE)

    # ---- the row of the table ----------------------------------------------------------------------------------------
    def _build_row(
        self, item: IsolatedItem, events: Sequence[e.EngineEvent], failure: Exception
    ) -> QuarantinedItem | None:
        """The row of a message, or of a result that a worker holds; None for another event."""
        reason = self._describe(failure, [*events, None if events else self._read_values(item), _changes_of(failure)])
        cause = root_cause(failure)
        own_message = _message_of(item)
        if own_message is not None:
            return build_mail_row(own_message, events, self._engine_state, reason, type(cause).__name__, self._now)
        if not isinstance(item, e.ResultReceived):
            return None
        body, result = self._seal_result(item.result, item.worker_id), item.result
        message = MailRecord(0, result.group_no, "result", f"res:{escape_unstorable(result.attempt_id)[:200]}", body)
        return build_mail_row(message, [item], self._engine_state, reason, type(cause).__name__, self._now)

    def _seal_result(self, result: AttemptResult, worker_id: str | None) -> str:
        """The message of the result; it is encrypted, because it may hold arguments of a deferral."""
        text = json.dumps(msgspec.to_builtins(result))
        cipher = self._find_cipher()
        content = {"result": json.loads(text)} if cipher is None else {"sealed": cipher.encrypt(text)}
        return json.dumps({"worker_id": worker_id, **content})

    def _find_cipher(self) -> Cipher | None:
        with self._db.read() as tx:
            try:
                return tx.cipher
            except InvalidKey:
                return None


def _message_of(item: IsolatedItem) -> MailRecord | None:
    return item.message if isinstance(item, WithheldMessage) else item if isinstance(item, MailRecord) else None


def _changes_of(failure: Exception) -> object:
    return failure.result.changes if isinstance(failure, CommitRefused) else None


def build_mail_row(
    message: MailRecord,
    events: Sequence[e.EngineEvent],
    engine_state: EngineState,
    reason: str,
    error_class: str,
    now: Instant,
    *,
    returns_with_dag: bool = False,
) -> QuarantinedItem:
    """The row of a message, with the DAG, run, task and attempt that its events name and the engine state knows."""
    body = message.body.encode("utf-8", "surrogatepass")
    subject = next(
        (event for event in events if find_run_pk(event) is not None or find_dag_pk(event, engine_state) is not None),
        None,
    )
    run_pk = None if subject is None else find_run_pk(subject)
    run_pk = run_pk if run_pk is not None and INTEGER_MIN <= run_pk <= INTEGER_MAX else None
    run = None if run_pk is None else engine_state.runs.get(run_pk)
    dag_pk = None if subject is None else find_dag_pk(subject, engine_state)
    dag = None if dag_pk is None else engine_state.dags.get(dag_pk)
    ti = None if subject is None else _find_task_instance(subject, engine_state)
    attempt = getattr(getattr(subject, "result", subject), "attempt_id", None)
    return QuarantinedItem(
        kind=message.kind,
        group_no=message.group_no,
        key=message_key(message.key and escape_unstorable(message.key)),
        body=body,
        at=now,
        reason=reason,
        error_class=error_class,
        dag_pk=None if dag is None else dag_pk,
        dag_id=None if dag is None else dag.record.dag_id,
        run_pk=run_pk,
        run_id=None if run is None else run.record.run_id,
        task_id=None if ti is None else ti[0],
        task_no=None if ti is None else ti[1],
        map_index=UNMAPPED if ti is None else ti[2],
        attempt=escape_unstorable(attempt)[:200] if isinstance(attempt, str) else None,
        returns_with_dag=returns_with_dag,
    )


def _find_task_instance(event: e.EngineEvent, engine_state: EngineState) -> tuple[str, int, int] | None:
    """Id, number and map index of the task instance that the event is about."""
    result = event.result if isinstance(event, e.ResultReceived) else None
    attempt_id = (
        event.attempt_id if isinstance(event, e.AuthorCodeEntered) else None if result is None else result.attempt_id
    )
    ti = None if attempt_id is None else engine_state.attempts.get(attempt_id)
    if ti is not None:
        return ti.task.task_id, ti.run.graph.numbers[ti.index], ti.map_index
    key = event.key if isinstance(event, e.DeferralEnded | e.HITLAnswered) else None
    run = None if key is None else engine_state.runs.get(key.run_pk)
    index = None if run is None or key is None else run.graph.index_of_number.get(key.task_no)
    return (
        None
        if run is None or key is None or index is None
        else (run.graph.tasks[index].task_id, key.task_no, key.map_index)
    )
