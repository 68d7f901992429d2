"""`gnomon connections`, and the files of connections, Variables and pools."""

from __future__ import annotations

import io
import json
import stat
from pathlib import Path

import pytest
import yaml
from tests.unit.entry.cli.conftest import Gnomon

from gnomon.changes.operations import connection_operations
from gnomon.entry.cli.deployment.home import Home

URI = "postgres://me:p%40ss%2Fword@db.test:5432/sales?sslmode=disable"
WARNING = (
    "gnomon: warning: no installed package has a hook for connections of type 'postgrs'. Did you mean 'postgres'?\n"
)


@pytest.fixture(autouse=True)
def _types(monkeypatch: pytest.MonkeyPatch, home: Home) -> None:
    """The types are found in a process of their own, which tests/acceptance starts."""
    monkeypatch.setattr(connection_operations, "ask_and_wait", lambda *_, **__: ["http", "postgres"])


def test_a_connection_is_added_shown_changed_and_deleted(gnomon: Gnomon) -> None:
    assert gnomon("connections", "list").out == "no connections; `gnomon connections add` adds one\n"
    added = gnomon("connections", "add", "db", "--conn-uri", URI)
    assert (added.code, added.out, added.err) == (0, "added connection db\n", "")
    shown = gnomon("connections", "get", "db").out
    assert "p@ss" not in shown
    assert "postgres://me:***@db.test:5432/sales?sslmode=disable" in shown
    row = json.loads(gnomon("connections", "get", "db", "--show-secrets", "-o", "json").out)
    assert (row["password"], row["uri"], row["port"]) == ("p@ss/word", URI, 5432)
    assert gnomon("connections", "set", "db", "--conn-port", "6000", "--conn-description", "of sales").code == 0
    (row,) = json.loads(gnomon("connections", "list", "--conn-id", "db", "-o", "json").out)
    assert (row["port"], row["description"], row["host"], row["password"]) == (6000, "of sales", "db.test", "***")
    assert gnomon("connections", "delete", "db").out == "deleted connection db\n"
    assert gnomon("connections", "list", "-o", "json").out == "[]\n"


def test_a_secret_is_read_from_standard_input(gnomon: Gnomon, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("of the pipe\n"))
    assert gnomon("connections", "set", "web", "--conn-type", "http", "--conn-password").code == 0
    assert (
        json.loads(gnomon("connections", "get", "web", "--show-secrets", "-o", "json").out)["password"] == "of the pipe"
    )
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert gnomon("connections", "set", "web", "--conn-password", "-").err == (
        "gnomon: standard input has no line with the password; write it there, or give it as an argument\n"
    )


def test_values_in_the_query_of_a_uri_are_stored_as_json(gnomon: Gnomon) -> None:
    assert gnomon("connections", "add", "typed", "--conn-uri", "http://h?timeout=5&verify=false&name=x").code == 0
    shown = json.loads(gnomon("connections", "get", "typed", "-o", "json").out)
    extra = shown[0]["extra"] if isinstance(shown, list) else shown["extra"]
    assert (json.loads(extra) if isinstance(extra, str) else extra) == {"timeout": 5, "verify": False, "name": "x"}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["add", "x"], "nothing is given; give --conn-uri, --conn-json, or --conn-type and other fields"),
        (["add", "x", "--conn-host", "h"], "connection 'x' has no type; give --conn-type"),
        (["add", "a b", "--conn-type", "http"], "'a b' cannot be the id of a connection"),
        (
            ["add", "x", "--conn-uri", URI, "--conn-host", "h"],
            "--conn-uri is the whole connection: leave --conn-host out",
        ),
        (["add", "x", "--conn-uri", URI, "--conn-json", "{}"], "give either --conn-uri or --conn-json, not both"),
        (["add", "x", "--conn-json", "{"], "Connection 'x' does not read as JSON"),
        (["add", "x", "--conn-type", "http", "--conn-extra", "[]"], "Connection 'x': extra must be a JSON object."),
        (
            ["add", "x", "--conn-type", "http", "--conn-extra", "timeout=5"],
            "connection 'x': extra is no JSON (Expecting value at character 1); give an object, such as --conn-extra '{\"timeout\": 5}'",
        ),
        (
            ["add", "db", "--conn-type", "http"],
            "there is a connection 'db' already; change it with `gnomon connections set`",
        ),
        (["get", "dbb"], "there is no stored connection 'dbb'; did you mean 'db'?"),
        (["list", "--conn-id", "dbb"], "there is no stored connection 'dbb'; did you mean 'db'?"),
        (
            ["delete", "nothing"],
            "there is no stored connection 'nothing'; `gnomon connections list` lists all stored connections",
        ),
        (["test", "nothing"], "there is no stored connection 'nothing'"),
    ],
)
def test_a_mistake_is_a_sentence(gnomon: Gnomon, words: list[str], sentence: str) -> None:
    gnomon("connections", "add", "db", "--conn-uri", URI)
    ended = gnomon("connections", *words)
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith(f"gnomon: {sentence}")
    assert ended.err.count("\n") == 1


