"""DAGs that are set aside: kept out of the engine state, with their mail in the table `quarantine`, until their time is over."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import TypeGuard

from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.model.instants import Instant
from gnomon.model.quarantine import DAG_KIND, GROUP_KIND, QuarantinedItem, dag_key, group_key
from gnomon.model.records import GroupState, MailRecord
from gnomon.model.sentences import render, say
from gnomon.rules.engine import events as e
from gnomon.rules.engine.state.engine_state import EngineState
from gnomon.services.scheduler.event_subjects import find_dag_pk, find_run_pk
from gnomon.services.scheduler.event_translation import UNREADABLE
from gnomon.services.scheduler.mailbox import Mailbox, RoundItem
from gnomon.services.scheduler.poison_isolation import build_mail_row
from gnomon.services.scheduler.quarantine import DagQuarantine, SetAsideDag, WithheldMessage
from gnomon.services.scheduler.step_failures import CommitRefused, describe_failure, is_isolable, root_cause
from gnomon.services.scheduler.unstorable_values import INTEGER_MAX
from gnomon.storage.store import Database, Transaction
from gnomon.storage.store.address import SQLITE
from gnomon.storage.store.coordination import quarantine as quarantine_rows

_log = log.get_logger("scheduler.withheld_dags")


class WithheldDags:
    """Sets DAGs aside, filters what is about them, and lets them return."""

    def __init__(
        self, db: Database, scheduler_id: str, engine_state: EngineState, mailbox: Mailbox, clock: Clock
    ) -> None:
        self._db = db
        self._scheduler_id = scheduler_id
        self._engine_state = engine_state
        self._mailbox = mailbox
        self._clock = clock
        self.quarantine = DagQuarantine()

    def set_aside(self, dag_pks: Sequence[int], failure: Exception) -> bool:
        """Sets these DAGs aside because of a failure, which they show as their error. False if none of them is in memory."""
        changes = failure.result.changes if isinstance(failure, CommitRefused) else None
        reason = describe_failure(failure, [changes], stores_nul=self._db.dialect == SQLITE)
        dags = [self._describe_dag(dag_pk, reason) for dag_pk in dag_pks if dag_pk in self._engine_state.dags]
        self._store(dags, type(root_cause(failure)).__name__)
        return bool(dags)

    def set_undecodable_aside(self, state: GroupState) -> None:
        """Sets the DAGs aside of which a stored row cannot be read."""
        dags = [
            SetAsideDag(
                dag_pk,
                fault.dag_id,
                fault.group_no,
                _format_error(render(say("stored_row_cannot_be_read", error=str(fault.error)))),
                set(fault.run_pks),
                set(fault.attempts),
            )
            for dag_pk, fault in state.undecodable.items()
        ]
        self._store(dags, "UndecodableRow")

    def _describe_dag(self, dag_pk: int, reason: str) -> SetAsideDag:
        dag = self._engine_state.dags[dag_pk]
        attempts = {attempt for attempt, ti in self._engine_state.attempts.items() if ti.run.dag is dag}
        attempts |= {attempt for attempt, pending in self._engine_state.callback_attempts.items() if pending.dag is dag}
        return SetAsideDag(
            dag_pk,
            dag.record.dag_id,
            dag.record.group_no,
            _format_error(reason),
            {run.pk for run in dag.runs.values()},
            attempts,
        )

    def _store(self, dags: list[SetAsideDag], error_class: str) -> None:
        if not dags:
            return
        now = self._clock.now()
        self.quarantine.add(dags, self._clock.monotonic())
        rows = [
            QuarantinedItem(
                kind=DAG_KIND,
                group_no=dag.group_no,
                key=dag_key(dag.dag_pk),
                dag_pk=dag.dag_pk,
                dag_id=dag.dag_id,
                at=now,
                reason=dag.reason,
                error_class=error_class,
            )
            for dag in dags
        ]
        with self._db.scheduler_write(self._scheduler_id) as tx:
            quarantine_rows.add_items(tx, rows)
            for dag in dags:
                quarantine_rows.set_dag_error(tx, dag.dag_pk, dag.reason)
        for dag in dags:
            _log.error("dag_set_aside", dag_id=dag.dag_id, reason=dag.reason)

    # ---- loads and returns -------------------------------------------------------------------------------------------
    def restore(self, tx: Transaction, groups: Iterable[int]) -> list[int]:
        """Takes over what earlier owners of these groups have set aside: each DAG is tried again. Returns the groups, which are loaded now."""
        named_groups = []
        for row in quarantine_rows.list_set_aside(tx, groups):
            if row.dag_pk is not None and row.dag_pk not in self.quarantine.dags:
                self.quarantine.restore(
                    SetAsideDag(row.dag_pk, row.dag_id or "", row.group_no, row.reason), self._clock.monotonic()
                )
            elif row.is_group:
                named_groups.append(row.group_no)
        return named_groups

    def remove_from(self, state: GroupState) -> None:
        """Takes the DAGs that are set aside out of what was loaded, and remembers their runs and attempts."""
        if not self.quarantine:
            return
        withheld = {dag_pk: dag for dag_pk, dag in self.quarantine.dags.items() if dag_pk in self.quarantine}
        for run in state.runs:
            if run.dag_pk in withheld:
                withheld[run.dag_pk].run_pks.add(run.run_pk)
        dag_of_run = {run.run_pk: withheld[run.dag_pk] for run in state.runs if run.dag_pk in withheld}
        for task in state.tasks:
            if task.attempt is not None and task.run_pk in dag_of_run:
                dag_of_run[task.run_pk].attempts.add(task.attempt)
        for callback, _ in state.callbacks:
            if callback.attempt is not None and callback.dag_pk in withheld:
                withheld[callback.dag_pk].attempts.add(callback.attempt)
        state.dags = [dag for dag in state.dags if dag.dag_pk not in withheld]
        state.runs = [run for run in state.runs if run.dag_pk not in withheld]
        state.tasks = [task for task in state.tasks if task.run_pk not in dag_of_run]
        state.backfills = [backfill for backfill in state.backfills if backfill.dag_pk not in withheld]
        state.callbacks = [(callback, run) for callback, run in state.callbacks if callback.dag_pk not in withheld]

    def release_expired(self, owned_groups: Collection[int]) -> list[int]:
        """The groups of the DAGs whose time is over: they are to be loaded again. DAGs of groups of other owners are forgotten."""
        for dag_pk in [dag_pk for dag_pk, dag in self.quarantine.dags.items() if dag.group_no not in owned_groups]:
            self.quarantine.forget(dag_pk)
        return [
            self.quarantine.dags[dag_pk].group_no for dag_pk in self.quarantine.release_expired(self._clock.monotonic())
        ]

    def confirm_returns(self) -> None:
        """The round in which DAGs returned was committed: their mail returns to the mailbox, and their error is deleted."""
        dags = self.quarantine.take_confirmed()
        with self._db.scheduler_write(self._scheduler_id) as tx:
            waited_for = [dag for dag in dags if quarantine_rows.release_dag(tx, dag.dag_pk)]
            for dag in dags:
                quarantine_rows.clear_dag_error(tx, dag.dag_pk, dag.reason)
        while waited_for:  # one transaction returns only so many messages
            with self._db.scheduler_write(self._scheduler_id) as tx:
                waited_for = [dag for dag in waited_for if quarantine_rows.release_dag(tx, dag.dag_pk)]
        for dag in dags:
            in_memory = self._engine_state.dags.get(dag.dag_pk)
            if in_memory is not None and in_memory.record.error == dag.reason:
                in_memory.record.error = None
            _log.info("dag_returned", dag_id=dag.dag_id)
        self._mailbox.expect_mail()

    def store_groups(self, groups: Sequence[int], reason: str, error_class: str) -> None:
        """Names groups in the table that are set aside as a whole."""
        rows = [
            QuarantinedItem(
                kind=GROUP_KIND,
                group_no=group,
                key=group_key(group),
                at=self._clock.now(),
                reason=reason,
                error_class=error_class,
            )
            for group in groups
        ]
        with self._db.scheduler_write(self._scheduler_id) as tx:
            quarantine_rows.add_items(tx, rows)

    def release_groups(self, groups: Sequence[int]) -> None:
        """Deletes the rows of groups whose round was committed again."""
        with self._db.scheduler_write(self._scheduler_id) as tx:
            for group in groups:
                quarantine_rows.release_group(tx, group)

    # ---- what is about them ------------------------------------------------------------------------------------------
    def filter_items(self, items: Sequence[RoundItem], now: Instant) -> tuple[list[RoundItem], list[WithheldMessage]]:
        """The items that are about no DAG that is set aside, and what is done with the messages that are."""
        kept_items: list[RoundItem] = []
        withheld: list[WithheldMessage] = []
        for item in items:
            filtered = self._filter_item(item, now) if self.quarantine else item
            if isinstance(filtered, WithheldMessage):
                withheld.append(filtered)
            elif filtered is not None:
                kept_items.append(filtered)
        return kept_items, withheld

    def _filter_item(self, item: RoundItem, now: Instant) -> RoundItem | WithheldMessage | None:
        if isinstance(item, e.InventoryRead):
            held_attempts = {attempt for dag in self.quarantine.dags.values() for attempt in dag.attempts}
            return replace(
                item,
                running={attempt: entered for attempt, entered in item.running.items() if attempt not in held_attempts},
            )
        if isinstance(item, MailRecord) and item.kind == "action" and (request := self._find_request(item)) is not None:
            return WithheldMessage(
                item, _refuse([request[1]], request[0])
            )  # before the rows of its run are read, which may be what cannot be read
        try:
            events = self._mailbox.translate([item])
        except Exception as error:
            if not is_isolable(error, self._db):
                raise
            return item  # it fails again where it is applied
        self._mailbox.take_unreadable()
        dag = next((dag for event in events if (dag := self._find_dag(event)) is not None), None)
        if dag is None:
            return item
        if not isinstance(item, MailRecord):
            return None  # its worker keeps a result, and sends it again when the DAG has returned
        return self._withhold_message(item, events, dag, now)

    def _withhold_message(
        self, item: MailRecord, events: list[e.EngineEvent], dag: SetAsideDag, now: Instant
    ) -> RoundItem | WithheldMessage:
        if any(isinstance(event, e.DeleteDag) for event in events):
            self.quarantine.forget(dag.dag_pk)
            return item
        request_pks = {request_pk for event in events if _is_key(request_pk := getattr(event, "request_pk", None))}
        if request_pks:
            return WithheldMessage(item, _refuse(sorted(request_pks), dag))
        if item.kind == "dag_changed":
            self.quarantine.release(dag.dag_pk, self._clock.monotonic())  # a new version, or a user, may have cured it
        elif not all(isinstance(event, e.RunRead | e.BackfillRead | e.DagRead) for event in events):
            row = build_mail_row(
                item,
                events,
                self._engine_state,
                render(say("waits_for_dag_set_aside", dag=dag.dag_id)),
                "DagSetAside",
                now,
                returns_with_dag=True,
            )
            # the other runs of a message with updates take theirs; those of this DAG are not in memory
            return WithheldMessage(
                item,
                events if isinstance(events[0], e.UpstreamUpdatesReceived) else [],
                replace(row, dag_pk=dag.dag_pk, dag_id=dag.dag_id),
            )
        return WithheldMessage(item)

    def _find_request(self, message: MailRecord) -> tuple[SetAsideDag, int] | None:
        """The DAG that is set aside and that this request of a user is about, unless it deletes the DAG; and the key of the request."""
        try:
            body = json.loads(message.body)
            request_pk, run_pk, dag_pk = body["request_pk"], body.get("run_pk"), body.get("dag_pk")
        except UNREADABLE:
            return None
        if not _is_key(request_pk) or (run_pk is None and body.get("action") == "delete"):
            return None
        dag = self.quarantine.find(
            dag_pk if isinstance(dag_pk, int) else None, run_pk if isinstance(run_pk, int) else None
        )
        return None if dag is None else (dag, request_pk)

    def _find_dag(self, event: e.EngineEvent) -> SetAsideDag | None:
        if isinstance(event, e.UpstreamUpdatesReceived):
            return next(
                (dag for update in event.updates if (dag := self.quarantine.find(None, update.down_run)) is not None),
                None,
            )
        attempt = (
            event.attempt_id
            if isinstance(event, e.AuthorCodeEntered)
            else event.result.attempt_id
            if isinstance(event, e.ResultReceived)
            else None
        )
        return self.quarantine.find(find_dag_pk(event, self._engine_state), find_run_pk(event), attempt)


def _refuse(request_pks: Iterable[int], dag: SetAsideDag) -> list[e.EngineEvent]:
    """The answers to these requests."""
    error = json.dumps({"error": render(say("dag_says", dag=dag.dag_id, reason=dag.reason))})
    return [e.RejectRequest(request_pk, error) for request_pk in request_pks]


def _is_key(value: object) -> TypeGuard[int]:
    """Whether it can be the key of a request; the answer to one of any other number could not be stored."""
    return type(value) is int and 0 < value <= INTEGER_MAX


def _format_error(reason: str) -> str:
    return render(say("dag_is_set_aside", reason=reason))
