"""Connections and Variables: where they come from, how they read and write."""

from __future__ import annotations

import asyncio
import json
import traceback
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import quote

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnomon.authoring.sdk.connections import channel, secret_masking
from gnomon.authoring.sdk.connections.connection import BaseHook, Connection, ConnectionModel
from gnomon.authoring.sdk.connections.variable import Variable
from gnomon.model.errors.authoring import AirflowException, AirflowNotFoundException
from gnomon.model.task_api_requests import DeleteVariable, GetConnection, GetVariable, ListVariables, SetVariable

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=8)


class Server:
    """Answers from two dicts."""

    def __init__(self, variables: dict[str, str], connections: dict[str, dict[str, Any]] | None = None) -> None:
        self.variables = variables
        self.connections = connections or {}

    def ask(self, question: object) -> object:
        match question:
            case GetVariable(key=key):
                return self.variables.get(key)
            case SetVariable(key=key, value=value):
                self.variables[key] = value
                return None
            case DeleteVariable(key=key):
                return self.variables.pop(key, None) is not None
            case ListVariables(prefix=prefix):
                return sorted(key for key in self.variables if key.startswith(prefix))
            case GetConnection(conn_id=conn_id):
                return self.connections.get(conn_id)
        raise AssertionError(question)


def test_a_uri_gives_the_fields() -> None:
    found = Connection.from_uri("postgresql://me:p%40ss@Db.Example:5433/my%2Fdb?sslmode=require", "c")
    assert (found.conn_type, found.login, found.password, found.host, found.port, found.schema) == (
        "postgres",
        "me",
        "p@ss",
        "Db.Example",
        5433,
        "my/db",
    )
    assert found.extra_dejson == {"sslmode": "require"}


TYPED = "http://h?timeout=5&b=true&n=null&l=%5B1%5D&t=text&e=&q=%225%22&nan=NaN"


def test_values_in_the_query_of_a_uri_are_texts_in_a_task_and_json_in_the_class_of_models_and_on_the_command_line() -> (
    None
):
    """As in Airflow 3.3: its Task SDK keeps texts, its database has what they read as."""
    texts = {"timeout": "5", "b": "true", "n": "null", "l": "[1]", "t": "text", "e": "", "q": '"5"', "nan": "NaN"}
    typed = {"timeout": 5, "b": True, "n": None, "l": [1], "t": "text", "e": "", "q": "5", "nan": "NaN"}
    assert Connection.from_uri(TYPED).extra_dejson == Connection("c", uri=TYPED).extra_dejson == texts
    stored = ConnectionModel("c", uri=TYPED)
    assert stored.extra_dejson == ConnectionModel.from_uri(TYPED).extra_dejson == typed
    assert ConnectionModel.from_uri(stored.get_uri()).extra_dejson == typed
    assert ConnectionModel("c", uri='http://h?__extra__=%7B"a"%3A+"5"%7D').extra_dejson == {"a": "5"}


def test_a_connection_of_a_hook_is_one_of_the_class_of_models() -> None:
    assert (
        isinstance(Connection("c"), ConnectionModel)
        and isinstance(ConnectionModel("c"), Connection)
        and not isinstance("c", ConnectionModel)
    )
    assert Connection("c", host="h") == ConnectionModel("c", host="h")


