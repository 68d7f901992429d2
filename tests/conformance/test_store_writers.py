"""Many processes at one database: nobody meets a lock, and one that is frozen inside a transaction stops nobody for long."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from tests.conformance.storeworld import World
from tests.keys import CIPHER
from tests.patience import PATIENCE_S
from tests.postgres import own_schema

from gnomon.storage.store import Database, migrations, open_database
from gnomon.storage.store.address import parse_address
from gnomon.storage.store.admin import pools, variables
from gnomon.storage.store.coordination import leases
from gnomon.storage.store.dag_records import dag_runs
from gnomon.storage.store.drivers.lock_holder import find_lock_holder, write_lock_path
from gnomon.storage.store.drivers.write_lock import WAIT_MAX_S
from gnomon.storage.store.transaction import LEASE_TTL_S

_ROUNDS = 25
_WRITER = """
import json, sys, time
from gnomon.storage.store.dag_records import dags; from gnomon.storage.store import open_database; from gnomon.storage.store.dag_records import dag_runs as runs
url, name, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
took = []
for n in range(rounds):
    started = time.perf_counter()
    db = open_database(url)
    with db.write() as tx:
        runs.create_manual_run(tx, dag_id="d", run_id=f"{name}_{n}", logical_at=None, run_after=n, interval=None, conf={}, by=name, at=n)
    with db.write() as tx:
        dags.set_paused(tx, "d", n % 2 == 0, name, n)
    with db.read() as tx:
        assert any(run.run_id == f"{name}_{n}" for run in runs.list_runs(tx, "d", limit=100000))
    db.close()
    took.append(time.perf_counter() - started)
print(json.dumps(max(took)))
"""
_FROZEN_SENDING = """
import os, signal, sys
from gnomon.storage.store.address import parse_address
from gnomon.storage.store.drivers.postgres import connect_postgres
connection = connect_postgres(parse_address(sys.argv[1]).target)
with connection.pipeline() as pipeline:
    connection.execute("BEGIN")
    connection.execute("UPDATE pool SET slots = 1")
    pipeline.sync()
    connection.execute("UPDATE pool SET slots = 3")
    print("inside", flush=True)
    os.kill(os.getpid(), signal.SIGSTOP)
"""
_FROZEN = """
import os, signal, sys
from gnomon.storage.store import open_database; from gnomon.storage.store.admin import pools
db = open_database(sys.argv[1])
with db.write() as tx:
    pools.set_pool(tx, "default_pool", 1)
    print("inside", flush=True)
    os.kill(os.getpid(), signal.SIGSTOP)
"""


def test_ten_processes_write_at_once_and_none_meets_a_lock(world: World, url: str) -> None:
    world.dag()
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", _WRITER, url, f"w{n}", str(_ROUNDS)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for n in range(10)
    ]
    done = [writer.communicate(timeout=PATIENCE_S) for writer in writers]
    assert [(writer.returncode, errors.decode()[-500:]) for writer, (_, errors) in zip(writers, done, strict=True)] == [
        (0, "")
    ] * 10
    slowest = max(json.loads(out) for out, _ in done)
    print(f"the slowest of {10 * _ROUNDS} rounds took {slowest:.3f} s")
    with world.db.read() as tx:
        assert len(dag_runs.list_runs(tx, "d")) == 10 * _ROUNDS


def test_a_process_stopped_inside_a_transaction_stops_the_others_for_seconds_only(world: World, url: str) -> None:
    """TAKE_OVER: the supervisor kills the holder of SQLite's write lock, PostgreSQL terminates the session itself."""
    frozen = subprocess.Popen([sys.executable, "-c", _FROZEN, url], stdout=subprocess.PIPE)
    assert frozen.stdout is not None
    assert frozen.stdout.readline() == b"inside\n"
    os.waitpid(frozen.pid, os.WUNTRACED)
    stop = threading.Event()
    supervisor = threading.Thread(target=kill_overdue, args=(world.db, frozen.pid, stop))
    supervisor.start()
    try:
        started = time.perf_counter()
        with world.db.write() as tx:
            pools.set_pool(tx, "default_pool", 2)
        assert time.perf_counter() - started < WAIT_MAX_S, "it waited for the end of its own patience"
        with world.db.read() as tx:
            assert [pool.slots for pool in pools.list_pools(tx)] == [2]
    finally:
        stop.set()
        supervisor.join()
        frozen.kill()
        frozen.wait()
        frozen.stdout.close()


