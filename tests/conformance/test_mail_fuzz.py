"""Every field of every message in the mailbox with values at and past each limit, written past all doors into either database: every task of every group goes on.

A message that cannot be read or applied becomes a row of the table `quarantine`; a database without that table has none of this to show.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.conformance.hostileworld import HostileWorld, hostile_world, soak_until
from tests.conformance.storeworld import raw
from tests.conformance.test_report_fuzz import QUESTION, TEMPLATES, WAIT
from tests.databases import BOTH, new_database
from tests.hostile_messages import MISSING, encode_json, list_values, vary_struct

from gnomon.model.attempts import AttemptResult
from gnomon.model.deferral import DeferralResult
from gnomon.model.records import NewMail
from gnomon.model.run_waits import SubscriptionMessage
from gnomon.storage.store.coordination import mailbox

SHORT = 150
"""Messages of the short form on each database."""
BATCH = 50
HAS_QUARANTINE = any(
    "CREATE TABLE quarantine" in script.read_text()
    for script in files("gnomon.storage.store.migrations").joinpath("scripts").iterdir()
    if script.name.endswith(".sqlite.sql")
)
pytestmark = pytest.mark.skipif(not HAS_QUARANTINE, reason="the schema has no table quarantine")
BROKEN = ("", "[", "null", "1", "{}", "[]", '"text"', '{"run_pk": 1e999}', "[" * 3000, '{"request_pk": 1, "action": 1}')


def list_messages(dag_pk: int, run_pk: int, attempt_id: str) -> list[tuple[str, str]]:
    """(kind, body) of each variant of each message."""
    result = AttemptResult(
        attempt_id=attempt_id,
        group_no=0,
        run_pk=run_pk,
        task_no=0,
        outcome="success",
        **TEMPLATES["success"],
        wait=msgspec.structs.replace(WAIT, hitl=QUESTION),
    )
    fired = DeferralResult(outcome="event", payload="1", xcoms={"k": "1"})
    trigger = {"run_pk": run_pk, "task_no": 0, "map_index": -1, "defer_seq": 1, "fired": msgspec.to_builtins(fired)}
    update = {"down_run": run_pk, "edge_no": 1, "fact": {"at": 1, "state": 0}}
    action = {"request_pk": 1, "by": "me", "address": None, "run_pk": run_pk, "dag_pk": dag_pk}
    plain: list[tuple[str, dict[str, Any]]] = [
        ("run_created", {"run_pk": run_pk}),
        ("dag_changed", {"dag_pk": dag_pk}),
        ("asset_events", {"dag_pks": [dag_pk]}),
        ("backfill_changed", {"backfill_pk": 1}),
        ("attempt_entered", {"attempt_id": attempt_id, "at": 1}),
        ("result", {"worker_id": "w", "result": msgspec.to_builtins(result)}),
        ("result", {"worker_id": "w", "sealed": "x"}),
        ("action", {**action, "action": "clear", "tasks": [[0, -1]], "only_failed": False, "is_newest_wanted": None}),
        ("action", {**action, "action": "mark", "state": "success"}),
        ("action", {**action, "action": "mark", "state": "failed", "tasks": [[0, -1]]}),
        ("action", {**action, "action": "release", "up_dag": None, "reason": "r"}),
        (
            "action",
            {
                **action,
                "action": "answer",
                "task_no": 0,
                "map_index": -1,
                "options": ["yes"],
                "params": {},
                "user_id": "u",
                "user_name": "U",
            },
        ),
        (
            "action",
            {
                **action,
                "action": "discard_queued_events",
                "discard": {"dag_pk": dag_pk, "asset_pk": None, "before": None},
            },
        ),
        ("pool_changed", {"name": "p"}),
        ("dag_paused", {"dag_pk": dag_pk}),
    ]
    found = [
        (kind, text)
        for kind in {kind for kind, _ in plain} | {"trigger", "upstream_ended", "wait_registered", "no such kind"}
        for text in BROKEN
    ]
    for kind, body in plain:
        for name in body:
            found += [(kind, encode_json({**body, name: value}).decode()) for value in list_values(is_json=True)]
            found.append((kind, encode_json({key: value for key, value in body.items() if key != name}).decode()))
    for _, varied in vary_struct(result, is_json=True):
        found.append(("result", encode_json({"worker_id": "w", "result": varied}).decode()))
    for one, kind in ((trigger, "trigger"), (update, "upstream_ended")):
        for name in one:
            for value in (*list_values(is_json=True), MISSING):
                found.append(
                    (
                        kind,
                        "["
                        + encode_json(
                            {
                                key: (value if key == name else kept)
                                for key, kept in one.items()
                                if not (key == name and value is MISSING)
                            }
                        ).decode()
                        + "]",
                    )
                )
    subscription = SubscriptionMessage(
        up_dag="a1-0", slots=(1,), down_run=run_pk, down_group=1, edge_no=1, task_id="only"
    )
    found += [
        ("wait_registered", encode_json(varied).decode()) for _, varied in vary_struct(subscription, is_json=True)
    ]
    return found


@pytest.fixture(params=BOTH)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[HostileWorld]:
    with new_database(request.param, tmp_path) as url, hostile_world(url, tmp_path) as found:
        yield found


def check(world: HostileWorld, rng: random.Random, most: int | None, until: float = float("inf")) -> int:
    """Send the messages in batches to the group of a DAG with a deferred task, and let tasks of all groups run beside each batch; the number of messages."""
    world.run([lambda result: msgspec.structs.replace(result, outcome="deferred", wait=WAIT)], honest=0)
    with world.deployment.db.read() as tx:
        ((dag_pk, group_no, run_pk),) = raw(
            tx, "SELECT d.dag_pk, d.group_no, r.run_pk FROM dag d JOIN dag_run r ON r.dag_pk = d.dag_pk"
        )
    messages = list_messages(int(str(dag_pk)), int(str(run_pk)), "x")
    messages = rng.sample(messages, most or len(messages))
    count = 0
    for first in range(0, len(messages), BATCH):
        batch = [NewMail(int(str(group_no)), kind, body) for kind, body in messages[first : first + BATCH]]
        with world.deployment.db.write() as tx:
            mailbox.send_messages(tx, batch)
        _, honest = world.run([])
        assert set(honest) == {"success"}, [json.dumps((mail.kind, mail.body))[:300] for mail in batch]
        with world.deployment.db.read() as tx:
            assert raw(tx, "SELECT kind, body FROM mail") == []
        count += len(batch)
        if time.monotonic() > until:
            break
    return count


def test_a_message_in_the_mailbox_never_keeps_a_group_waiting(world: HostileWorld) -> None:
    check(world, random.Random(30), SHORT)


@pytest.mark.soak
def test_no_message_in_the_mailbox_keeps_a_group_waiting(world: HostileWorld) -> None:
    seed = int(os.environ.get("FUZZ_SEED") or time.time_ns() % 2**32)
    print(f"seed {seed}")
    print(f"{check(world, random.Random(seed), None, soak_until(os.environ.get('FUZZ_S')))} messages")