@pytest.mark.parametrize(
    "port", [99999, 65536, -1, 2**40, "99999", "-1", 80.5, float("nan"), float("inf"), True, "8O"], ids=repr
)
def test_a_port_that_no_address_has_is_refused_at_every_door(port: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {"environment": json.dumps({"conn_type": "http", "port": port}), "uri": f"http://h:{port}"}
    with pytest.raises(AirflowException, match="Connection 'c'.*port"):
        Connection("c", port=port)
    with pytest.raises(AirflowException, match="Connection 'c'.*port"):
        Connection.from_json(texts["environment"], "c")
    for text in texts.values():
        monkeypatch.setenv("AIRFLOW_CONN_C", text)
        with pytest.raises(AirflowException, match="Connection 'c'.*port"):
            Connection.get("c")
    monkeypatch.delenv("AIRFLOW_CONN_C")
    before = channel.install_channel(Server({}, {"c": {"conn_type": "http", "port": port}}))
    try:
        with pytest.raises(AirflowException, match="Connection 'c'.*port"):
            Connection.get("c")
    finally:
        channel.install_channel(before)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_an_extra_with_a_number_that_json_does_not_have_is_refused_at_every_door(
    number: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    extra = f'{{"a": [{number}]}}'
    for make in (
        lambda: Connection("c", extra=extra),
        lambda: Connection("c", extra={"a": float(number.lower())}),
        lambda: Connection.from_json(json.dumps({"conn_type": "a", "extra": extra}), "c"),
        lambda: Connection.from_json(f'{{"conn_type": "a", "extra": {extra}}}', "c"),
        lambda: Connection.from_uri(f"a://?__extra__={quote(extra)}", "c"),
    ):
        with pytest.raises(
            AirflowException, match=f"Connection 'c': extra has {number}, which is not a number of JSON"
        ):
            make()
    monkeypatch.setenv("AIRFLOW_CONN_C", f'{{"conn_type": "a", "extra": {extra}}}')
    with pytest.raises(AirflowException, match=f"extra has {number}"):
        Connection.get("c")


def test_writing_a_connection_says_nothing_of_short_secrets(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command that exports connections is none in whose output such a word helps."""
    monkeypatch.setattr(secret_masking, "_has_warned_of_short_secret", False)
    made = Connection("c", "http", password="p@", extra={"password": "ab"})
    assert "ab" in made.get_uri() and "ab" in made.as_json()
    assert caplog.text == ""


def test_a_uri_may_hold_an_address_with_its_own_protocol() -> None:
    found = Connection.from_uri("http://https://example.org:8080/path")
    assert (found.conn_type, found.host, found.port) == ("http", "https://example.org", 8080)
    assert Connection.from_uri(found.get_uri()) == found


@pytest.mark.parametrize(
    ("uri", "schema"),
    [
        ("sqlite:////tmp/a%20b.db", "/tmp/a b.db"),
        ("sqlite:///relative.db", "relative.db"),
        ("sqlite:////tmp/x.db?mode=ro", "/tmp/x.db"),
    ],
)
def test_a_uri_without_a_host_holds_a_path(uri: str, schema: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW_CONN_C", uri)
    found = Connection.get("c")
    assert (found.conn_type, found.host, found.login, found.schema) == ("sqlite", "", None, schema)
    assert Connection.from_uri(found.get_uri(), "c").schema == schema


def test_an_underscore_in_the_type_is_a_dash_in_the_uri() -> None:
    found = Connection(conn_type="google_cloud_platform", extra={"a": {"b": 1}})
    assert found.get_uri().startswith("google-cloud-platform://")
    read = Connection.from_uri(found.get_uri())
    assert (read.conn_type, read.extra_dejson) == ("google_cloud_platform", {"a": {"b": 1}})


@settings(derandomize=True, deadline=None)
@given(
    st.none() | TEXT,
    st.none() | TEXT,
    st.none() | TEXT,
    st.none() | st.integers(1, 65535),
    st.none() | st.dictionaries(TEXT, TEXT | st.integers() | st.none(), min_size=1, max_size=3),
)
def test_uri_and_json_read_back_what_they_wrote(
    login: str | None, password: str | None, schema: str | None, port: int | None, extra: dict[str, Any] | None
) -> None:
    written = Connection(
        conn_id="c", conn_type="mysql", host="db", login=login, password=password, schema=schema, port=port, extra=extra
    )
    for read in (Connection.from_uri(written.get_uri(), "c"), Connection.from_json(written.as_json(), "c")):
        assert {key: item or None for key, item in read.to_dict().items()} == {
            key: item or None for key, item in written.to_dict().items()
        }


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Connection("c", port="many"), "port must be a number"),
        (lambda: Connection("c", uri="a://b", host="c"), "either uri="),
        (lambda: Connection("c", extra="[1]"), "extra must be a JSON object"),
        (lambda: Connection.from_json("{", "c"), "does not read as JSON"),
        (lambda: Connection.from_json('{"hots": "x"}', "c"), "unknown keys: hots"),
        (lambda: Connection.from_uri("a://b:x", "c"), "port in its URI is not a number"),
    ],
)
def test_a_wrong_connection_is_named(make: Any, words: str) -> None:
    with pytest.raises(AirflowException, match=words) as found:
        make()
    assert "'c'" in str(found.value)


@pytest.mark.parametrize(
    "text",
    [
        "postgres://me:s3cret@[::1/db",
        "postgres://me:s3cret@h\u2100/db",
        "postgres://me:s3cret@h:many/db",
        '{"password": "s3cret"',
        '{"conn_type": "http", "extra": "[\\"s3cret\\"]"}',
        '{"conn_type": "http", "extra": ["s3cret"]}',
    ],
)
def test_a_wrong_connection_is_not_shown(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW_CONN_C", text)
    with pytest.raises(AirflowException, match="^Connection 'c'") as found:
        Connection.get("c")
    assert "s3cret" not in "".join(traceback.format_exception(found.value))


def test_a_text_that_is_no_object_is_not_shown() -> None:
    with pytest.raises(AirflowException, match="must be a JSON object, not a str") as found:
        Connection.from_json('"http://me:s3cret@h"', "c")
    assert "s3cret" not in str(found.value)


def test_a_connection_shows_no_password() -> None:
    assert "s3cret" not in repr(Connection("c", "http", host="https://me:s3cret@h", password="s3cret"))


def test_the_environment_wins_over_the_store(monkeypatch: pytest.MonkeyPatch) -> None:
    channel.install_channel(Server({"k": "stored"}, {"c": {"conn_type": "ftp", "host": "stored"}}))
    assert (Variable.get("k"), BaseHook.get_connection("c").host) == ("stored", "stored")
    monkeypatch.setenv("AIRFLOW_VAR_K", "environment")
    monkeypatch.setenv("AIRFLOW_CONN_C", '{"conn_type": "http", "host": "environment"}')
    assert (Variable.get("k"), Connection.get("c").host) == ("environment", "environment")
    monkeypatch.setenv("GNOMON_VAR_K", "ours")
    monkeypatch.setenv("GNOMON_CONN_C", "http://ours")
    assert (Variable.get("k"), Connection.get("c").host) == ("ours", "ours")


def test_a_coroutine_gets_a_connection_without_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    class Asynchronous(Server):
        async def ask_async(self, question: object) -> object:
            await asyncio.sleep(0)
            return self.ask(question)

    async def get(conn_id: str) -> str | None:
        asyncio.get_running_loop().set_default_executor(closed)
        return (await Connection.async_get(conn_id)).host

    closed = ThreadPoolExecutor(1)
    closed.shutdown()
    channel.install_channel(Asynchronous({}, {"c": {"conn_type": "ftp", "host": "stored"}}))
    assert asyncio.run(get("c")) == "stored"
    monkeypatch.setenv("AIRFLOW_CONN_C", "ftp://environment")
    assert asyncio.run(get("c")) == "environment"
    with pytest.raises(AirflowNotFoundException, match="absent"):
        asyncio.run(get("absent"))


def test_without_a_server_the_message_says_so() -> None:
    with pytest.raises(KeyError, match="without Gnomon"):
        Variable.get("k")
    with pytest.raises(AirflowNotFoundException, match="GNOMON_CONN_C"):
        Connection.get("c")
    with pytest.raises(channel.ChannelNotOpen, match="gnomon dags test"):
        Variable.set("k", "v")
    assert Variable.get("k", default=None) is None
    assert Variable.get("k", default_var="old") == "old"


def test_variables_are_set_listed_and_deleted() -> None:
    channel.install_channel(Server({}))
    Variable.set("a.json", {"x": [1]}, serialize_json=True)
    Variable.set("b", 5)
    assert Variable.get("a.json", deserialize_json=True) == {"x": [1]}
    assert Variable.get("b") == "5"
    assert Variable.keys("a") == ["a.json"]
    assert Variable.setdefault("b", "other") == "5"
    assert Variable.setdefault("c", [2], deserialize_json=True) == [2]
    Variable.update("b", "6")
    assert (Variable.delete("b"), Variable.delete("b")) == (1, 0)
    with pytest.raises(KeyError, match="gnomon variables set"):
        Variable.get("b")
    with pytest.raises(KeyError):
        Variable.update("b", "7")


def test_a_variable_that_is_not_json_is_named() -> None:
    channel.install_channel(Server({"k": "{"}))
    with pytest.raises(ValueError, match="Variable 'k' is not JSON"):
        Variable.get("k", deserialize_json=True)


def test_nested_json_in_extra_is_parsed_on_request() -> None:
    found = Connection(extra={"a": '{"b": 1}', "c": "text"})
    assert found.get_extra_dejson(nested=True) == {"a": {"b": 1}, "c": "text"}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"key": "k", "value": "\ud83d"}, "SetVariable: value contains a lone surrogate"),
        ({"key": "k", "value": "x", "description": "\ud83d"}, "SetVariable: description contains"),
        ({"key": "\ud83d", "value": "x"}, "SetVariable: key contains"),
    ],
)
def test_a_text_that_no_message_can_hold_is_named(given: dict[str, Any], words: str) -> None:
    class Encoding(Server):
        def ask(self, question: object) -> object:
            msgspec.msgpack.encode(question)
            return super().ask(question)

    before = channel.install_channel(Encoding({}))
    try:
        with pytest.raises(ValueError, match=words):
            Variable.set(**given)
    finally:
        channel.install_channel(before)
