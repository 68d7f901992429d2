"""Sentences on the trigger of a deferred task: on which triggerer it runs, or why on none, and its faults."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from gnomon.ground.config import current_config
from gnomon.model.ids import TaskKey
from gnomon.model.instants import iso
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records import event_log
from gnomon.storage.store.trigger_queue import trigger_claims, triggerer_leases
from gnomon.storage.store.trigger_queue.triggerer_leases import TriggererLease

NO_TRIGGERER = "no triggerer is alive; start one with: gnomon triggerer"


@dataclass(frozen=True, slots=True)
class TriggerStatus:
    """A sentence on the trigger of a deferred task."""

    text: str
    is_running: bool = False
    """The trigger runs on a live triggerer."""
    needs_triggerer: bool = False
    """Another triggerer would run it."""


def list_trigger_status(tx: Transaction, key: TaskKey) -> list[TriggerStatus]:
    """Sentences on the triggerer of a task instance's deferral and on faults of its trigger.

    The list is empty for a task that is not deferred, and for a timer, which the scheduler keeps without a triggerer.
    """
    status = trigger_claims.find_deferral_status(tx, key)
    location = [] if status is None or status.is_timer else [_describe_location(tx, status)]
    return [*location, *map(TriggerStatus, _list_trigger_faults(tx, key))]


def describe_trigger_location(tx: Transaction, key: TaskKey) -> list[str]:
    """The sentences of `list_trigger_status`."""
    return [one.text for one in list_trigger_status(tx, key)]


def _describe_location(tx: Transaction, status: trigger_claims.DeferralStatus) -> TriggerStatus:
    if status.is_over:
        return TriggerStatus("its trigger has ended; the scheduler will resume the task")
    alive = list_live_triggerers(tx)
    if status.triggerer is not None:
        return _describe_triggerer(status.triggerer, alive)
    if not alive:
        return TriggerStatus(NO_TRIGGERER, needs_triggerer=True)
    eligible = [row for row in alive if row.takes_queue(status.queue)]
    if not eligible:
        text = f"no triggerer serves the queue {status.queue!r} of its trigger; start one with: gnomon triggerer --queues {shlex.quote(str(status.queue))}"
        return TriggerStatus(text, needs_triggerer=True)
    capacity, running = sum(row.capacity for row in eligible), sum(row.running for row in eligible)
    if running >= capacity:
        text = f"the triggerers run {running} of at most {capacity} triggers; raise --capacity, or start another: gnomon triggerer"
        return TriggerStatus(text, needs_triggerer=True)
    return TriggerStatus("a triggerer will claim its trigger at its next poll, unless the DAG is paused")


def _list_trigger_faults(tx: Transaction, key: TaskKey) -> list[str]:
    """Faults that a triggerer recorded for this task instance: its trigger blocked the event loop, or did not end when cancelled."""
    for event in event_log.list_events(tx, run_pk=key.run_pk):
        if (event.task_no, event.map_index) != (key.task_no, key.map_index):
            continue
        if event.kind == "trigger_blocked":
            lines = [line.strip() for line in event.body.splitlines() if line.strip()]
            return [
                f"at {iso(event.at)} its trigger blocked all other triggers of its triggerer, in {' '.join(lines[-2:])}"
            ]
        if event.kind == "trigger_unresponsive":
            return [f"at {iso(event.at)}, a trigger of this task: {event.body}"]
    return []


def list_live_triggerers(tx: Transaction) -> list[TriggererLease]:
    """The triggerers whose last heartbeat is recent enough, by [triggerer] job_heartbeat_sec, to keep their triggers."""
    return triggerer_leases.list_live_triggerers(tx, current_config().number("triggerer", "job_heartbeat_sec"))


def _describe_triggerer(triggerer_id: str, alive: list[TriggererLease]) -> TriggerStatus:
    triggerer = next((row for row in alive if row.triggerer_id == triggerer_id), None)
    if triggerer is None:
        lost = (
            f"its triggerer {triggerer_id} sends no heartbeats any more; another triggerer will take over its trigger"
        )
        return TriggerStatus(lost if alive else f"{lost}, but {NO_TRIGGERER}", needs_triggerer=not alive)
    return TriggerStatus(f"its trigger runs on triggerer {triggerer_id} on host {triggerer.host}", is_running=True)
