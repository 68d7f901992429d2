"""Each argument that a DAG file can give, with each value that is often wrong: refused where it is written, by name and place, or the DAG can be stored, shown and run.

The arguments are those of the signatures: of DAG, task group, asset, param, and of each operator and sensor that Gnomon has, made directly and mapped.
"""

from __future__ import annotations

import datetime as dt
import enum
import importlib
import inspect
import pkgutil
import re
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import msgspec
import pytest

import gnomon.authoring.operators
from gnomon.author_code.runner.rendered_values import collect_rendered_fields
from gnomon.authoring.sdk.arguments import json_schema
from gnomon.authoring.sdk.arguments.annotated_arguments import read_kinds
from gnomon.authoring.sdk.arguments.params import Param
from gnomon.authoring.sdk.assets import Asset, AssetAlias
from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec
from gnomon.authoring.sdk.members.task_group import TaskGroup
from gnomon.authoring.sdk.tasks.operator import BaseOperator
from gnomon.authoring.sdk.tasks.sensor import BaseSensorOperator
from gnomon.model.json_text import find_json_text_fault
from gnomon.model.message_bounds import find_message_fault
from gnomon.model.spec import ParsedDag
from gnomon.rules.planning.manual_runs import infer_manual_run


class Colour(enum.Enum):
    RED = "red"


VALUES: dict[str, Any] = {
    "a text for a flag": "False",
    "None": None,
    "NaN": float("nan"),
    "infinity": float("inf"),
    "a huge number": 10**30,
    "a negative number": -1_000_000_000,
    "an empty text": "",
    "a lone surrogate": "a\udce9b",
    "NUL": "a\0b",
    "a set": {1, 2},
    "a datetime": dt.datetime(2024, 3, 4),
    "an enum": Colour.RED,
    "a lambda": lambda: 1,
}


def do_nothing() -> None:
    """What a task calls."""


SAMPLES: dict[str, Any] = {
    "week_day": "Monday",
    "options": ["Approve", "Reject"],
    "python": sys.executable,
    "python_callable": do_nothing,
    "target_time": dt.time(1),
    "target_lower": dt.time(1),
    "target_upper": dt.time(2),
    "delta": dt.timedelta(1),
    "time_to_wait": dt.timedelta(1),
}
"""Of arguments that an operator needs, besides texts."""
UNCHECKED = {"bash_command", "python_version", "week_day"}
"""Arguments of operators that are checked by the operators themselves."""
INTERNAL = {"kwargs_to_upstream", "op_args", "op_kwargs", "python_callable", "bash_command"}
"""Arguments that the decorators give to their operators, not authors."""
NOT_OF = {("ApprovalOperator", "options"), ("ApprovalOperator", "defaults"), ("ApprovalOperator", "multiple")}
"""Arguments of a base class that a class refuses."""
PLACES = {"dag", "task_group", "parent_group"}
"""Arguments that take an object of the file: their type is checked, and a wrong one cannot have a place."""
PLACE = re.compile(r"test_argument_table\.py:\d+")


class Cell(NamedTuple):
    """One argument with one value. `make` makes a DAG that has it."""

    subject: str
    argument: str
    value: str
    make: Callable[[], DAG]


@cache
def list_operators() -> dict[str, type[BaseOperator]]:
    """The operators and sensors that Gnomon has, by name."""
    modules = [
        importlib.import_module(found.name)
        for found in pkgutil.walk_packages(gnomon.authoring.operators.__path__, "gnomon.authoring.operators.")
    ]
    own = {
        name: kind
        for module in modules
        for name, kind in vars(module).items()
        if isinstance(kind, type) and issubclass(kind, BaseOperator) and kind.__module__ == module.__name__
    }
    return {**own, "BaseOperator": BaseOperator, "BaseSensorOperator": BaseSensorOperator}


@cache
def list_parameters(kind: type) -> dict[str, inspect.Parameter]:
    """Those of the constructor and of its base classes, without those of BaseOperator and BaseSensorOperator for their subclasses."""
    found: dict[str, inspect.Parameter] = {}
    for base in kind.__mro__ if issubclass(kind, BaseOperator) else (kind,):
        if (base in (BaseOperator, BaseSensorOperator) and kind is not base) or "__init__" not in base.__dict__:
            continue
        for one in list(inspect.signature(base.__init__).parameters.values())[1:]:
            if one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL) and (kind.__name__, one.name) not in NOT_OF:
                found.setdefault(one.name, one)
    return found


def make_operator(kind: Any, given: dict[str, Any], *, is_mapped: bool = False) -> DAG:
    own = list_parameters(kind) if kind is not BaseOperator else {}
    required = {name: SAMPLES.get(name, "x") for name, one in own.items() if one.default is one.empty}
    if "Decorated" in kind.__name__:
        required.pop("bash_command", None)
    if "DateTimeSensor" in kind.__name__:
        required["target_time"] = "2024-03-04T00:00:00"
    arguments = {"task_id": "t", **required, **given}
    with DAG("d", schedule=None) as dag:
        if is_mapped:
            kind.partial(**arguments).expand_kwargs([{}])
        else:
            kind(**arguments)
    return dag


def make_dag(given: dict[str, Any]) -> DAG:
    with DAG(**{"dag_id": "d", "schedule": None, **given}) as dag:
        BaseOperator(task_id="t")
    return dag


