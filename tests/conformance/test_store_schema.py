"""The schema: upgraded equals new, both dialects agree, invariants are CHECKs, upgrades exclude one another."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from functools import cache
from itertools import chain
from pathlib import Path

import pytest
from tests.conformance.schema_introspection import Schema, common_schema, complete_schema, row_counts
from tests.conformance.storeworld import World, attempt, raw, task
from tests.databases import empty_database
from tests.former_home.database import load_former_database
from tests.patience import PATIENCE_S

from gnomon.model.states import NO_STATUS_CODE, RUN_STATE_CODES, TASK_STATE_CODES
from gnomon.storage.store import (
    Database,
    DatabaseNotInitialised,
    ForeignDatabase,
    SchemaNotReleased,
    SchemaTooNew,
    SchemaTooOld,
    migrations,
    open_database,
)
from gnomon.storage.store.address import parse_address
from gnomon.storage.store.migrations.migration_targets import PostgresTarget, SqliteTarget
from gnomon.storage.store.migrations.upgrade import SCRIPTS, creation_statements, script_statements
from gnomon.storage.store.schema_revision import FORMER_REVISIONS, HEAD, REVISIONS

NEXT = str(int(HEAD) + 1)
_UPGRADE = "import sys; from gnomon.storage.store import migrations; migrations.upgrade_schema(sys.argv[1])"
ROWS = (
    "INSERT INTO file (path, input_hash, inputs, parsed_at, duration_s) VALUES ('/d.py', 'h', '[]', 1, 0.5)",
    "INSERT INTO import_error (file_pk, number, kind, message, traceback, at) VALUES (1, 0, 'parse', 'm', '', 1)",
    "INSERT INTO dag (dag_id, group_no, file_pk, input_hash) VALUES ('d', 1, 1, 'h')",
    "INSERT INTO dag_version (dag_pk, number, spec_hash, spec, input_hash, created_at) VALUES (1, 1, 's', '', 'h', 1)",
    "INSERT INTO dag_source (source_hash, source, used_at) VALUES ('h', '', 1)",
    "INSERT INTO task_name (dag_pk, task_no, task_id) VALUES (1, 0, 't')",
    "INSERT INTO dag_edge (dag_pk, edge_no, up_dag, body) VALUES (1, 0, 'u', '{}')",
    "INSERT INTO baseline_state (baseline, due_at, level, changed_at, body) VALUES ('b', 1, 'safe', 1, '{}')",
    "INSERT INTO baseline_prediction (baseline, due_at, predicted_at, level, breach) VALUES ('b', 1, 1, 'safe', 0.5)",
    "INSERT INTO baseline_version (baseline, version, changed_at, changed_by, body) VALUES ('b', 1, 1, 'u', '{}')",
    "INSERT INTO forecast (forecast_pk, at, fresh_until, promises, body) VALUES (1, 1, 1, '{}', '{}')",
    "INSERT INTO simulation (simulation_id, account, state, created_at, beat_at, samples_done, samples, scenario) VALUES ('s', 'ann', 'done', 1, 1, 0, 1, '{}')",
    "INSERT INTO run_prediction (dag_pk, run_id, basis, run_after, predicted_at) VALUES (1, 'r', 'start', 1, 1)",
    "INSERT INTO duration_summary (dag_pk, key, body) VALUES (1, 'k', '')",
    "INSERT INTO run_tally (dag_pk, state, n) VALUES (1, 2, 1)",
    "INSERT INTO dag_run (dag_pk, group_no, run_id, run_type, run_after, state, queued_at) VALUES (1, 1, 'r', 'manual', 1, 2, 1)",
    "INSERT INTO newest_run (dag_pk, run_pk, run_after) VALUES (1, 1, 1)",
    "INSERT INTO rendered_fields (run_pk, task_no, map_index, fields) VALUES (1, 0, -1, '{}')",
    "INSERT INTO remote_attempt (attempt, executor, group_no, run_pk, task_no, map_index, queue, body, offered_at) VALUES ('a', 'CeleryExecutor', 1, 1, 0, -1, 'default', '', 1)",
    "INSERT INTO task_instance (run_pk, task_no, map_index, state, try_number, max_tries, seq, defer_seq, pool_slots, priority) "
    "VALUES (1, 0, -1, 3, 1, 1, 1, 0, 1, 1)",
    "INSERT INTO attempt (run_pk, task_no, map_index, seq, attempt, try_number, kind, state) VALUES (1, 0, -1, 1, 'a', 1, 'task', 'success')",
    "INSERT INTO xcom (run_pk, task_no, map_index, key, value) VALUES (1, 0, -1, 'k', '1')",
    "INSERT INTO task_state_store (run_pk, task_no, map_index, key, value, updated_at) VALUES (1, 0, -1, 'k', '1', 1)",
    "INSERT INTO asset_state_store (asset, key, value, updated_at, writer) VALUES ('a', 'k', '1', 1, 'w')",
    "INSERT INTO backfill (dag_pk, group_no, from_at, to_at, reprocess, max_active_runs, created_at, created_by) VALUES (1, 1, 1, 2, 'none', 1, 1, 'u')",
    "INSERT INTO backfill_slot (backfill_pk, run_pk, run_after, outcome) VALUES (1, 1, 1, 'exists')",
    "INSERT INTO event_log (at, kind, by, body) VALUES (1, 'k', 'me', '{}')",
    "INSERT INTO mail (group_no, kind, body) VALUES (1, 'k', '{}')",
    "INSERT INTO quarantine (kind, group_no, body, at, reason, error_class) VALUES ('result', 1, '{}', 1, 'r', 'E')",
    "INSERT INTO request (by, kind, body, state) VALUES ('me', 'clear', '{}', 'pending')",
    "INSERT INTO run_wait (down_run, edge_no, up_dag, up_at, down_group, up_group, state, keeps, rule, since, clear_number) "
    "VALUES (1, 0, 'u', 1, 1, 1, 1, 0, 'r', 1, 0)",
    "INSERT INTO trigger (run_pk, task_no, map_index, defer_seq, dag_pk, classpath, kwargs, held_slots, priority, created_at) "
    "VALUES (1, 0, -1, 1, 1, 'c', 'k', 0, 1, 1)",
    "INSERT INTO hitl_detail (run_pk, task_no, map_index, defer_seq, try_number, request, created_at) VALUES (1, 0, -1, 1, 1, '{}', 1)",
    "INSERT INTO trigger_end (trigger_pk, run_pk, task_no, map_index, dag_pk, classpath, kwargs) VALUES (9, 1, 0, -1, 1, 'c', 'k')",
    "INSERT INTO scheduler (id, host, started_at, beat_at) VALUES ('s', 'h', 1, 1)",
    "INSERT INTO worker (id, host, address, slots, beat_at) VALUES ('w', 'h', 'a', 1, 1)",
    "INSERT INTO service_figures (process_id, service, host, at, body) VALUES ('p', 'worker', 'h', 1, '[[],[]]')",
    "INSERT INTO trace_cursor (only_row, ended_at, run_pk) VALUES (1, 1, 1)",
    "INSERT INTO triggerer (id, host, capacity, beat_at) VALUES ('t', 'h', 1, 1)",
    "INSERT INTO dag_processor (id, host, beat_at) VALUES ('p', 'h', 1)",
    "INSERT INTO api_server (id, host, up_since, beat_at) VALUES ('a', 'h', 1, 1)",
    "INSERT INTO variable (key, value) VALUES ('k', 'v')",
    "INSERT INTO connection (conn_id, conn_type) VALUES ('c', 'http')",
    "INSERT INTO key_check (only_row, sealed) VALUES (1, 'x')",
    "INSERT INTO run_callback (id, run_pk, dag_pk, request, created_at, state) VALUES ('c', 1, 1, '{}', 1, 'queued')",
    "INSERT INTO run_deadline (run_pk, deadline_no, state) VALUES (1, 0, 'unresolved')",
    "INSERT INTO asset (name, uri) VALUES ('a', 's3://a')",
    "INSERT INTO asset_event (uid, asset_pk, at) VALUES ('u', 1, 1)",
    "INSERT INTO asset_event_alias (alias, event_pk) VALUES ('n', 1)",
    "INSERT INTO asset_queue (dag_pk, leaf, event_pk) VALUES (1, '{}', 1)",
    "INSERT INTO dag_asset (dag_pk, role, leaf, declared_at) VALUES (1, 'schedule', '{}', 1)",
    "INSERT INTO dag_run_asset_event (run_pk, event_pk) VALUES (1, 1)",
    "INSERT INTO asset_trigger (identity, classpath, kwargs) VALUES ('i', 'c', 'k')",
    "INSERT INTO asset_watcher (dag_pk, asset_name, asset_uri, watcher_name, asset_trigger_pk, asset_leaf, name_leaf, uri_leaf) "
    "VALUES (1, 'a', 's3://a', 'w', 1, '{}', '{}', '{}')",
    "INSERT INTO change_journal (at, body) VALUES (1, '[]')",
    "INSERT INTO account (name, name_key, role, epoch, created_at) VALUES ('a', 'a', 'admin', 2000, 1)",
    "INSERT INTO account_grant (account_pk, kind, pattern, role) VALUES (1, 'dag', '*', 'user')",
    "INSERT INTO account_identity (issuer, subject, account_pk) VALUES ('i', 's', 1)",
    "INSERT INTO api_token (uid, account_pk, name, secret_hash, role, created_at) VALUES ('u', 1, 'n', 'h', 'user', 1)",
    "INSERT INTO login_session (account_pk, secret_hash, created_at, rotated_at, used_at, address) VALUES (1, 'h', 1, 1, 1, 'x')",
    "INSERT INTO saved_view (account_pk, page, name, query) VALUES (1, '/dags', 'n', 'state=failed')",
    "INSERT INTO login_failure (source, failures, last_at) VALUES ('x', 1, 1)",
    "INSERT INTO service_lease (name, holder, host, beat_at) VALUES ('monitor', 'm', 'h', 1)",
    "INSERT INTO alert_event (kind, at, dag_pk, run_pk, body) VALUES ('failure', 1, 1, 1, '{}')",
    "INSERT INTO alert (rule, kind, subject, raised_at, body) VALUES ('r', 'failure', 's', 1, '{}')",
    "INSERT INTO alert_delivery (uid, channel, group_key, state, created_at, due_at, body) VALUES ('u', 'c', 'g', 'pending', 1, 1, '{}')",
    "INSERT INTO asset_alias (name) VALUES ('n')",
    "INSERT INTO note (run_pk, content, author, created_at, updated_at) VALUES (1, 'n', 'api:a', 1, 1)",
    "INSERT INTO favorite_dag (account, dag_pk, created_at) VALUES ('a', 1, 1)",
    "INSERT INTO pool_waiter (pool, scheduler, priority, since) VALUES ('default_pool', 's', 1, 1)",
)
"""A row for every table that has none in a new database, of any revision from 0031 on."""


def place_of(url: str) -> SqliteTarget | PostgresTarget:
    address = parse_address(url)
    return SqliteTarget(address) if address.dialect == "sqlite" else PostgresTarget(address)


def make_at(url: str, revision: str) -> SqliteTarget | PostgresTarget:
    """A database of an earlier release, with at least one row in every table."""
    place = place_of(url)
    if revision in FORMER_REVISIONS:
        load_former_database(url, Path("/home/former"))
        if revision != "0031":
            scripts = [name for name in FORMER_REVISIONS["0031"] if name not in FORMER_REVISIONS[revision]]
            with place.exclusive():
                place.run_in_transaction(script_statements(scripts, place.dialect))
            set_revision(url, revision)
    else:
        older = REVISIONS[: REVISIONS.index(revision) + 1]
        with place.exclusive():
            place.run_in_transaction(creation_statements(older, place.dialect, 7))
        set_revision(url, revision)
    empty = {table for table, n in row_counts(place).items() if not n}
    place.run_in_transaction(row for row in ROWS if re.match(r"INSERT INTO (\w+)", row)[1] in empty)  # type: ignore[index]
    assert [table for table, n in row_counts(place).items() if not n] == [], "add a row of these tables to ROWS"
    return place


@cache
def new_schema(dialect: str) -> Schema:
    """What a new database says about itself: to make one and to ask it takes as long as to upgrade one."""
    with tempfile.TemporaryDirectory() as folder, empty_database(dialect, Path(folder)) as url:
        migrations.upgrade_schema(url)
        return complete_schema(place_of(url))


def test_the_known_revisions_are_those_of_the_scripts() -> None:
    names = sorted(entry.name for entry in SCRIPTS.iterdir())
    scripts = [*REVISIONS, *dict.fromkeys(chain.from_iterable(FORMER_REVISIONS.values()))]
    assert names == sorted(f"{script}.{dialect}.sql" for script in scripts for dialect in ("sqlite", "postgresql"))
    assert [int(revision) for revision in REVISIONS] == list(range(1, len(REVISIONS) + 1))


@pytest.mark.postgres
def test_both_dialects_have_the_same_schema(tmp_path: Path) -> None:
    found = []
    for dialect in ("sqlite", "postgresql"):
        with empty_database(dialect, tmp_path) as url:
            migrations.upgrade_schema(url)
            found.append(common_schema(place_of(url)))
    sqlite, postgresql = found
    assert sqlite.keys() == postgresql.keys()
    for table in sqlite:
        assert sqlite[table] == postgresql[table], table


@pytest.mark.parametrize("revision", [*FORMER_REVISIONS, *REVISIONS])
def test_a_database_of_any_release_becomes_equal_to_a_new_one(empty_url: str, revision: str) -> None:
    place = make_at(empty_url, revision)
    before = row_counts(place)
    if revision != HEAD:
        with pytest.raises(SchemaTooOld, match="gnomon db migrate"):
            open_database(empty_url)
    migrations.upgrade_schema(empty_url)
    assert complete_schema(place) == new_schema(place.dialect)
    after = row_counts(place)
    assert {table: n for table, n in before.items() if table in after} == {
        table: after[table] for table in before if table in after
    }
    open_database(empty_url).close()


def test_the_look_up_of_states_is_the_one_of_the_code(db: Database) -> None:
    with db.read() as tx:
        rows = set(raw(tx, "SELECT kind, code, name FROM state"))
    tasks = {("task", code, state.value) for state, code in TASK_STATE_CODES.items()}
    runs = {("run", code, state.value) for state, code in RUN_STATE_CODES.items()}
    assert rows == tasks | runs | {("task", NO_STATUS_CODE, "no_status")}


def test_there_are_64_groups_and_a_default_pool(world: World) -> None:
    assert world.count("SELECT count(*) FROM dag_group") == 64
    assert world.count("SELECT slots FROM pool WHERE name = 'default_pool'") == 128


def test_the_default_pool_has_the_slots_that_were_asked_for_when_the_database_was_made(empty_url: str) -> None:
    for asked in (7, 9):
        migrations.upgrade_schema(empty_url, default_pool_slots=asked)
    db = open_database(empty_url)
    with db.read() as tx:
        assert raw(tx, "SELECT slots FROM pool") == [(7,)]
    db.close()


@pytest.mark.parametrize(
    "update",
    [
        "UPDATE dag_run SET state = 100",
        "UPDATE dag_run SET ended_at = 1",
        "UPDATE task_instance SET state = 100, ended_at = NULL",
        "UPDATE pool SET used = -1",
        "UPDATE pool SET slots = -2",
        "UPDATE dag SET group_no = 64",
        "UPDATE dag SET next_run_after = 1, next_body = NULL",
        "UPDATE attempt SET kind = 'other'",
    ],
)
def test_an_invariant_is_a_check_of_the_database(world: World, update: str) -> None:
    from gnomon.model.records import Changes

    world.dag()
    run = world.run()
    world.apply(Changes(tasks=[task(run)], attempts=[attempt(run)]))
    with pytest.raises(Exception, match=r"(?i)check constraint"), world.db.write() as tx:
        tx._connection.execute_raw(update)


def test_upgrades_that_come_at_once_make_one_schema(empty_url: str) -> None:
    command = [sys.executable, "-c", _UPGRADE, empty_url]
    racing = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(4)]
    errors = [process.communicate(timeout=PATIENCE_S)[1] for process in racing]
    assert [process.returncode for process in racing] == [0, 0, 0, 0], errors
    migrations.check_schema(empty_url)


def test_a_missing_an_old_and_a_new_schema_are_refused_with_the_remedy(empty_url: str) -> None:
    with pytest.raises(DatabaseNotInitialised, match="gnomon db migrate"):
        open_database(empty_url)
    with pytest.raises(DatabaseNotInitialised, match="gnomon db migrate"):
        migrations.check_schema(empty_url)
    migrations.upgrade_schema(empty_url)
    set_revision(empty_url, "9999")
    for ask in (open_database, migrations.check_schema, migrations.upgrade_schema):
        with pytest.raises(SchemaTooNew, match="newer Gnomon"):
            ask(empty_url)


@pytest.mark.parametrize("revision", ["0001", "0030", "0032", "0033"])
def test_a_database_of_a_development_version_is_refused_untouched(empty_url: str, revision: str) -> None:
    migrations.upgrade_schema(empty_url)
    set_revision(empty_url, revision)
    for ask in (open_database, migrations.check_schema, migrations.upgrade_schema):
        with pytest.raises(SchemaNotReleased, match=f"schema {revision}, made by a development version.*0031 and 0034"):
            ask(empty_url)
    assert place_of(empty_url).revision() == revision


def test_a_database_without_a_schema_is_no_database(empty_url: str) -> None:
    place = place_of(empty_url)
    with place._connection() as connection:
        connection.execute("CREATE TABLE other (n integer)")
    with pytest.raises(DatabaseNotInitialised):
        open_database(empty_url)


@pytest.mark.parametrize("version", [None, "29ce7909c52b"])
def test_another_programs_database_is_refused_untouched(empty_url: str, version: str | None) -> None:
    """For example Airflow's own, which AIRFLOW__DATABASE__SQL_ALCHEMY_CONN may name."""
    place = place_of(empty_url)
    with place._connection() as connection:
        connection.execute("CREATE TABLE ab_user (id integer)")
        connection.execute("CREATE TABLE task_instance (id integer)")
        if version is not None:
            connection.execute("CREATE TABLE alembic_version (version_num varchar(32))")
            connection.execute(f"INSERT INTO alembic_version VALUES ('{version}')")
        connection.commit()
    tables = place.tables()
    for ask in (migrations.upgrade_schema, *([open_database] if version else [])):
        with pytest.raises(ForeignDatabase, match=r"ab_user, .*task_instance.*sql_alchemy_conn"):
            ask(empty_url)
    assert place.tables() == tables


