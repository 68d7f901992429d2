"""`gnomon migrate import`: export files and databases of Airflow, what is stored, and what is refused."""

from __future__ import annotations

import io
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import psycopg
import pytest
from cryptography.fernet import Fernet
from tests.postgres import own_schema

from gnomon.airflow_compat.migration.records.airflow_database import read_database
from gnomon.airflow_compat.migration.records.airflow_keys import AirflowCipher, KeyText
from gnomon.airflow_compat.migration.records.airflow_records import AirflowPool, AirflowRecords, read_export_file
from gnomon.entry.cli.deployment.home import Home
from gnomon.entry.cli.main import main
from gnomon.ground.clock import VirtualClock
from gnomon.ground.config import load_config
from gnomon.model.errors.product import UserError
from gnomon.storage.store.admin import connections, pools, variables

pytestmark = pytest.mark.ordinary

KEY = Fernet.generate_key().decode()
CONNECTIONS = {
    "db": {
        "conn_type": "postgres",
        "description": "the db",
        "login": "me",
        "password": "s3cret",
        "host": "h",
        "port": 5432,
        "schema": "app",
        "extra": '{"a": 1}',
    },
    "web": {
        "conn_type": "http",
        "description": None,
        "login": None,
        "password": None,
        "host": "https://x",
        "port": None,
        "schema": None,
        "extra": None,
    },
}
VARIABLES = {"plain": "text", "number": 3, "object": {"a": [1]}, "described": {"value": "v", "description": "why"}}
POOLS = {
    "default_pool": {"slots": 64, "description": "Default pool", "include_deferred": False},
    "narrow": {"slots": 2, "description": "", "include_deferred": True},
}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(load_config({}, tmp_path / "home"), VirtualClock(0))


@pytest.fixture
def migrated(home: Home) -> Home:
    assert main(["db", "migrate"], obj=home) == 0
    return home


def make_cipher(*keys: str) -> AirflowCipher:
    return AirflowCipher(lambda: KeyText(",".join(keys), "the test"))


def write(folder: Path, name: str, value: object) -> str:
    (folder / name).write_text(value if isinstance(value, str) else json.dumps(value))
    return str(folder / name)


def make_airflow(path: Path, *, older: bool = False) -> str:
    """A SQLite database with the tables of Airflow."""
    with sqlite3.connect(path) as db:
        for statement in iterate_statements(older=older):
            db.execute(statement)
    return f"sqlite:///{path}"


def iterate_statements(*, older: bool = False) -> Iterator[str]:
    """The statements that make and fill the tables of Airflow."""
    secret, extra, value = (Fernet(KEY).encrypt(text).decode() for text in (b"s3cret", b'{"a": 1}', b"hidden"))
    yield (
        "CREATE TABLE connection (id INTEGER, conn_id TEXT, conn_type TEXT, description TEXT, host TEXT, schema TEXT, login TEXT, password TEXT,"
        " port INTEGER, is_encrypted BOOLEAN, is_extra_encrypted BOOLEAN, extra TEXT)"
    )
    yield "CREATE TABLE variable (id INTEGER, key TEXT, val TEXT, description TEXT, is_encrypted BOOLEAN)"
    yield f"CREATE TABLE slot_pool (id INTEGER, pool TEXT, slots INTEGER, description TEXT{'' if older else ', include_deferred BOOLEAN'})"
    yield f"INSERT INTO connection VALUES (1, 'db', 'postgres', NULL, 'h', 'app', 'me', '{secret}', 5432, true, true, '{extra}')"
    yield "INSERT INTO connection VALUES (2, 'web', 'http', NULL, 'x', '', '', NULL, NULL, false, false, NULL)"
    yield f"INSERT INTO variable VALUES (1, 'v', '{value}', 'why', true)"
    yield f"INSERT INTO slot_pool VALUES (1, 'narrow', 2, NULL{'' if older else ', true'})"