def test_an_unknown_type_is_a_warning(gnomon: Gnomon) -> None:
    ended = gnomon("connections", "add", "db", "--conn-type", "postgrs")
    assert (ended.code, ended.err) == (0, WARNING)


@pytest.mark.parametrize(
    "words",
    [
        ["c.json"],
        ["c.yaml"],
        ["c.yml"],
        ["c.env"],
        ["c.env", "--serialization-format", "json"],
        ["c.json", "--file-format", "json"],
    ],
)
def test_what_is_exported_is_imported_again(gnomon: Gnomon, tmp_path: Path, words: list[str]) -> None:
    gnomon("connections", "add", "db", "--conn-uri", URI)
    gnomon(
        "connections",
        "add",
        "web",
        "--conn-type",
        "http",
        "--conn-password",
        "50% off",
        "--conn-extra",
        '{"a": {"b": [1]}}',
        "--conn-host",
        "https://h",
    )
    before = gnomon("connections", "list", "-o", "json").out
    file = tmp_path / words[0]
    file.touch(0o644)
    assert gnomon("connections", "export", str(file), *words[1:]).code == 0
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    kept = gnomon("connections", "import", str(file))
    assert (kept.out, kept.err.endswith("were left as they are (--overwrite replaces them): db, web\n")) == (
        f"imported 0 of 2 connections from {file}\n",
        True,
    )
    gnomon("connections", "delete", "db")
    gnomon("connections", "set", "web", "--conn-password", "another")
    assert gnomon("connections", "import", str(file), "--overwrite").out == f"imported 2 of 2 connections from {file}\n"
    assert gnomon("connections", "list", "-o", "json").out == before
    assert json.loads(gnomon("connections", "get", "web", "--show-secrets", "-o", "json").out)["password"] == "50% off"


@pytest.mark.parametrize("port", ["-1", "65536", "99999"])
def test_a_port_that_no_address_has_is_refused_so_that_what_is_exported_can_be_imported(
    gnomon: Gnomon, tmp_path: Path, port: str
) -> None:
    for words in (
        ("--conn-type", "http", "--conn-port", port),
        ("--conn-uri", f"http://h:{port}"),
        ("--conn-json", f'{{"conn_type": "http", "port": {port}}}'),
    ):
        refused = gnomon("connections", "add", "web", *words)
        assert refused.code in (1, 2) and "65535" in refused.err, refused
    file = tmp_path / "c.json"
    file.write_text(f'{{"web": {{"conn_type": "http", "port": {port}}}}}')
    refused = gnomon("connections", "import", str(file))
    assert (refused.code, "from 0 to 65535" in refused.err) == (1, True), refused
    assert (
        gnomon("connections", "add", "web", "--conn-type", "http", "--conn-host", "h", "--conn-port", "65535").code == 0
    )


def test_an_export_of_airflow_is_imported(gnomon: Gnomon, tmp_path: Path) -> None:
    file = tmp_path / "airflow.json"
    entry = {
        "conn_type": "http",
        "description": "",
        "login": "me",
        "password": "pw",
        "host": "h",
        "port": 80,
        "schema": "",
        "extra": '{"x": 1}',
    }
    file.write_text(json.dumps({"one": entry, "two": URI, "three": {**entry, "extra": {"x": 1}}}))
    assert gnomon("connections", "import", str(file)).out == f"imported 3 of 3 connections from {file}\n"
    rows = {row["conn_id"]: row for row in json.loads(gnomon("connections", "list", "-o", "json").out)}
    assert rows["one"] | {"conn_id": "", "extra": ""} == rows["three"] | {"conn_id": "", "extra": ""}
    assert rows["two"]["conn_type"] == "postgres"


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("a.json", "{", "{file}, line 1: it is not valid JSON: "),
        ("a.json", "[1]", "{file} must hold one object with names as its keys, not a list"),
        (
            "a.json",
            '{"x": 1}',
            "{file}: connection 'x' must be a URI or an object with fields such as conn_type and host, not a int",
        ),
        (
            "a.json",
            '{"x": {"conn_type": "a"}, "x": {}}',
            "{file}: 'x' is there twice in one object; remove one of them",
        ),
        ("a.json", '{"x": {"kind": "a"}}', "{file}: Connection 'x' has unknown keys: kind. Known are: "),
        ("a.json", '{"x": {"host": "a"}}', "{file}: connection 'x' has no type; nothing was imported"),
        ("a.yaml", "a:\n  b: [", "{file}, line "),
        ("a.env", "# text\nx", "{file}, line 2: write it as NAME=VALUE"),
        ("a.env", "x=http://h\nx=http://h", "{file}, line 2: 'x' is there twice; remove one of the lines"),
        ("a.ini", "", "the format of {file} is not known: its name must end in .json, .yaml, .yml or .env"),
    ],
)
def test_a_mistake_in_a_file_is_a_sentence(gnomon: Gnomon, tmp_path: Path, name: str, text: str, sentence: str) -> None:
    file = tmp_path / name
    file.write_text(text)
    ended = gnomon("connections", "import", str(file))
    assert (ended.code, ended.out) == (1, "")
    assert sentence.replace("{file}", str(file)) in ended.err
    assert gnomon("connections", "list", "-o", "json").out == "[]\n"


