"""What XComs, arguments of triggers and payloads of events hold beyond JSON: values of libraries and objects of allowed classes."""

from __future__ import annotations

import collections
import dataclasses
import datetime as dt
import enum
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import attr
import kubernetes.client.models as k8s
import numpy as np
import pandas as pd
import pendulum
import pydantic
import pytest

from gnomon.authoring.sdk.arguments.params import Param
from gnomon.authoring.sdk.assets import Asset, AssetAlias, AssetNameRef, AssetUriRef, AssetWatcher, Dataset, Model
from gnomon.authoring.sdk.connections.connection import Connection
from gnomon.authoring.sdk.connections.variable import Variable
from gnomon.authoring.sdk.deferral.triggers import BaseEventTrigger
from gnomon.authoring.sdk.serialization import allowed_classes
from gnomon.authoring.sdk.serialization.value_codec import dumps, loads
from gnomon.ground.config import load_config, set_current_config
from gnomon.model.attempts import measure_json
from gnomon.model.errors.authoring import ClassNotAllowed, DeserializationError, NotSerializable
from gnomon.model.serde import loads as load_without_classes

Allow = Callable[..., None]


@dataclasses.dataclass
class Order:
    number: int
    parts: list[Any] = dataclasses.field(default_factory=list)
    checked: bool = dataclasses.field(init=False, default=False)


@dataclasses.dataclass(frozen=True, slots=True)
class Frozen:
    name: str


@attr.define
class Line:
    text: str
    _amount: float = 0.0
    cached: int = attr.field(init=False, default=3)


class Offer(pydantic.BaseModel):
    number: int = pydantic.Field(alias="offerNumber")
    until: dt.datetime
    line: Inner | None = None

    @pydantic.computed_field  # type: ignore[prop-decorator]
    @property
    def label(self) -> str:
        return f"offer {self.number}"


class Inner(pydantic.BaseModel):
    rows: tuple[int, ...]


class Newer:
    __version__ = 2

    def __init__(self, text: str) -> None:
        self.text = text

    def serialize(self) -> dict[str, Any]:
        return {"text": self.text, "at": dt.date(2024, 1, 1)}

    @staticmethod
    def deserialize(data: dict[str, Any], version: int) -> Newer:
        assert (version, data["at"]) == (2, dt.date(2024, 1, 1))
        return Newer(data["text"])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Newer) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


class Outer:
    @dataclasses.dataclass
    class Nested:
        x: int


Point = collections.namedtuple("Point", "x y")