def test_the_kind_of_a_file_is_found_by_its_name_or_its_entries(tmp_path: Path) -> None:
    records = AirflowRecords()
    assert read_export_file(write(tmp_path, "a.json", CONNECTIONS), None, records) == "connections"
    assert read_export_file(write(tmp_path, "b.json", VARIABLES), None, records) == "variables"
    assert read_export_file(write(tmp_path, "c.json", POOLS), None, records) == "pools"
    assert (
        read_export_file(write(tmp_path, "connections.env", "uri=postgres://me:pw@h:1/app\n"), None, records)
        == "connections"
    )
    assert read_export_file(write(tmp_path, "my-variables.json", {"x": "http://y"}), None, records) == "variables"
    assert (records.connections["db"].password, records.connections["uri"].port) == ("s3cret", 1)
    assert records.variables["described"].description == "why"
    assert json.loads(records.variables["object"].value) == {"a": [1]}
    assert records.pools["narrow"] == AirflowPool(2, "", True)


def test_files_are_stored_in_one_transaction_and_a_second_time_nothing_changes(
    tmp_path: Path, migrated: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    home = migrated
    capsys.readouterr()
    files = [
        write(tmp_path, "connections.json", CONNECTIONS),
        write(tmp_path, "variables.json", VARIABLES),
        write(tmp_path, "pools.json", POOLS),
    ]
    assert main(["migrate", "import", *files, "--dry-run"], obj=home) == 0
    assert "would store 8 of 8" in capsys.readouterr().out
    with home.store() as db, db.read() as tx:
        assert connections.list_connections(tx) == []
    assert main(["migrate", "import", *files], obj=home) == 0
    told = capsys.readouterr()
    assert "stored 8 of 8 records" in told.out
    assert "s3cret" not in told.out + told.err
    with home.store() as db, db.read() as tx:
        found = connections.get_connection(tx, "db")
        assert found is not None
        assert (found.password, found.port, found.extra, found.schema) == ("s3cret", 5432, '{"a": 1}', "app")
        assert variables.get_variable(tx, "number") == "3"
        assert {pool.name: pool.slots for pool in pools.list_pools(tx)} == {"default_pool": 64, "narrow": 2}
    assert main(["migrate", "import", *files], obj=home) == 0
    assert "stored 0 of 8 records" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("policy", "code", "value"), [("fail", 1, "mine"), ("keep", 0, "mine"), ("replace", 0, "text")]
)
def test_what_exists_with_another_value_is_refused_kept_or_replaced(
    tmp_path: Path, migrated: Home, policy: str, code: int, value: str
) -> None:
    home = migrated
    assert main(["variables", "set", "plain", "mine"], obj=home) == 0
    assert (
        main(["migrate", "import", write(tmp_path, "variables.json", VARIABLES), "--on-conflict", policy], obj=home)
        == code
    )
    with home.store() as db, db.read() as tx:
        assert variables.get_variable(tx, "plain") == value
        assert (variables.get_variable(tx, "number") is None) is (code == 1), "all or nothing"


@pytest.mark.parametrize("older", [False, True])
def test_the_database_of_airflow_is_read_and_not_changed(tmp_path: Path, older: bool) -> None:
    url = make_airflow(tmp_path / "airflow.db", older=older)
    before = (tmp_path / "airflow.db").read_bytes()
    records = AirflowRecords()
    read_database(url, make_cipher(KEY), records)
    assert (records.connections["db"].password, records.connections["db"].extra) == ("s3cret", '{"a": 1}')
    assert records.variables["v"].value == "hidden"
    assert records.pools["narrow"] == AirflowPool(2, "", not older)
    assert (tmp_path / "airflow.db").read_bytes() == before


