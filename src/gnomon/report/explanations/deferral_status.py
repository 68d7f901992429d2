"""Where the trigger of a deferred task is: on a triggerer, or why on none."""

from __future__ import annotations

from gnomon.config import current_config
from gnomon.model.ids import TaskKey
from gnomon.model.instants import iso
from gnomon.store import Transaction
from gnomon.store.dag_records import event_log
from gnomon.store.trigger_queue import trigger_claims, triggerer_leases
from gnomon.store.trigger_queue.triggerer_leases import TriggererLease

START_ONE = "no triggerer is alive; start one with: gnomon triggerer"


def describe_trigger_location(tx: Transaction, key: TaskKey) -> list[str]:
    """A sentence on the triggerer of this deferral, and on what is wrong with its trigger; none for a time that its scheduler keeps."""
    standing = trigger_claims.find_deferral_status(tx, key)
    where = [] if standing is None or standing.is_timer else _describe_location(tx, standing)
    return [*where, *_list_trigger_faults(tx, key)]


def _describe_location(tx: Transaction, standing: trigger_claims.DeferralStatus) -> list[str]:
    if standing.is_over:
        return ["its trigger has ended; the scheduler goes on with it"]
    alive = list_live_triggerers(tx)
    if standing.triggerer is not None:
        return [_describe_triggerer(standing.triggerer, alive)]
    if not alive:
        return [START_ONE]
    listening = [row for row in alive if row.takes_queue(standing.queue)]
    if not listening:
        return [f"no triggerer listens to its queue {standing.queue!r}; start one with: gnomon triggerer --queues {standing.queue}"]
    places, taken = sum(row.capacity for row in listening), sum(row.running for row in listening)
    if taken >= places:
        return [f"all {places} places of the triggerers are taken; give them more with --capacity, or start another: gnomon triggerer"]
    return ["a triggerer takes it with its next look, unless its DAG is paused"]


def _list_trigger_faults(tx: Transaction, key: TaskKey) -> list[str]:
    """What a triggerer had to complain of, while it waits and later: that its trigger blocked, that it does not end."""
    for event in event_log.list_events(tx, run_pk=key.run_pk):
        if (event.task_no, event.map_index) != (key.task_no, key.map_index):
            continue
        if event.kind == "trigger_blocked":
            lines = [line.strip() for line in event.body.splitlines() if line.strip()]
            return [f"at {iso(event.at)} its trigger held up all others of its triggerer, at {' '.join(lines[-2:])}"]
        if event.kind == "trigger_unresponsive":
            return [f"at {iso(event.at)}, a trigger of it: {event.body}"]
    return []


def list_live_triggerers(tx: Transaction) -> list[TriggererLease]:
    """Those whose triggers stay with them, by the beats that the options ask for."""
    return triggerer_leases.list_live_triggerers(tx, current_config().number("triggerer", "job_heartbeat_sec"))


def _describe_triggerer(triggerer_id: str, alive: list[TriggererLease]) -> str:
    found = next((row for row in alive if row.triggerer_id == triggerer_id), None)
    if found is None:
        return f"its triggerer {triggerer_id} is silent; another one takes its trigger over" + ("" if alive else f", and {START_ONE}")
    return f"its trigger runs on triggerer {triggerer_id} of {found.host}"