class Colour(str, enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 3


class Plain(enum.Enum):
    A = 1


class Bare:
    pass


class Half:
    def serialize(self) -> int:
        return 1


class Textual:
    __version__ = "1.0"

    def serialize(self) -> int:
        return 1


class Watching(BaseEventTrigger):
    def serialize(self) -> tuple[str, dict[str, Any]]:
        return f"{__name__}.Watching", {}

    async def run(self) -> Any:
        yield


@pytest.fixture(autouse=True)
def allow(tmp_path: Path) -> Iterator[Allow]:
    """Sets the two options: this module is allowed, until a test says otherwise."""

    def set_options(globs: str, regexps: str = "") -> None:
        names = (
            "GNOMON__CORE__ALLOWED_DESERIALIZATION_CLASSES",
            "GNOMON__CORE__ALLOWED_DESERIALIZATION_CLASSES_REGEXP",
        )
        set_current_config(load_config(dict(zip(names, (globs, regexps), strict=True)), tmp_path))

    set_options(f"airflow.* {__name__}.*")
    yield set_options
    set_current_config(None)


NUMPY = "int8 int16 int32 int64 uint8 uint16 uint32 uint64 longlong ulonglong float16 float32 float64 longdouble complex64 complex128 clongdouble"
SAME: list[object] = [
    *(getattr(np, name)(3) for name in NUMPY.split()), np.bool_(True), np.bool_(False), np.float32("inf"), np.complex128(1 - 2j),
    np.longdouble(1) / 3, np.datetime64("2024-01-01"), np.datetime64("2024-01-01T00:00:00.000000001"), np.datetime64(3, "25s"), np.timedelta64(-3, "7h"),
    np.array([(1, "a")], dtype=[("n", "i4"), ("t", "U3")])[0],
    pd.Timestamp("2024-01-01T00:00:00.123456789"), pd.Timestamp("2024-07-01", tz="Europe/Paris"), pd.Timedelta("-1D 3ns"),
    Decimal("1.10"), Decimal("1E+30"), b"\x00\xff", bytearray(b"x"), UUID(int=5), Path("/a/b"), PurePosixPath("a"), PureWindowsPath(r"c:\a"),
    dt.datetime(2024, 10, 27, 2, 30, tzinfo=ZoneInfo("Europe/Paris"), fold=1), dt.date(2024, 1, 1), dt.time(1, 2), dt.timedelta(-1, 3, 5), dt.UTC,
    dt.timezone(dt.timedelta(hours=2)), dt.timezone(dt.timedelta(hours=1), "X"), ZoneInfo("Europe/Paris"),
    pendulum.datetime(2024, 1, 1, tz="Europe/Paris"), pendulum.datetime(2024, 1, 1, tz=2), pendulum.date(2024, 1, 1), pendulum.time(1, 2),
    pendulum.duration(years=1, months=2, days=3, seconds=4), pendulum.timezone("Europe/Paris"), pendulum.timezone(7200),
    {1, "a"}, frozenset({1}), (1, (2,)), {1: 2}, {(1, 2): "x"},
    {"__classname__": "os.system", "__version__": 1, "__data__": "x"}, {"__type": "tuple", "__value": [1]},
    Order(1, [Order(2), (3,), np.int8(4)]), Frozen("a"), Line("x", 1.5), Newer("x"), Outer.Nested(1), [Order(1), {"deep": [Line("y")]}],
    Offer(offerNumber=1, until=dt.datetime(2024, 1, 1), line=Inner(rows=(1, 2))),
    Asset("orders", uri="s3://bucket/orders", extra={"a": [1]}), Dataset("s3://bucket/x"), Model("m"), AssetAlias("a", group="g"), AssetNameRef("a"),
    AssetUriRef("s3://bucket/x"),
    k8s.V1Pod(metadata=k8s.V1ObjectMeta(name="p", labels={"a": "b"}), spec=k8s.V1PodSpec(containers=[k8s.V1Container(name="c")])),
    k8s.V1ResourceRequirements(limits={"cpu": "1"}),
]  # fmt: skip


@pytest.mark.parametrize("value", SAME, ids=lambda value: type(value).__name__)
def test_a_value_is_read_back_equal_and_of_its_type(value: Any) -> None:
    text = dumps(value)
    read = loads(text)
    assert type(read) is type(value)
    assert read == value
    json.loads(text, parse_constant=lambda name: pytest.fail(name))


@pytest.mark.parametrize(
    ("value", "read"),
    [
        (Point(1, 2), (1, 2)),
        (Colour.RED, "red"),
        (Level.HIGH, 3),
        (np.str_("x"), "x"),
        (np.bytes_(b"x"), b"x"),
        (collections.Counter("aab"), {"a": 2, "b": 1}),
    ],
)
def test_as_in_airflow_a_value_is_read_back_as_its_plain_type(value: object, read: object) -> None:
    back = loads(dumps(value))
    assert (type(back), back) == (type(read), read)


@pytest.mark.parametrize(
    "value", [np.float64("nan"), np.float16("nan"), np.datetime64("NaT"), np.array(["NaT"], "m8[s]")[0], pd.NaT, pd.NA]
)
def test_a_missing_value_stays_missing(value: Any) -> None:
    read = loads(dumps([value]))[0]  # type: ignore[index]
    assert type(read) is type(value)
    assert pd.isna(read)


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6).reshape(2, 3),
        np.asfortranarray(np.ones((2, 2), "f4")),
        np.array(5),
        np.array([]),
        np.array(["a", "bcd"]),
        np.array([b"x"]),
        np.array(["2024-01-01", "NaT"], "M8[D]"),
        np.array([1 + 2j]),
        np.array([True, False]),
        np.array([(1, 2.5)], dtype=[("a", ">i2"), ("b", "f8")]),
    ],
)
def test_an_array_is_read_back_with_its_type_shape_and_elements(array: Any) -> None:
    read: Any = loads(dumps({"rows": array}))["rows"]  # type: ignore[index,call-overload]
    assert (read.dtype, read.shape, read.flags.f_contiguous) == (array.dtype, array.shape, array.flags.f_contiguous)
    np.testing.assert_array_equal(read, array)


