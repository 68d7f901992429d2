"""What was put into triggers, events, Variables and connections lies nowhere in clear text: a search of every byte."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.conformance.storeworld import AT, World, raw, task

from gnomon.model.attempts import AttemptResult
from gnomon.model.deferral import Deferral, DeferralResult
from gnomon.model.records import Changes, DeferralRecord
from gnomon.model.spec import TaskSpec
from gnomon.model.states import TaskInstanceState
from gnomon.queries.taskapi import build_result_mail
from gnomon.storage.store import Cipher, WrongKey, key_check, open_database
from gnomon.storage.store.admin import connections, variables
from gnomon.storage.store.admin.connections import StoredConnection
from gnomon.storage.store.coordination import leases, mailbox
from gnomon.storage.store.migrations.migration_targets import SqliteTarget
from gnomon.storage.store.trigger_queue import trigger_claims, triggerer_leases

MARK = "M4rk3r-of-a-secret"


@pytest.fixture
def told(world: World) -> World:
    """Everything that may carry a secret has carried the mark, was changed and was partly deleted again."""
    kwargs = f'{{"token":"{MARK}"}}'
    wait = Deferral(classpath="triggers.Mine", kwargs=kwargs, next_method="go_on", next_kwargs=kwargs)
    world.dag("starts", tasks=[TaskSpec(task_id="a", start_wait=replace(wait, kwargs='{"begin":1}', next_kwargs="{}"))])
    world.dag(tasks=["a", "b", "c", "d"])
    run = world.run()
    waits = [DeferralRecord(run.run_pk, number, -1, 1, run.dag_pk, wait, AT) for number in range(4)]
    rows = [task(run, number, TaskInstanceState.DEFERRED, defer_seq=1) for number in range(4)]
    world.apply(Changes(tasks=rows, deferrals={one.key: one for one in waits}))
    fired = DeferralResult(outcome="event", payload=f'"{MARK}"', reason=MARK, traceback=MARK, xcoms={"k": f'"{MARK}"'})
    with world.db.write() as tx:
        triggerer_leases.register_triggerer(tx, "one", "host", 10)
        claimed = trigger_claims.claim_triggers(tx, "one", 10)
        ended = [c for c in claimed if c.key != waits[3].key]
        trigger_claims.send_events(
            tx,
            "one",
            [trigger_claims.OutgoingTriggerEvent(c.trigger_pk, c.key, c.defer_seq, c.group_no, fired) for c in ended],
        )
    waits[1].result = fired
    world.apply(
        Changes(
            deferrals_deleted=[(waits[0].key, True), (waits[3].key, True)], deferrals_ended={waits[1].key: waits[1]}
        )
    )
    with world.db.write() as tx:
        result = AttemptResult(attempt_id="x", group_no=0, run_pk=run.run_pk, task_no=0, outcome="deferred", wait=wait)
        mailbox.send_messages(tx, [build_result_mail(tx, "worker", result)])
        variables.set_variable(tx, "v", MARK)
        connections.set_connection(tx, StoredConnection("c", "http", password=MARK, extra=kwargs))
    with world.db.read() as tx:
        assert claimed[0].kwargs == kwargs  # the mark was there
        assert variables.get_variable(tx, "v") == MARK
    return world


def test_no_file_of_the_database_holds_it(told: World, tmp_path: Path) -> None:
    if told.db.dialect != "sqlite":
        pytest.skip("the files of a PostgreSQL server are not ours; its rows are searched")
    SqliteTarget(told.db.address).write_backup("0001", AT)
    files = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    assert {"gnomon.db", "gnomon.db-wal"} <= files.keys()
    assert any(".backup-" in name for name in files)
    assert b"triggers.Mine" in files["gnomon.db-wal"]
    assert [name for name, content in files.items() if MARK.encode() in content] == []


def test_no_row_of_the_database_holds_it(told: World) -> None:
    assert [text for text in every_row(told) if MARK in text] == []
    assert any("triggers.Mine" in text for text in every_row(told))


def test_values_of_older_databases_are_read_as_they_stand_there(world: World) -> None:
    with world.db.write() as tx:
        tx._connection.execute_raw("INSERT INTO variable (key, value, encrypted) VALUES ('old', 'clear', FALSE)")
        tx._connection.execute_raw(
            "INSERT INTO connection (conn_id, conn_type, password, encrypted) VALUES ('old', 'http', 'clear', FALSE)"
        )
    with world.db.read() as tx:
        assert variables.get_variable(tx, "old") == "clear"
        assert connections.get_connection(tx, "old") == StoredConnection("old", "http", password="clear")


def test_what_a_lost_key_would_take_along_is_found_wherever_it_stands(told: World) -> None:
    told.db.bind_key()
    with told.db.write() as tx:
        assert key_check.list_undecryptable(tx) == []
        leases.retire_scheduler(tx, told.me)
        triggerer_leases.retire_triggerer(tx, "one")
    with closing(open_database(told.db.url, cipher=Cipher(lambda: ["b" * 43 + "="]))) as other:
        with other.read() as tx:
            assert key_check.list_undecryptable(tx) == [
                "Variable v",
                "connection c",
                "6 of waiting tasks",
                "2 on their way to schedulers",
                "1 in DAGs whose tasks start from triggers",
            ]
        with pytest.raises(
            WrongKey, match="only the old key opens what .* Variable v, connection c, .*gnomon variables delete"
        ):
            with other.write() as tx:
                key_check.adopt_key(tx)
    told.db.check_key()


def every_row(world: World) -> Iterator[str]:
    with world.db.read() as tx:
        for (table,) in tx.all("schema.tables"):
            yield from map(str, raw(tx, f'SELECT * FROM "{table}"'))