@pytest.mark.postgres
@pytest.mark.parametrize("older", [False, True])
def test_the_database_of_airflow_may_be_postgresql(older: bool) -> None:
    with own_schema() as url, psycopg.connect(url, autocommit=True) as database:
        records = AirflowRecords()
        with pytest.raises(UserError, match="is not that of an Airflow 2 or 3"):
            read_database(url, make_cipher(KEY), records)
        for statement in iterate_statements(older=older):
            database.execute(statement.encode())
        read_database(url.replace("postgresql://", "postgresql+psycopg2://"), make_cipher(KEY), records)
    assert (records.connections["db"].password, records.variables["v"].value) == ("s3cret", "hidden")
    assert records.pools["narrow"] == AirflowPool(2, "", not older)


def test_a_value_of_another_key_is_skipped_and_named(tmp_path: Path) -> None:
    records, other = AirflowRecords(), Fernet.generate_key()
    url = make_airflow(tmp_path / "airflow.db")
    with sqlite3.connect(tmp_path / "airflow.db") as db:
        db.execute("INSERT INTO variable VALUES (2, 'w', ?, NULL, true)", (Fernet(other).encrypt(b"seen").decode(),))
    read_database(url, make_cipher(other.decode()), records)
    assert list(records.connections) == ["web"]
    assert list(records.variables) == ["w"]
    assert sorted(sentence.partition(" cannot")[0] for sentence in records.skipped) == [
        "Variable 'v'",
        "the extra of connection 'db'",
        "the password of connection 'db'",
    ]
    assert all("another key than that of the test" in sentence for sentence in records.skipped)


def test_all_keys_of_a_rotation_decrypt(tmp_path: Path) -> None:
    records = AirflowRecords()
    read_database(
        make_airflow(tmp_path / "airflow.db"), make_cipher(Fernet.generate_key().decode(), f" {KEY}\n"), records
    )
    assert (records.variables["v"].value, records.skipped) == ("hidden", [])


@pytest.mark.parametrize("way", ["file", "variable", "own"])
def test_the_key_of_the_other_installation_comes_from_a_file_a_variable_or_is_the_own_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    environ = {"GNOMON__CORE__FERNET_KEY": KEY if way == "own" else Fernet.generate_key().decode()}
    home = Home(load_config(environ, tmp_path / "home"), VirtualClock(0))
    assert main(["db", "migrate"], obj=home) == 0
    arguments = ["migrate", "import", "--database", make_airflow(tmp_path / "airflow.db")]
    monkeypatch.delenv("AIRFLOW_FERNET_KEY", raising=False)
    if way == "file":
        monkeypatch.setenv("AIRFLOW_FERNET_KEY", "not this one")
        arguments += ["--airflow-fernet-key-file", write(tmp_path, "key", f"{Fernet.generate_key().decode()},{KEY}\n")]
    elif way == "variable":
        monkeypatch.setenv("AIRFLOW_FERNET_KEY", KEY)
    assert main(arguments, obj=home) == 0
    told = capsys.readouterr()
    assert "stored 4 of 4 records" in told.out
    assert KEY not in told.out + told.err
    with home.store() as db, db.read() as tx:
        assert variables.get_variable(tx, "v") == "hidden", "encrypted anew, with the key of this installation"