POLARS = """
import datetime as dt

import polars as pl
from polars.testing import assert_frame_equal

from gnomon.model.errors.authoring import NotSerializable
from gnomon.authoring.sdk.serialization.value_codec import dumps, loads

frame = pl.DataFrame({
    "c": pl.Series(["a", "b"], dtype=pl.Categorical), "d": [dt.datetime(2024, 1, 1), None], "l": [[1], []], "s": [{"a": 1}, {"a": 2}], "b": [b"x", b""],
    "m": pl.Series(["1.1", "2.2"]).cast(pl.Decimal(10, 2)), "n": [None, None],
})
assert_frame_equal(loads(dumps([frame]))[0], frame)
for value in pl.Series([1]), pl.LazyFrame({"a": [1]}), pl.DataFrame({"a": [object()]}):
    try:
        dumps(value)
    except NotSerializable as error:
        print(error)
"""


@pytest.mark.ordinary
def test_a_frame_of_polars_is_read_back_with_its_types_and_what_is_no_frame_is_refused() -> None:
    """In a process of its own: the threads of polars do not survive the forks of other tests."""
    done = subprocess.run([sys.executable, "-c", POLARS], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    refusals = done.stdout.splitlines()
    assert len(refusals) == 3
    assert all(
        remedy in said
        for said, remedy in zip(refusals, ("value.to_frame()", "value.collect()", "value.to_dicts()"), strict=True)
    )


def test_a_param_is_read_back_with_its_schema() -> None:
    read: Any = loads(dumps(Param(3, "how many", type="integer", minimum=1)))
    assert (read.value, read.description, read.schema) == (3, "how many", {"type": "integer", "minimum": 1})


def test_what_a_field_without_argument_holds_is_kept() -> None:
    order = Order(1)
    order.checked = True
    assert loads(dumps(order)) == order


AIRFLOW_FORMS = [
    ("builtins.tuple", 1, [1, 2], (1, 2)), ("builtins.set", 1, [1], {1}), ("builtins.frozenset", 1, [1], frozenset({1})),
    ("datetime.datetime", 2, {"timestamp": 1704063600.0, "tz": ["Europe/Paris", "pendulum.tz.timezone.Timezone", 1, True]}, pendulum.datetime(2024, 1, 1, tz="Europe/Paris")),
    ("datetime.datetime", 2, 1704067200.0, dt.datetime(2024, 1, 1, tzinfo=dt.UTC)),
    ("pendulum.datetime.DateTime", 2, {"timestamp": 1704060000.0, "tz": [7200, "pendulum.tz.timezone.FixedTimezone", 1, True]}, pendulum.datetime(2024, 1, 1, tz=2)),
    ("datetime.date", 2, "2024-01-01", dt.date(2024, 1, 1)), ("datetime.timedelta", 2, 86400.0, dt.timedelta(1)), ("decimal.Decimal", 1, 1.5, Decimal("1.5")),
    ("uuid.UUID", 1, "00000000-0000-0000-0000-000000000005", UUID(int=5)), ("zoneinfo.ZoneInfo", 1, "Europe/Paris", ZoneInfo("Europe/Paris")),
    ("pendulum.tz.timezone.FixedTimezone", 1, "UTC", pendulum.timezone("UTC")), ("numpy.bool_", 1, True, np.bool_(True)), ("numpy.complex128", 1, 1.0, np.complex128(1)),
    ("airflow.sdk.definitions.asset.Asset", 1, {
        "name": "a", "uri": "a", "group": "asset", "extra": {}, "watchers": [], "access_control": {
            "__classname__": "airflow.sdk.definitions.asset.access_control.AssetAccessControl", "__version__": 0,
            "__data__": {"producer_teams": [], "consumer_teams": None, "allow_global": True},
        },
    }, Asset("a")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("classname", "version", "data", "value"),
    AIRFLOW_FORMS,
    ids=[f"{one[0]} {type(one[2]).__name__}" for one in AIRFLOW_FORMS],
)
def test_what_airflow_stores_in_its_form_is_read(classname: str, version: int, data: object, value: Any) -> None:
    read = loads(json.dumps({"__classname__": classname, "__version__": version, "__data__": data}))
    assert read == value
    assert isinstance(read, type(value).__mro__[-2])


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (
            {"rows": [pd.DataFrame({"a": [1]})]},
            "pandas.DataFrame at ['rows'][0] has no JSON form. Frames are stored as Parquet: install pyarrow",
        ),
        (pd.Series([1]), "value.to_frame()"),
        (np.array([object()]), "value.tolist()"),
        (np.ma.array([1], mask=[True]), "numpy.asarray(value)"),
        (Plain.A, "value.value"),
        (Bare(), "serialize()"),
        (Bare, "serialize()"),
        (Textual(), "a whole number"),
        (Connection("c", conn_type="http", password="x"), "BaseHook.get_connection"),
        (Variable("k", "v"), "Variable.get"),
        (Asset("a", watchers=[AssetWatcher(name="w", trigger=Watching())]), "without them"),
    ],
)
def test_what_cannot_be_stored_is_refused_with_a_remedy(
    value: object, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(NotSerializable, match="The value cannot be stored") as refused:
        dumps(value)
    assert words in str(refused.value)


ALLOWED = [
    (f"airflow.* {__name__}.Order", "", True), (f"{__name__}.*", "", True), ("*", "", True), ("airflow.*", "", False), ("", "", False),
    (f"{__name__}.Ord", "", False), (f"{__name__}.order", "", False), ("", rf"{__name__}\.Ord.*", True), ("", rf"{__name__}\.Ord", False),
    ("other.*", rf"x y {__name__}\.[A-Z].*", True),
]  # fmt: skip


@pytest.mark.parametrize(("globs", "regexps", "is_allowed"), ALLOWED)
def test_an_object_is_made_when_an_option_allows_its_class(
    allow: Allow, globs: str, regexps: str, is_allowed: bool
) -> None:
    allow(globs, regexps)
    text = dumps(Order(1))
    if is_allowed:
        assert loads(text) == Order(1)
        return
    with pytest.raises(ClassNotAllowed) as refused:
        loads(text)
    said = str(refused.value)
    assert f"class {__name__}.Order, which [core] allowed_deserialization_classes ({globs!r}) does not allow" in said
    assert f'GNOMON__CORE__ALLOWED_DESERIALIZATION_CLASSES="{f"{globs} " if globs else ""}{__name__}.Order"' in said


def test_code_may_allow_a_class_in_its_process(allow: Allow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allowed_classes, "_allowed_by_code", set())
    allow("airflow.*")
    allowed_classes.allow_class(Order)
    assert loads(dumps(Order(1))) == Order(1)

    class Local:
        pass

    with pytest.raises(ValueError, match="inside a function"):
        allowed_classes.allow_class(Local)


def test_nothing_of_a_class_that_is_not_allowed_is_imported(
    allow: Allow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "imported_by_force.py").write_text("raise SystemExit('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    text = json.dumps({"__classname__": "imported_by_force.Order", "__version__": 0, "__data__": {}})
    with pytest.raises(ClassNotAllowed):
        loads(text)
    for classname in (
        "os.system",
        "builtins.eval",
        "subprocess.Popen",
        "numpy.load",
        "pandas.read_pickle",
        "pathlib.os",
        "kubernetes.config.exec",
        "gnomon.ground.config.Config",
    ):
        with pytest.raises(ClassNotAllowed):
            loads(json.dumps({"__classname__": classname, "__version__": 1, "__data__": "x"}))


def test_only_tasks_and_triggers_make_objects() -> None:
    with pytest.raises(DeserializationError, match=r"an object of class .*Order, which only tasks and triggers make"):
        load_without_classes(dumps([Order(1)]))


@pytest.mark.parametrize(
    ("classname", "version", "data", "words"),
    [
        ("Order", 1, {"number": 1}, "has version 1, and its class has version 0 here"),
        ("Order", 0, [1], "holds no fields, but a list"),
        ("Order", 0, {"nope": 1}, "cannot be made: TypeError: .*'nope'"),
        ("Gone", 0, {}, "has no class 'Gone' here"),
        ("Half", 0, 1, r"deserialize\(data, version\)"),
        ("Offer", 1, {"number": "x"}, "cannot be made: ValidationError"),
        ("Order", "0", {}, "not a whole number"),
    ],
)
def test_an_object_that_cannot_be_made_is_named_with_the_reason(
    classname: str, version: object, data: object, words: str
) -> None:
    with pytest.raises(DeserializationError, match=words) as refused:
        loads(json.dumps({"__classname__": f"{__name__}.{classname}", "__version__": version, "__data__": data}))
    assert not isinstance(refused.value, ClassNotAllowed)


def test_a_module_that_is_not_here_is_named(allow: Allow) -> None:
    allow("nowhere.*")
    with pytest.raises(DeserializationError, match="no module 'nowhere' here: put it into the plugins folder"):
        loads('{"__classname__": "nowhere.orders.Order", "__version__": 0, "__data__": {}}')


def test_a_frame_is_refused_by_name_where_its_library_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(
        DeserializationError, match=r"class pandas\.DataFrame, and the module 'pyarrow.*' is not installed here"
    ):
        loads('{"__classname__": "pandas.DataFrame", "__version__": 1, "__data__": "00"}')


DAG_FILE = "import dataclasses\n@dataclasses.dataclass\nclass Sale:\n    n: int\n"


@pytest.mark.parametrize("globs", ["sales.Sale", "sales.*", "unusual_prefix_*", "gnomon_dag_*", "*.Sale"])
def test_a_class_of_a_dag_file_has_the_name_of_its_file(
    allow: Allow, monkeypatch: pytest.MonkeyPatch, globs: str
) -> None:
    """The module of a DAG file has a prefix that depends on the path of the file, which differs between workers and versions of a bundle."""
    here, there = (f"gnomon_dag_{mark * 16}_sales" for mark in "ab")
    module = type(sys)(here)
    monkeypatch.setitem(sys.modules, here, module)
    exec(DAG_FILE, module.__dict__)
    allow(globs)
    text = dumps(module.Sale(3))
    assert loads(text) == module.Sale(3)
    assert loads(text.replace(here, there)) == module.Sale(3)
    allow("airflow.*")
    with pytest.raises(ClassNotAllowed, match=r"class sales\.Sale, which"):
        loads(text)


def test_a_class_of_a_dag_file_that_is_not_loaded_is_named_with_the_file(allow: Allow) -> None:
    allow("sales.*")
    with pytest.raises(
        DeserializationError, match=r"defined in the DAG file sales\.py, and this process has not loaded that file"
    ):
        loads('{"__classname__": "gnomon_dag_0123456789abcdef_sales.Sale", "__version__": 0, "__data__": {"n": 1}}')


@pytest.mark.parametrize("value", [Order(1), Newer("x"), np.arange(3), Asset("a")])
def test_an_object_has_no_elements_to_map_over(value: object) -> None:
    assert measure_json(dumps(value)) is None


@pytest.mark.ordinary
def test_values_of_python_load_no_library() -> None:
    code = (
        "import sys\nfrom gnomon.authoring.sdk.serialization.value_codec import dumps, loads\nbefore = set(sys.modules)\n"
        "import datetime, decimal\nloads(dumps({'a': [1, 'x', None, 2.5, (1,)], 'd': datetime.datetime(2024, 1, 1), 'm': decimal.Decimal(1)}))\n"
        "print(*sorted(name for name in sys.modules if name.split('.')[0] in ('numpy', 'pandas', 'polars', 'pyarrow', 'pydantic', 'attr', 'kubernetes', 'pendulum')"
        " or (name.startswith('gnomon.authoring.sdk.serialization.') and name not in before)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_code_gets_what_is_stored_by_the_names_of_airflow() -> None:
    from airflow.sdk.serde import allow_class, deserialize, serialize

    stored = serialize([Order(1), np.int8(3)])
    assert stored[1] == {"__classname__": "numpy.int8", "__version__": 1, "__data__": 3}
    assert deserialize(stored) == [Order(1), 3]
    assert deserialize(stored, full=False)[1] == "numpy.int8@version=1(3)"
    assert allow_class is allowed_classes.allow_class


def test_the_encoder_of_airflow_writes_what_its_decoder_reads() -> None:
    from airflow.utils.json import XComDecoder, XComEncoder

    read = json.loads(json.dumps({"rows": np.arange(3), "order": Order(1)}, cls=XComEncoder), cls=XComDecoder)
    assert (read["rows"].tolist(), read["order"]) == ([0, 1, 2], Order(1))