@pytest.mark.parametrize("name", ["v.json", "v.yaml"])
def test_variables_are_exported_and_imported_again(gnomon: Gnomon, tmp_path: Path, name: str) -> None:
    values = {"text": "a text", "number": "007", "json": '{\n  "value": [\n    1\n  ]\n}', "lines": "one\ntwo"}
    for key, value in values.items():
        gnomon("variables", "set", key, value, "--description", f"of {key}")
    before = gnomon("variables", "list", "--show-values", "-o", "json").out
    file = tmp_path / name
    assert gnomon("variables", "export", str(file)).code == 0
    gnomon("variables", "delete", "json")
    gnomon("variables", "set", "text", "another")
    assert gnomon("variables", "import", str(file), "-a", "skip").out == f"imported 1 of 4 Variables from {file}\n"
    assert gnomon("variables", "get", "text").out == "another\n"
    failed = gnomon("variables", "import", str(file), "-a", "fail")
    assert failed.err == "gnomon: these Variables exist, so nothing was imported: json, lines, number, text\n"
    assert gnomon("variables", "import", str(file)).code == 0
    assert gnomon("variables", "list", "--show-values", "-o", "json").out == before


def test_pools_are_exported_and_imported_again(gnomon: Gnomon, tmp_path: Path) -> None:
    gnomon("pools", "set", "narrow", "2", "for one", "--include-deferred")
    file = tmp_path / "pools.yaml"
    assert gnomon("pools", "export", str(file)).out == f"exported 2 pools to {file}\n"
    assert yaml.safe_load(file.read_text())["narrow"] == {
        "slots": 2,
        "description": "for one",
        "include_deferred": True,
    }
    before = gnomon("pools", "list", "-o", "json").out
    gnomon("pools", "delete", "narrow")
    assert gnomon("pools", "import", str(file)).out == f"imported 2 pools from {file}\n"
    assert gnomon("pools", "list", "-o", "json").out == before
    file.write_text("narrow: {slots: many}")
    assert gnomon("pools", "import", str(file)).err == (
        f"gnomon: {file}: pool 'narrow' needs \"slots\", a whole number from -1 (no limit); nothing was imported\n"
    )


@pytest.mark.parametrize("port", [99999, -1])
def test_a_port_that_no_address_has_is_refused_by_each_command(gnomon: Gnomon, tmp_path: Path, port: int) -> None:
    """So that whatever is stored can be exported, and imported again."""
    assert gnomon("connections", "add", "c", "--conn-uri", "http://h:80").code == 0
    env, file = tmp_path / "c.env", tmp_path / "c.json"
    env.write_text(f"d=http://h:{port}\n")
    file.write_text(json.dumps({"d": {"conn_type": "http", "port": port}}))
    for arguments in (
        ("add", "d", "--conn-type", "http", "--conn-port", str(port)),
        ("add", "d", "--conn-json", json.dumps({"conn_type": "http", "port": port})),
        ("add", "d", "--conn-uri", f"http://h:{port}"),
        ("set", "c", "--conn-port", str(port)),
        ("import", str(env)),
        ("import", str(file)),
    ):
        ended = gnomon("connections", *arguments)
        assert ended.code != 0 and ("65535" in ended.err or "65_535" in ended.err) and "Traceback" not in ended.err, (
            arguments,
            ended,
        )
    assert [row["port"] for row in json.loads(gnomon("connections", "list", "-o", "json").out)] == [80]


@pytest.mark.parametrize(
    "arguments", [("--conn-extra", '{"a": NaN}'), ("--conn-json", '{"conn_type": "http", "extra": {"a": NaN}}')]
)
def test_an_extra_with_nan_is_refused_by_commands(gnomon: Gnomon, arguments: tuple[str, str]) -> None:
    ended = gnomon("connections", "add", "d", *arguments, *(("--conn-type", "http") if "extra" in arguments[0] else ()))
    assert (ended.code, ended.out) == (1, "") and "extra has NaN, which is not a number of JSON" in ended.err