@pytest.fixture
def next_scripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Gnomon's next version: the folder of its scripts, of which the newest adds a column and a table."""
    from gnomon.storage.store import schema_revision
    from gnomon.storage.store.migrations import upgrade

    folder = tmp_path / "scripts"
    folder.mkdir()
    for entry in SCRIPTS.iterdir():
        (folder / entry.name).write_text(entry.read_text(encoding="utf-8"))
    for dialect in ("sqlite", "postgresql"):
        (folder / f"{NEXT}.{dialect}.sql").write_text(
            "ALTER TABLE dag_run ADD COLUMN note TEXT;\n\nCREATE TABLE remark (n INTEGER);\n"
        )
    monkeypatch.setattr(upgrade, "SCRIPTS", folder)
    for module in (schema_revision, upgrade):
        monkeypatch.setattr(module, "HEAD", NEXT)
        monkeypatch.setattr(module, "REVISIONS", (*REVISIONS, NEXT))
    return folder


def test_an_upgrade_keeps_the_rows_and_backs_up_a_file(world: World, url: str, next_scripts: Path) -> None:
    world.dag()
    world.run(run_id="kept")
    with pytest.raises(SchemaTooOld, match="gnomon db migrate"):
        open_database(url)
    migrations.upgrade_schema(url)
    migrations.upgrade_schema(url)
    assert world.count("SELECT count(*) FROM dag_run WHERE note IS NULL AND run_id = 'kept'") == 1
    assert place_of(url).revision() == NEXT
    if world.db.dialect == "sqlite":
        backups = list(Path(parse_address(url).target).parent.glob(f"gnomon.db.backup-{HEAD}-*"))
        assert len(backups) == 1
        assert SqliteTarget(parse_address(f"sqlite:///{backups[0]}")).revision() == HEAD


