"""XCom back ends: a class of the author decides what is stored, and reads it back."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gnomon.author_code.context.event_source import AssetEventSource
from gnomon.author_code.context.xcom_access import AttemptXComs
from gnomon.authoring.sdk.connections import channel
from gnomon.authoring.sdk.members.lazy_xcoms import LazyXComSequence
from gnomon.authoring.sdk.nodes.authoring_state import set_current_context
from gnomon.authoring.sdk.runtime import xcom
from gnomon.authoring.sdk.runtime.xcom import BaseXCom, SerializedXCom, decode_xcom, default_backend, encode_xcom
from gnomon.ground.config import load_config, set_current_config
from gnomon.model.attempts import Attempt, RunFacts
from gnomon.model.errors.authoring import AirflowConfigException, AirflowException
from gnomon.model.serde import dumps, loads

NAMES: dict[str, Any] = {"key": "k", "task_id": "t", "dag_id": "d", "run_id": "r", "map_index": -1}
BACKENDS = '''
from gnomon.authoring.sdk.runtime.xcom import BaseXCom
import json

STORE = {}

class References(BaseXCom):
    """Stores the value elsewhere, and a reference through the base class."""
    @staticmethod
    def serialize_value(value, *, key=None, task_id=None, dag_id=None, run_id=None, map_index=None):
        name = f"{dag_id}/{run_id}/{task_id}/{map_index}/{key}"
        STORE[name] = value
        return BaseXCom.serialize_value("ref:" + name)
    @staticmethod
    def deserialize_value(result):
        return STORE[BaseXCom.deserialize_value(result).removeprefix("ref:")]

class Bytes(BaseXCom):
    """As for Airflow 2: bytes, and fewer arguments."""
    @staticmethod
    def serialize_value(value, key=None):
        return json.dumps({"mine": value}).encode()
    @staticmethod
    def deserialize_value(result):
        return BaseXCom.deserialize_value(result)["mine"]

class Text(BaseXCom):
    @staticmethod
    def serialize_value(value, **names):
        return "text of " + str(value)
    @staticmethod
    def deserialize_value(result):
        return (result.value, result.key, result.task_id)

no_class = 1
'''


class Server:
    """A channel that knows one XCom of another task."""

    def ask(self, question: Any) -> object:
        return (
            [] if question.task_ids != ("up",) else [{"task_id": "up", "map_index": -1, "value": dumps([1], what="x")}]
        )


@pytest.fixture(autouse=True)
def backends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "my_backends.py").write_text(BACKENDS)
    monkeypatch.syspath_prepend(tmp_path)
    yield
    sys.modules.pop("my_backends", None)
    xcom._load_backend.cache_clear()
    set_current_config(None)


@pytest.fixture
def use(tmp_path: Path) -> Callable[[str], None]:
    return lambda path: set_current_config(load_config({"GNOMON__CORE__XCOM_BACKEND": path}, tmp_path))


@pytest.fixture
def xcoms() -> Iterator[AttemptXComs]:
    """Those of a running task, which is the current one."""
    run = RunFacts(run_pk=1, dag_id="d", run_id="r", run_type="manual", run_after=0)
    attempt = Attempt(attempt_id="a", group_no=0, epoch=1, run=run, task_id="t", task_no=0, file="")
    made = AttemptXComs(attempt, Server())
    ti = SimpleNamespace(
        task_id="t",
        dag_id="d",
        run_id="r",
        map_index=-1,
        xcom_push=made.push,
        xcom_pull=lambda **kw: made.pull(
            kw["task_ids"], kw["dag_id"], kw["key"], False, kw.get("map_indexes"), None, kw["run_id"]
        ),
    )
    with set_current_context({"ti": ti}):
        yield made


@pytest.mark.parametrize("path", ["", "airflow.models.xcom.BaseXCom", "airflow.sdk.execution_time.xcom.BaseXCom"])
def test_the_default_back_end_stores_typed_json(use: Callable[[str], None], path: str) -> None:
    use(path)
    assert encode_xcom((1, 2), what="x", key="k") == dumps((1, 2), what="x")
    assert decode_xcom(dumps((1, 2), what="x"), **NAMES) == (1, 2)


def test_a_reference_is_stored_and_the_value_comes_back(use: Callable[[str], None], xcoms: AttemptXComs) -> None:
    use("my_backends.References")
    xcoms.push("k", {"big": True})
    assert loads(xcoms.pushed_xcoms["k"]) == "ref:d/r/t/-1/k"
    assert xcoms.pull("t", None, "k", False, None, None, None) == {"big": True}


@pytest.mark.parametrize(
    ("path", "read"), [("my_backends.Bytes", [3]), ("my_backends.Text", ("text of [3]", "k", "t"))]
)
def test_a_back_end_may_store_bytes_or_text_of_its_own(
    use: Callable[[str], None], xcoms: AttemptXComs, path: str, read: object
) -> None:
    use(path)
    xcoms.push("k", [3])
    assert xcoms.pull("t", None, "k", False, None, None, None) == read


def test_a_value_that_the_default_stored_is_given_to_the_back_end_as_its_base_class_reads_it(
    use: Callable[[str], None],
) -> None:
    use("my_backends.Text")
    value, _, _ = decode_xcom(dumps([1], what="x"), **NAMES)
    assert isinstance(value, SerializedXCom) and BaseXCom.deserialize_value(value) == [1]


def test_without_the_back_end_its_own_form_is_shown(use: Callable[[str], None], xcoms: AttemptXComs) -> None:
    use("my_backends.Text")
    xcoms.push("k", 3)
    use("")
    assert decode_xcom(xcoms.pushed_xcoms["k"], **NAMES) == "text of 3"


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("nope.Files", r"'nope.Files', which cannot be imported: No module named 'nope'"),
        ("my_backends.Gone", "cannot be imported"),
        ("no_module", "cannot be imported"),
        ("my_backends.no_class", "not a subclass of airflow.sdk.bases.xcom.BaseXCom"),
    ],
)
def test_a_back_end_that_cannot_be_used_is_named(use: Callable[[str], None], path: str, words: str) -> None:
    use(path)
    with pytest.raises(
        AirflowConfigException, match=rf"\[core\] xcom_backend is {words}" if words.startswith("'") else words
    ):
        encode_xcom(1, what="x", key="k")
    with default_backend():
        assert encode_xcom(1, what="x", key="k") == "1"


def test_the_values_of_a_mapped_task_come_back(
    use: Callable[[str], None], xcoms: AttemptXComs, monkeypatch: pytest.MonkeyPatch
) -> None:
    use("my_backends.References")
    xcoms.push("k", [1, 2])
    stored = xcoms.pushed_xcoms["k"]
    answers = {"GetXComCount": 2, "GetXComBatch": [stored, stored]}
    monkeypatch.setattr(
        channel, "ask", lambda question: answers[type(question).__name__] if getattr(question, "start", 0) == 0 else []
    )
    arg = SimpleNamespace(operator=SimpleNamespace(dag_id="d", task_id="t"), key="k")
    assert list(LazyXComSequence(xcom_arg=arg, ti=SimpleNamespace(run_id="r"))) == [[1, 2], [1, 2]]


def test_the_value_of_the_source_of_an_asset_event_comes_back(
    use: Callable[[str], None], xcoms: AttemptXComs, monkeypatch: pytest.MonkeyPatch
) -> None:
    use("my_backends.References")
    xcoms.push("k", {"big": True})
    monkeypatch.setattr(
        channel, "ask", lambda question: [{"task_id": "t", "map_index": -1, "value": xcoms.pushed_xcoms["k"]}]
    )
    assert AssetEventSource("d", "t", "r").xcom_pull(key="k") == {"big": True}


def test_the_class_reads_xcoms_and_pushes_those_of_its_task(use: Callable[[str], None], xcoms: AttemptXComs) -> None:
    use("")
    where: dict[str, Any] = {"dag_id": "d", "run_id": "r"}
    assert BaseXCom.get_one(key="k", task_id="up", **where) == [1]
    assert BaseXCom.get_value(ti_key=SimpleNamespace(task_id="up", map_index=-1, **where), key="k") == [1]
    assert BaseXCom.get_all(key="k", task_id="up", **where) == [[1]]
    BaseXCom.set("mine", 2, task_id="t")
    assert json.loads(xcoms.pushed_xcoms["mine"]) == 2
    with pytest.raises(AirflowException, match="a task can only push XComs of its own"):
        BaseXCom.set("mine", 2, task_id="up")
    with pytest.raises(AirflowException, match="deleted when their task is cleared"):
        BaseXCom.delete(key="k")