def make_group(given: dict[str, Any]) -> DAG:
    with DAG("d", schedule=None) as dag, TaskGroup(**{"group_id": "g", **given}):
        BaseOperator(task_id="t")
    return dag


def make_asset(kind: Any, given: dict[str, Any]) -> DAG:
    with DAG("d", schedule=None) as dag:
        BaseOperator(task_id="t", outlets=[kind(**{"name": "a", **given})])
    return dag


def make_param(given: dict[str, Any]) -> DAG:
    with DAG("d", schedule=None, params={"p": Param(**given)}) as dag:
        BaseOperator(task_id="t")
    return dag


def list_cells() -> Iterator[Cell]:
    def each(subject: str, names: Any, make: Callable[[dict[str, Any]], DAG]) -> Iterator[Cell]:
        for name in names:
            for words, value in VALUES.items():
                yield Cell(subject, name, words, lambda given={name: value}: make(given))  # type: ignore[misc]

    yield from each("DAG", list_parameters(DAG), make_dag)
    yield from each("TaskGroup", list_parameters(TaskGroup), make_group)
    for asset in (Asset, AssetAlias):
        yield from each(asset.__name__, list_parameters(asset), lambda given, asset=asset: make_asset(asset, given))  # type: ignore[misc]
    yield from each("Param", [*list_parameters(Param), *sorted(json_schema._VALUE_KEYWORDS)], make_param)
    for name, kind in list_operators().items():
        own = [one for one in list_parameters(kind) if "Decorated" not in name or one not in INTERNAL]
        yield from each(name, own, lambda given, kind=kind: make_operator(kind, given))  # type: ignore[misc]
        if "Decorated" not in name:
            mapped = [one for one in own if one not in PLACES]
            yield from each(
                f"{name}.partial", mapped, lambda given, kind=kind: make_operator(kind, given, is_mapped=True)
            )  # type: ignore[misc]


@cache
def fill_table() -> dict[Cell, Exception | ParsedDag]:
    """Each cell with the error that refuses it, or the data of its DAG."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {cell: parse(cell) for cell in list_cells()}


def parse(cell: Cell) -> Exception | ParsedDag:
    try:
        dag = cell.make()
        dag.validate()
        return build_dag_spec(dag, __file__)
    except Exception as error:
        return error


def find_fault(cell: Cell, outcome: Exception | ParsedDag) -> str | None:
    """What is wrong with the outcome of a cell; None: nothing."""
    if isinstance(outcome, Exception):
        if not re.search(rf"\b{cell.argument.rstrip('s')}s?\b", str(outcome)) and cell.argument not in str(
            outcome
        ).replace(" ", "_"):
            return f"the error does not name the argument: {outcome}"
        if (
            not PLACE.search(str(outcome))
            and cell.argument not in PLACES
            and cell.subject not in ("Param", "Asset", "AssetAlias")
        ):
            return f"the error does not name the place: {outcome}"
        return None
    if (fault := find_message_fault(outcome.spec, ("kwargs", "next_kwargs", "default"))) is not None:
        return f"cannot be stored: {fault}"
    if (
        msgspec.json.decode(msgspec.json.encode(outcome), type=ParsedDag) != outcome
        or msgspec.msgpack.decode(msgspec.msgpack.encode(outcome), type=ParsedDag) != outcome
    ):
        return "is not read back as it was written"
    if cell.subject in list_operators() and (fault := find_rendering_fault(cell)) is not None:
        return fault
    infer_manual_run(outcome.spec, logical_at=None, now=1_772_355_600_000_000)
    return None


def find_rendering_fault(cell: Cell) -> str | None:
    """What the process of a task does with the argument before it executes the task: it renders it, and reports what is shown to users."""
    (task,) = cell.make().tasks
    fields = collect_rendered_fields(task)
    return (
        None if fields is None or find_json_text_fault(fields) is None else f"its rendered field is not JSON: {fields}"
    )


def test_each_value_of_each_argument_is_refused_by_name_or_works(capsys: pytest.CaptureFixture[str]) -> None:
    table = fill_table()
    counts = Counter("refused" if isinstance(outcome, Exception) else "accepted" for outcome in table.values())
    with capsys.disabled():
        print(
            f"\narguments in files: {len(table):,} cells, {counts['refused']:,} refused, {counts['accepted']:,} accepted",
            end="",
        )
    assert len(table) > 6_000
    faults = {
        f"{cell.subject}({cell.argument}={cell.value})": fault
        for cell, outcome in table.items()
        if (fault := find_fault(cell, outcome)) is not None
    }
    assert faults == {}


def test_the_arguments_of_operators_that_take_any_object_are_known() -> None:
    """An annotation that is not understood is no check; the list may only shrink."""
    kinds = [kind for kind in list_operators().values() if kind not in (BaseOperator, BaseSensorOperator)]
    unchecked = {
        name
        for kind in kinds
        for name in list_parameters(kind)
        if not any(name in read_kinds(init) for init in list_constructors(kind))
    }
    assert unchecked == UNCHECKED


def list_constructors(kind: type) -> list[Any]:
    found = [getattr(base.__dict__.get("__init__"), "__wrapped__", None) for base in kind.__mro__]
    return [init for init in found if init is not None]