def test_an_upgrade_that_fails_leaves_revision_tables_and_rows_as_before(empty_url: str, next_scripts: Path) -> None:
    """The scripts before the one that fails are undone too."""
    place = make_at(empty_url, "0031")
    script = next_scripts / f"{NEXT}.{place.dialect}.sql"
    script.write_text(script.read_text() + "\nthis is no SQL;\n")
    schema, rows = complete_schema(place), row_counts(place)
    with pytest.raises(Exception, match=r"this|syntax"):
        migrations.upgrade_schema(empty_url)
    assert (place.revision(), complete_schema(place), row_counts(place)) == ("0031", schema, rows)


def set_revision(url: str, revision: str) -> None:
    with place_of(url)._connection() as connection:
        connection.execute(f"UPDATE alembic_version SET version_num = '{revision}'")


def test_the_upgrade_from_0031_keeps_accounts_and_never_gives_keys_again_that_the_audit_log_knows(
    empty_url: str,
) -> None:
    place = make_at(empty_url, "0031")
    place.run_in_transaction(
        [
            "INSERT INTO account (name, name_key, password_hash, role, created_at) VALUES ('ida', 'ida', 'h', 'admin', 5)",
            "INSERT INTO account (name, name_key, role, epoch, created_at) VALUES ('bob', 'bob', 'user', 3, 6)",
            "INSERT INTO account_grant (account_pk, kind, pattern, role) SELECT account_pk, 'dag', '*', 'viewer' FROM account WHERE name = 'bob'",
            "INSERT INTO api_token (uid, account_pk, name, secret_hash, role, created_at) SELECT 'kept', account_pk, 'ci', 's', 'user', 7 FROM account WHERE name = 'bob'",
            "INSERT INTO login_session (account_pk, secret_hash, created_at, rotated_at, used_at, address) SELECT account_pk, 'kept', 7, 8, 9, 'a' FROM account WHERE name = 'ida'",
            "INSERT INTO account_identity (issuer, subject, account_pk) SELECT 'i', 'kept', account_pk FROM account WHERE name = 'bob'",
            "INSERT INTO saved_view (account_pk, page, name, query) SELECT account_pk, '/', 'v', 'q' FROM account WHERE name = 'bob'",
            "INSERT INTO alert (rule, kind, subject, raised_at, body) VALUES ('r', 'k', 'kept', 1, '{}')",
            *(
                f"INSERT INTO event_log (at, kind, by, body) VALUES (1, '{kind}', 'me', '{{}}')"
                for kind in ["account_created"] * 9 + ["token_created"] * 8 + ["login"] * 7
            ),
        ]
    )
    migrations.upgrade_schema(empty_url)
    db = open_database(empty_url)
    with db.write() as tx:
        accounts = raw(
            tx, "SELECT name, password_hash, role, created_at FROM account WHERE name IN ('ida', 'bob') ORDER BY name"
        )
        epochs = [epoch for (epoch,) in raw(tx, "SELECT epoch FROM account")]
        owners = [
            raw(
                tx,
                f"SELECT a.name FROM {table} AS t JOIN account AS a ON a.account_pk = t.account_pk WHERE a.name IN ('ida', 'bob')",
            )
            for table in ("account_grant", "api_token", "login_session", "account_identity", "saved_view")
        ]
        raw(tx, "DELETE FROM api_token RETURNING 1")
        raw(tx, "DELETE FROM login_session RETURNING 1")
        raw(
            tx,
            "INSERT INTO account (name, name_key, role, epoch, created_at) VALUES ('new', 'new', 'user', 1, 1) RETURNING 1",
        )
        ((new,),) = raw(tx, "SELECT account_pk FROM account WHERE name = 'new'")
        raw(
            tx,
            "INSERT INTO api_token (uid, account_pk, name, secret_hash, role, created_at) VALUES ('fresh', 1, 'ci', 's', 'user', 7) RETURNING 1",
        )
        raw(
            tx,
            "INSERT INTO login_session (account_pk, secret_hash, created_at, rotated_at, used_at, address) VALUES (1, 'fresh', 7, 8, 9, 'a') RETURNING 1",
        )
        keys = [
            new,
            *(
                raw(tx, f"SELECT {key} FROM {table}")[0][0]
                for table, key in (("api_token", "token_pk"), ("login_session", "session_pk"))
            ),
        ]
        alerts = raw(tx, "SELECT subject FROM alert WHERE subject = 'kept'")
        if db.dialect == "sqlite":
            assert raw(tx, "PRAGMA foreign_key_check") == []
    db.close()
    assert accounts == [("bob", None, "user", 6), ("ida", "h", "admin", 5)]
    assert (
        [one for found in owners for one in found if one == ("ida",)] == [("ida",)]
        and all(found for found in owners)
        and alerts == [("kept",)]
    )
    assert len(set(epochs)) == len(epochs) and all(epoch > 1000 for epoch in epochs)
    assert new > 2 and (db.dialect != "sqlite" or keys == [11, 9, 8]), keys
