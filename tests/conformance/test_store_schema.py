"""The schema: migrated equals described, invariants are CHECKs, upgrades never race."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, inspect
from sqlalchemy.engine.interfaces import ReflectedColumn
from sqlalchemy.pool import NullPool
from tests.conformance.storeworld import World, attempt, raw, task
from tests.patience import PATIENCE_S

from gnomon.model.states import NO_STATUS_CODE, RUN_STATE_CODES, TASK_STATE_CODES
from gnomon.store import (
    Database,
    DatabaseNotInitialised,
    ForeignDatabase,
    SchemaTooNew,
    SchemaTooOld,
    migrations,
    open_database,
)
from gnomon.store.drivers.address import parse_address
from gnomon.store.migrations.alembic_runner import make_alembic_config, run_alembic
from gnomon.store.migrations.migration_targets import PostgresTarget, SqliteTarget, read_script
from gnomon.store.schema import metadata
from gnomon.store.schema_revision import HEAD, REVISIONS

NEXT = f"{int(HEAD) + 1:04}"
_UPGRADE = "import sys; from gnomon.store import migrations; migrations.upgrade(sys.argv[1]); print('sqlalchemy' in sys.modules)"


def place_of(url: str) -> SqliteTarget | PostgresTarget:
    address = parse_address(url)
    return SqliteTarget(address) if address.dialect == "sqlite" else PostgresTarget(address)


def differences(url: str) -> list[object]:
    engine = create_engine(place_of(url).sqlalchemy_url, poolclass=NullPool)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        return compare_metadata(context, metadata)


def test_a_migrated_database_is_what_the_metadata_describe(url: str) -> None:
    assert differences(url) == []


def test_alembic_alone_makes_the_same_schema(empty_url: str) -> None:
    run_alembic(place_of(empty_url).sqlalchemy_url)
    assert differences(empty_url) == []
    migrations.check_schema(empty_url)


def test_the_known_revisions_are_those_of_the_scripts() -> None:
    scripts = ScriptDirectory.from_config(make_alembic_config("sqlite://"))
    assert scripts.get_current_head() == HEAD
    assert tuple(reversed([script.revision for script in scripts.walk_revisions()])) == REVISIONS


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


@pytest.mark.parametrize("update", [
    "UPDATE dag_run SET state = 100",
    "UPDATE dag_run SET ended_at = 1",
    "UPDATE task_instance SET state = 100, ended_at = NULL",
    "UPDATE pool SET used = -1",
    "UPDATE pool SET slots = -2",
    "UPDATE dag SET group_no = 64",
    "UPDATE dag SET next_run_after = 1, next_body = NULL",
    "UPDATE attempt SET kind = 'other'",
])
def test_an_invariant_is_a_check_of_the_database(world: World, update: str) -> None:
    from gnomon.model.records import Changes

    world.dag()
    run = world.run()
    world.apply(Changes(tasks=[task(run)], attempts=[attempt(run)]))
    with pytest.raises(Exception, match=r"(?i)check constraint"), world.db.write() as tx:
        tx._connection.execute_raw(update)


def test_a_new_database_is_made_without_the_migration_tool(empty_url: str) -> None:
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", _UPGRADE, empty_url], check=True, capture_output=True, text=True)
        assert done.stdout.strip() == "False"
    migrations.check_schema(empty_url)


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


@pytest.mark.parametrize("revision", REVISIONS[:-1])
def test_a_database_of_any_release_becomes_one_of_this(empty_url: str, revision: str) -> None:
    place = place_of(empty_url)
    older = REVISIONS[: REVISIONS.index(revision) + 1]
    with place.exclusive():
        place.create([read_script(one, place.dialect) for one in older], revision, 7)
    with pytest.raises(SchemaTooOld, match="gnomon db migrate"):
        open_database(empty_url)
    migrations.upgrade_schema(empty_url)
    assert differences(empty_url) == []
    open_database(empty_url).close()


def test_an_upgrade_removes_the_waiting_rows_of_pools(empty_url: str) -> None:
    place = place_of(empty_url)
    with place.exclusive():
        place.create([read_script(one, place.dialect) for one in ("0001", "0002")], "0002", 7)
    with place._connection() as connection:
        connection.execute("INSERT INTO pool_waiter (pool, scheduler, priority, since) VALUES ('default_pool', 'one', 1, 1)")
        connection.commit()
    migrations.upgrade_schema(empty_url)
    assert "pool" in place.tables() and "pool_waiter" not in place.tables()


@pytest.fixture
def next_revision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gnomon's next version: a revision that adds a column."""
    versions = tmp_path / "versions"
    versions.mkdir()
    (versions / f"{NEXT}_note.py").write_text(
        f"from alembic import op\nimport sqlalchemy as sa\nrevision, down_revision = '{NEXT}', '{HEAD}'\n"
        "branch_labels = depends_on = None\n\n"
        "def upgrade():\n    op.add_column('dag_run', sa.Column('note', sa.Text()))\n"
    )
    from gnomon.store import schema_revision
    from gnomon.store.migrations import alembic_runner, upgrade

    own = make_alembic_config("sqlite://").get_main_option("script_location")

    def config(url: str) -> object:
        made = make_alembic_config(url)
        made.set_main_option("path_separator", "newline")
        made.set_main_option("version_locations", f"{own}/versions\n{versions}")
        return made

    monkeypatch.setattr(alembic_runner, "make_alembic_config", config)
    for module in (schema_revision, upgrade):
        monkeypatch.setattr(module, "HEAD", NEXT)
        monkeypatch.setattr(module, "KNOWN", (*REVISIONS, NEXT))


def test_an_upgrade_keeps_the_rows_and_backs_up_a_file(world: World, url: str, next_revision: None) -> None:
    world.dag()
    world.run(run_id="kept")
    with pytest.raises(SchemaTooOld, match="gnomon db migrate"):
        open_database(url)
    migrations.upgrade_schema(url)
    migrations.upgrade_schema(url)
    assert world.count("SELECT count(*) FROM dag_run WHERE note IS NULL AND run_id = 'kept'") == 1
    if world.db.dialect == "sqlite":
        backups = list(Path(parse_address(url).target).parent.glob(f"gnomon.db.backup-{HEAD}-*"))
        assert len(backups) == 1
        assert SqliteTarget(parse_address(f"sqlite:///{backups[0]}")).revision() == HEAD


def test_an_upgrade_that_fails_leaves_nothing_behind(
    world: World, url: str, next_revision: None, tmp_path: Path
) -> None:
    script = tmp_path / "versions" / f"{NEXT}_note.py"
    script.write_text(script.read_text() + "    op.execute('this is no SQL')\n")
    with pytest.raises(Exception, match=r"this|syntax"):
        migrations.upgrade_schema(url)
    assert place_of(url).revision() == HEAD
    assert "note" not in {column["name"] for column in columns_of(url, "dag_run")}


def columns_of(url: str, table: str) -> list[ReflectedColumn]:
    engine = create_engine(place_of(url).sqlalchemy_url, poolclass=NullPool)
    with engine.connect() as connection:
        return inspect(connection).get_columns(table)


def set_revision(url: str, revision: str) -> None:
    with place_of(url)._connection() as connection:
        connection.execute(f"UPDATE alembic_version SET version_num = '{revision}'")