@pytest.mark.postgres
def test_a_process_stopped_between_two_statements_of_a_burst_loses_its_session() -> None:
    """PostgreSQL does not count it as idle in a transaction; the beats of schedulers and workers look for it."""
    with own_schema() as url:
        migrations.upgrade_schema(url)
        frozen = subprocess.Popen([sys.executable, "-c", _FROZEN_SENDING, url], stdout=subprocess.PIPE)
        assert frozen.stdout is not None
        assert frozen.stdout.readline() == b"inside\n"
        os.waitpid(frozen.pid, os.WUNTRACED)
        db, stop = open_database(url), threading.Event()
        beats = threading.Thread(target=end_frozen, args=(db, stop))
        beats.start()
        try:
            with db.write() as tx:
                pools.set_pool(tx, "default_pool", 2)
            with db.read() as tx:
                assert [pool.slots for pool in pools.list_pools(tx)] == [2]
        finally:
            stop.set()
            beats.join()
            frozen.kill()
            frozen.wait()
            frozen.stdout.close()
            db.close()


def end_frozen(db: Database, stop: threading.Event) -> None:
    """A part of every beat. It ends whatever is frozen in this database: a shorter time to live would meet tests beside this one."""
    while not stop.wait(0.05):
        with db.write() as tx:
            leases.terminate_frozen_sessions(tx, LEASE_TTL_S)


def kill_overdue(db: Database, frozen: int, stop: threading.Event) -> None:
    """The supervisor's part, with a shorter time to live, and for one process: this one may be slow, too."""
    while db.dialect == "sqlite" and not stop.wait(0.05):
        holder = find_lock_holder(write_lock_path(db.address.path))
        if holder is not None and holder.pid == frozen and time.monotonic() - holder.since > 0.3:
            os.kill(frozen, signal.SIGKILL)


def test_readers_wait_for_no_writer(world: World, url: str) -> None:
    other = open_database(url, cipher=CIPHER)
    with world.db.write() as tx:
        variables.set_variable(tx, "k", "new")
        with other.read() as reading:
            assert variables.get_variable(reading, "k") is None
    with other.read() as reading:
        assert variables.get_variable(reading, "k") == "new"
    other.close()


def test_a_reader_sees_one_state_from_its_first_question_on(world: World, url: str) -> None:
    other = open_database(url, cipher=CIPHER)
    with other.read() as reading:
        assert variables.get_variable(reading, "k") is None
        with world.db.write() as tx:
            variables.set_variable(tx, "k", "new")
        assert variables.get_variable(reading, "k") is None
    other.close()


def test_an_exception_stores_nothing_and_the_next_transaction_works(world: World) -> None:
    with pytest.raises(RuntimeError), world.db.write() as tx:
        variables.set_variable(tx, "k", "lost")
        raise RuntimeError
    with world.db.write() as tx:
        assert variables.get_variable(tx, "k") is None
        variables.set_variable(tx, "k", "kept")


def test_a_savepoint_undoes_only_what_was_inside(world: World) -> None:
    with world.db.write() as tx:
        variables.set_variable(tx, "before", "1")
        with pytest.raises(RuntimeError), tx.savepoint():
            variables.set_variable(tx, "inside", "1")
            raise RuntimeError
        with tx.savepoint():
            variables.set_variable(tx, "after", "1")
    with world.db.read() as tx:
        assert variables.list_variable_keys(tx) == ["after", "before"]


def test_a_forked_child_that_forgets_leaves_the_parent_its_connections(world: World) -> None:
    with world.db.write() as tx:
        variables.set_variable(tx, "k", "parent")
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            world.db.reset_after_fork()
            with world.db.write() as tx:
                variables.set_variable(tx, "k", variables.get_variable(tx, "k") + " and child")
            world.db.close()
            status = 0
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    with world.db.write() as tx:
        assert variables.get_variable(tx, "k") == "parent and child"
        variables.set_variable(tx, "k", "parent again")


def test_a_wake_reaches_every_listener_once_it_is_stored(world: World, url: str) -> None:
    from gnomon.storage.store import notify_on_commit

    listener = open_database(url)
    fileno = listener.notification_fileno()
    if world.db.dialect == "sqlite":
        assert fileno is None
        assert listener.poll_notifications() == 0
    else:
        import select

        with pytest.raises(RuntimeError), world.db.write() as tx:
            notify_on_commit(tx)
            raise RuntimeError
        assert listener.poll_notifications() == 0
        with world.db.write() as tx:
            notify_on_commit(tx)
        assert select.select([fileno], [], [], PATIENCE_S)[0]
        assert listener.poll_notifications() == 1
        assert listener.poll_notifications() == 0
    listener.close()


def test_a_sqlite_database_syncs_every_commit_unless_told_otherwise(tmp_path: Path) -> None:
    from tests.conformance.storeworld import raw

    from gnomon.storage.store import migrations

    url = f"sqlite:///{tmp_path / 'gnomon.db'}"
    migrations.upgrade_schema(url)
    assert parse_address(url).path.exists()
    for option, number in (({}, 2), ({"synchronous": "NORMAL"}, 1)):
        db = open_database(url, **option)
        with db.read() as tx:
            assert raw(tx, "PRAGMA synchronous") == [(number,)]
            assert raw(tx, "PRAGMA journal_mode") == [("wal",)]
        db.close()
