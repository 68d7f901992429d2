"""The trigger of a deferred task: on which triggerer it runs, or why on none, and its faults."""

from __future__ import annotations

from gnomon.ground.config import current_config
from gnomon.model.ids import TaskKey
from gnomon.model.sentences import Command, Sentence, say
from gnomon.model.wait_conditions import ReleaseAct, ReleaseTarget, WaitCondition
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records import event_log
from gnomon.storage.store.trigger_queue import trigger_claims, triggerer_leases
from gnomon.storage.store.trigger_queue.triggerer_leases import TriggererLease

_START_TRIGGERER = ReleaseTarget(ReleaseAct.START_SERVICE, service="triggerer")


def check_trigger(tx: Transaction, key: TaskKey) -> WaitCondition | None:
    """Whether the trigger of the task instance's deferral runs on a live triggerer, and where.

    None for a task that is not deferred, and for a timer, which the scheduler keeps without a triggerer.
    """
    status = trigger_claims.find_deferral_status(tx, key)
    return None if status is None or status.is_timer else _check_location(tx, status)


def describe_trigger(tx: Transaction, key: TaskKey) -> list[Sentence]:
    """Where the trigger runs, or why nowhere, and its faults."""
    condition = check_trigger(tx, key)
    return [*([] if condition is None else [condition.sentence]), *list_trigger_faults(tx, key)]


def _check_location(tx: Transaction, status: trigger_claims.DeferralStatus) -> WaitCondition:
    if status.is_over:
        return _wait(say("trigger_has_ended"))
    alive = list_live_triggerers(tx)
    if status.triggerer is not None:
        return _check_triggerer(status.triggerer, alive)
    if not alive:
        return _lack(_no_triggerer())
    eligible = [row for row in alive if row.takes_queue(status.queue)]
    if not eligible:
        queue = str(status.queue)
        command = Command("triggerer", (), ("--queues", queue))
        return _lack(say("no_triggerer_of_queue", queue=repr(status.queue), command=command))
    capacity, running = sum(row.capacity for row in eligible), sum(row.running for row in eligible)
    if running >= capacity:
        return _lack(say("triggerers_are_full", used=running, total=capacity, command=Command("triggerer")))
    return _wait(say("trigger_will_be_claimed"))


def _wait(sentence: Sentence) -> WaitCondition:
    return WaitCondition("triggerer", False, sentence)


def _lack(sentence: Sentence) -> WaitCondition:
    """Another triggerer would run the trigger."""
    return WaitCondition("triggerer", False, sentence, release=_START_TRIGGERER)


def _no_triggerer() -> Sentence:
    return say("no_triggerer", command=Command("triggerer"))


def list_trigger_faults(tx: Transaction, key: TaskKey) -> list[Sentence]:
    """Faults that a triggerer recorded for this task instance: its trigger blocked the event loop, or did not end when cancelled."""
    for event in event_log.list_events(tx, run_pk=key.run_pk):
        if (event.task_no, event.map_index) != (key.task_no, key.map_index):
            continue
        if event.kind == "trigger_blocked":
            lines = [line.strip() for line in event.body.splitlines() if line.strip()]
            return [say("trigger_blocked_others", at=event.at, place=" ".join(lines[-2:]))]
        if event.kind == "trigger_unresponsive":
            return [say("trigger_did_not_end", at=event.at, text=event.body)]
    return []


def list_live_triggerers(tx: Transaction) -> list[TriggererLease]:
    """The triggerers whose last heartbeat is recent enough, by [triggerer] job_heartbeat_sec, to keep their triggers."""
    return triggerer_leases.list_live_triggerers(tx, current_config().number("triggerer", "job_heartbeat_sec"))


def _check_triggerer(triggerer_id: str, alive: list[TriggererLease]) -> WaitCondition:
    triggerer = next((row for row in alive if row.triggerer_id == triggerer_id), None)
    if triggerer is not None:
        runs = say("trigger_runs", triggerer=triggerer_id, host=triggerer.host)
        return WaitCondition("triggerer", True, runs)
    if alive:
        return _wait(say("triggerer_is_lost", triggerer=triggerer_id))
    return _lack(say("last_triggerer_is_lost", triggerer=triggerer_id, why=_no_triggerer()))
