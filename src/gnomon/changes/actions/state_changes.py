"""Changing what task instances and assets keep in the state stores, from outside of tasks. *** for a secret, as answers show it, is the stored secret."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gnomon.changes.actions.actor import Actor
from gnomon.changes.actions.refusals import StateValueRefused
from gnomon.model.instants import Instant
from gnomon.model.records import EventRecord
from gnomon.model.sentences import say
from gnomon.model.state_values import InvalidStateValue, StateWriter, check_state_key, encode_state_value
from gnomon.queries.report.listings.masked_values import keep_json_secrets
from gnomon.queries.report.listings.not_found import run_not_found
from gnomon.storage.store import Database, NotFound, Transaction
from gnomon.storage.store.dag_records import event_log
from gnomon.storage.store.state_stores import asset_state_store, task_state_store
from gnomon.storage.store.state_stores.task_state_store import StoredTaskState, TaskStateScope

DAY_US = 86_400_000_000


@dataclass(frozen=True, slots=True)
class InstanceScope:
    """The task instance whose values are meant. `dag_pk` and `run_id`: for the audit log and for messages."""

    dag_pk: int
    dag_id: str
    run_id: str
    scope: TaskStateScope


def encode_value_text(limit: int, key: str, value: object) -> str:
    """The JSON text of a value. `limit`: most bytes, [state_store] max_value_storage_bytes. Raises StateValueRefused."""
    try:
        text = encode_state_value("state store", check_state_key("state store", key), value)
    except InvalidStateValue as error:
        raise StateValueRefused(say("state_value_is_wrong", error=str(error))) from None
    if 0 < limit < len(text):
        raise StateValueRefused(say("state_value_is_too_large", length=len(text), most=limit))
    return text


def find_default_expiry(actor: Actor) -> Instant | None:
    """When a value that is written now expires by [state_store] default_retention_days; None: never."""
    days = actor.cfg.integer("state_store", "default_retention_days")
    return actor.clock.now() + days * DAY_US if days > 0 else None


def set_task_value(
    actor: Actor, db: Database, place: InstanceScope, key: str, value: object, expires_at: Instant | None
) -> None:
    """Keep a value for the task instance. Raises StateValueRefused, NameNotFound when the run was deleted meanwhile."""
    text = encode_value_text(actor.cfg.integer("state_store", "max_value_storage_bytes"), key, value)

    def change(tx: Transaction) -> bool:
        stored = _find_task_value(tx, place, key, actor.clock.now())
        kept_text = text if stored is None else keep_json_secrets(tx, _name_value(key), text, stored.value)
        task_state_store.set_task_state(tx, place.scope, key, kept_text, actor.clock.now(), expires_at)
        return True

    _change_task(actor, db, place, "task_state_set", key, change)


def replace_task_value(actor: Actor, db: Database, place: InstanceScope, key: str, value: object) -> None:
    """Replace a value of the task instance, which expires as before. Raises StateValueRefused, NotFound without a value under the key, NameNotFound."""
    text = encode_value_text(actor.cfg.integer("state_store", "max_value_storage_bytes"), key, value)
    now = actor.clock.now()

    def change(tx: Transaction) -> bool:
        stored = _find_task_value(tx, place, key, now)
        if stored is None:
            raise NotFound(say("instance_keeps_nothing", key=key))
        task_state_store.set_task_state(
            tx, place.scope, key, keep_json_secrets(tx, _name_value(key), text, stored.value), now, stored.expires_at
        )
        return True

    _change_task(actor, db, place, "task_state_set", key, change)


def delete_task_value(actor: Actor, db: Database, place: InstanceScope, key: str) -> bool:
    """Delete a value of the task instance; False when there is none."""
    return bool(
        _change_task(
            actor,
            db,
            place,
            "task_state_deleted",
            key,
            lambda tx: task_state_store.delete_task_state(tx, place.scope, key),
        )
    )


def clear_task_values(actor: Actor, db: Database, place: InstanceScope, *, of_all_instances: bool) -> int:
    """Delete all values of the task instance, or of all instances of its task in the run; returns their number."""
    scope = place.scope

    def change(tx: Transaction) -> int:
        if of_all_instances:
            return task_state_store.clear_state_of_task(tx, scope.run_pk, scope.task_no)
        return task_state_store.clear_task_state(tx, scope)

    return _change_task(actor, db, place, "task_state_deleted", "all keys", change)


def set_asset_value(actor: Actor, db: Database, asset: str, key: str, value: object) -> None:
    """Keep a value of the asset with that name. Raises StateValueRefused."""
    text = encode_value_text(actor.cfg.integer("state_store", "max_value_storage_bytes"), key, value)
    with db.write() as tx:
        stored = next((entry for entry in asset_state_store.list_asset_state(tx, asset) if entry.key == key), None)
        text = text if stored is None else keep_json_secrets(tx, _name_value(key), text, stored.value)
        asset_state_store.set_asset_state(
            tx,
            asset,
            key,
            text,
            actor.clock.now(),
            StateWriter("cli" if actor.by.startswith("cli:") else "api", actor.by),
        )
        _log_asset(actor, tx, "asset_state_set", asset, key)


def delete_asset_value(actor: Actor, db: Database, asset: str, key: str) -> bool:
    """Delete a value of the asset; False when there is none."""
    with db.write() as tx:
        is_deleted = asset_state_store.delete_asset_state(tx, asset, key)
        if is_deleted:
            _log_asset(actor, tx, "asset_state_deleted", asset, key)
    return is_deleted


def clear_asset_values(actor: Actor, db: Database, asset: str) -> int:
    """Delete all values of the asset; returns their number."""
    with db.write() as tx:
        deleted = asset_state_store.clear_asset_state(tx, asset)
        if deleted:
            _log_asset(actor, tx, "asset_state_deleted", asset, "all keys")
    return deleted


def delete_expired_values(actor: Actor, db: Database, now: Instant, batch: int) -> int:
    """Delete the values of task instances that have expired, at most `batch` in one transaction; returns their number."""
    deleted = 0
    while True:
        with db.write() as tx:
            changed = task_state_store.delete_expired(tx, now, batch)
            deleted += changed
            if changed < batch:
                if deleted:
                    body = f"{deleted} expired values"
                    event_log.log_event(
                        tx, EventRecord(now, "task_states_cleaned", by=actor.by, body=body, address=actor.address)
                    )
                return deleted


def _find_task_value(tx: Transaction, place: InstanceScope, key: str, now: Instant) -> StoredTaskState | None:
    return next(
        (entry for entry in task_state_store.list_instance_state(tx, place.scope, now) if entry.key == key), None
    )


def _name_value(key: str) -> str:
    return f"the value kept under {key!r}"


def _change_task(
    actor: Actor, db: Database, place: InstanceScope, kind: str, body: str, change: Callable[[Transaction], int]
) -> int:
    """Change values in a transaction that keeps the run from being deleted, and log it when `change` says that something has changed."""
    scope = place.scope
    with db.write() as tx:
        if not task_state_store.lock_run(tx, scope.run_pk):
            raise run_not_found(place.dag_id, place.run_id, ())
        changed = change(tx)
        if changed:
            event_log.log_event(
                tx,
                EventRecord(
                    actor.clock.now(),
                    kind,
                    dag_pk=place.dag_pk,
                    run_pk=scope.run_pk,
                    task_no=scope.task_no,
                    map_index=scope.map_index,
                    by=actor.by,
                    body=body,
                    address=actor.address,
                ),
            )
    return changed


def _log_asset(actor: Actor, tx: Transaction, kind: str, asset: str, key: str) -> None:
    event_log.log_event(
        tx, EventRecord(actor.clock.now(), kind, by=actor.by, body=f"asset {asset}: {key}", address=actor.address)
    )