def test_a_terminal_is_asked_for_the_key_once_and_only_for_encrypted_values(
    tmp_path: Path, migrated: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.delenv("AIRFLOW_FERNET_KEY", raising=False)
    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("click.termui.visible_prompt_func", lambda _: pytest.fail("the key is not echoed"))
    monkeypatch.setattr("click.termui.hidden_prompt_func", lambda prompt: asked.append(prompt) or KEY)
    url = make_airflow(tmp_path / "airflow.db")
    assert main(["migrate", "import", "--database", url], obj=migrated) == 0
    assert len(asked) == 1
    with sqlite3.connect(tmp_path / "airflow.db") as db:
        db.execute("DELETE FROM connection WHERE conn_id = 'db'")
        db.execute("DELETE FROM variable")
    assert main(["migrate", "import", "--database", url], obj=migrated) == 0
    assert len(asked) == 1, "nothing is encrypted"


def test_a_variable_that_means_this_installation_is_not_taken_for_the_key_of_the_other(
    tmp_path: Path, migrated: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["variables", "set", "mine", "1"], obj=migrated) == 0
    changed = Home(load_config({"AIRFLOW__CORE__FERNET_KEY": KEY}, tmp_path / "home"), VirtualClock(0))
    capsys.readouterr()
    assert main(["migrate", "import", "--database", make_airflow(tmp_path / "airflow.db")], obj=changed) == 1
    assert (
        "AIRFLOW__CORE__FERNET_KEY is the key of this installation, and not that of the Airflow to read: unset it"
        in capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--database", "sqlite:////nowhere/airflow.db"], "there is no database /nowhere/airflow.db"),
        (["--database", "mysql://me:pw@h/a"], "'mysql://me:***@h/a' is no address that can be read"),
        (["--database", "{plain}"], "is not a SQLite database"),
        (["--database", "{empty}"], "is not the database of an Airflow 2 or 3"),
        (
            ["--database", "{airflow}"],
            "the key of that Airflow is not known: write it into a file and name that with --airflow-fernet-key-file, or set the variable AIRFLOW_FERNET_KEY",
        ),
        (["--database", "{airflow}", "--airflow-fernet-key-file", "{short}"], "the fernet key of {short} is not valid"),
        (
            ["--database", "{airflow}", "--airflow-fernet-key-file", "{second}"],
            "fernet key number 2 of 2 of {second} is not valid",
        ),
        (["--database", "{airflow}", "--airflow-fernet-key-file", "{none}"], "{none} has no fernet key"),
        (["--database", "{airflow}", "--airflow-fernet-key-file", "/nowhere"], "/nowhere cannot be read: No such file"),
        (
            ["--database", "{airflow}", "--airflow-fernet-key-file", "{other}"],
            "nothing was imported: {other} decrypts no value of this database",
        ),
        (["{uris}"], "may hold connections or Variables; say which"),
        (["{slots}", "--kind", "pools"], "pool 'p' must be an object with slots"),
        (["{broken}"], "it is not valid JSON"),
    ],
)
def test_each_mistake_gets_one_sentence(
    tmp_path: Path,
    home: Home,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    told: str,
) -> None:
    monkeypatch.delenv("AIRFLOW_FERNET_KEY", raising=False)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    sqlite3.connect(tmp_path / "empty.db").execute("CREATE TABLE x (y)").connection.close()
    places = {
        "plain": f"sqlite:///{write(tmp_path, 'plain.db', 'no database ' * 20)}",
        "empty": f"sqlite:///{tmp_path / 'empty.db'}",
        "airflow": make_airflow(tmp_path / "airflow.db"),
        "uris": write(tmp_path, "a.json", {"x": "http://y"}),
        "slots": write(tmp_path, "b.json", {"p": {"slots": "many"}}),
        "broken": write(tmp_path, "c.json", "{"),
        "short": write(tmp_path, "short", "short"),
        "second": write(tmp_path, "second", f"{KEY},short"),
        "none": write(tmp_path, "none", " \n"),
        "other": write(tmp_path, "other", Fernet.generate_key().decode()),
    }
    assert main(["migrate", "import", *(one.format(**places) for one in arguments)], obj=home) == 1
    error = capsys.readouterr().err
    assert told.format(**places) in error
    assert len(error.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ["--database", "sqlite:////a", "--fernet-key", KEY],
            "--fernet-key would show the key in the list of processes",
        ),
        (["a.json", "--airflow-fernet-key-file", "b"], "--airflow-fernet-key-file decrypts a database"),
        ([], "name files of `airflow ... export`"),
    ],
)
def test_arguments_that_do_not_fit_are_refused_with_what_to_do(
    home: Home, capsys: pytest.CaptureFixture[str], arguments: list[str], told: str
) -> None:
    assert main(["migrate", "import", *arguments], obj=home) == 2
    error = capsys.readouterr().err
    assert told in error
    assert KEY not in error
