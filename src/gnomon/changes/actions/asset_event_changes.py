"""Adding an event of an asset from outside, and deleting events from the queues of consumers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from gnomon.changes.actions.actor import Actor
from gnomon.changes.actions.owner_requests import OwnerAnswer, ask_each_owner
from gnomon.model.assets import NewAssetEvent
from gnomon.model.errors.product import UserError
from gnomon.model.instants import Instant
from gnomon.model.json_value import find_json_fault
from gnomon.model.records import EventRecord
from gnomon.model.sentences import say
from gnomon.model.storable_text import escape_unstorable
from gnomon.storage.store import Database
from gnomon.storage.store.asset_records import asset_events
from gnomon.storage.store.asset_records.asset_declarations import StoredAsset
from gnomon.storage.store.dag_records import dags, event_log


def add_asset_event(
    actor: Actor, db: Database, asset: StoredAsset, uid: str, extra: Mapping[str, object], partition_key: str | None
) -> int:
    """Store an event of the asset, put it into the queues of its consumers, and wake their owners; returns its key. `uid`: makes it unique.

    Raises UserError for an extra that tasks could not read.
    """
    if (fault := find_json_fault(extra)) is not None:
        raise UserError(say("extra_is_no_json", fault=escape_unstorable(fault)))
    now = actor.clock.now()
    event = NewAssetEvent(uid=uid, asset=asset.key, at=now, extra=dict(extra), partition_key=partition_key)
    with db.write() as tx:
        asset_events.publish_events(tx, [event])
        event_pk = asset_events.find_event(tx, uid)
        event_log.log_event(
            tx,
            EventRecord(
                now,
                "asset_event_added",
                by=actor.by,
                address=actor.address,
                body=json.dumps({"asset": asset.key.name, "event": event_pk}),
            ),
        )
    actor.wake_services()
    return event_pk


def discard_queued_events(
    actor: Actor, db: Database, dag_pks: Sequence[int], asset_pk: int | None, before: Instant | None
) -> list[OwnerAnswer]:
    """Delete events from the queues of these DAGs: of one asset, and from before an instant, or all. Only the owner of a DAG deletes from its queue.

    Returns the answer of each owner. Raises RequestRefused.
    """
    with db.read() as tx:
        groups = {row.dag_pk: row.group_no for row in dags.list_dags(tx)}
    requests = [
        (groups[dag_pk], {"discard": {"dag_pk": dag_pk, "asset_pk": asset_pk, "before": before}})
        for dag_pk in dag_pks
        if dag_pk in groups
    ]
    return ask_each_owner(actor, db, "discard_queued_events", requests)
