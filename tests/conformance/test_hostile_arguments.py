"""Each argument of a DAG and of a task with values that nothing can be done with: the file gets an error that names DAG or task and argument, or the DAG runs."""

from __future__ import annotations

import datetime as dt
import enum
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.conformance.hostileworld import MOVE_S, HostileWorld, hostile_world
from tests.databases import BOTH, new_database

from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec
from gnomon.authoring.sdk.runtime.callback_definitions import SyncCallback
from gnomon.authoring.sdk.schedules.deadlines import DeadlineAlert, DeadlineReference
from gnomon.authoring.sdk.signatures import fields
from gnomon.authoring.sdk.tasks.operator import BaseOperator
from gnomon.model.spec import ParsedDag


class Colour(enum.Enum):
    RED = "red"


SPAN = dt.timedelta
VALUES: tuple[Any, ...] = (
    SPAN.max, SPAN.min, SPAN(-1), SPAN(0), dt.datetime.max, dt.datetime.min, dt.datetime.max.replace(tzinfo=dt.UTC), dt.datetime.min.replace(tzinfo=dt.UTC),
    dt.datetime.max.replace(tzinfo=dt.timezone(SPAN(hours=-14))), dt.datetime.min.replace(tzinfo=dt.timezone(SPAN(hours=14))), 2**31 - 1, 2**31, 2**63, 2**70, -(2**63), -(2**70),
    10**400, -1, True, 0.5, float("nan"), float("inf"), float("-inf"), 1e308, "a\0b", "a\udce9b", "x" * 5000, b"x", [], {}, object(), "", "False", {1, 2}, Colour.RED, lambda: 1,
)  # fmt: skip
PLACES = {"dag", "task_group"}
"""Arguments that take an object of the file, not a value."""
ROWS = [("DAG", row.name) for row in fields.DAG_FIELDS] + [
    ("task", row.name) for row in fields.OPERATOR_FIELDS if row.name not in PLACES
]
WITHOUT_NAME = {"schedule", "default_args", "params", "dag_id", "task_id", "dag_display_name", "task_display_name"}
"""Their errors have words of their own."""


def build(kind: str, name: str, value: object, dag_id: str = "d") -> ParsedDag:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with DAG(**{"dag_id": dag_id, "schedule": None, **({name: value} if kind == "DAG" else {})}) as dag:  # type: ignore[arg-type]
            BaseOperator(**{"task_id": "t", **({name: value} if kind == "task" else {})})
        return build_dag_spec(dag, "/dags/f.py")


def find_error(kind: str, name: str, value: object) -> Exception | None:
    """Why the DAG is refused; None: it is not."""
    try:
        build(kind, name, value)
    except Exception as error:
        return error
    return None


@cache
def list_built() -> dict[str, ParsedDag]:
    """By argument and value, the DAGs that are not refused; of several that are the same but for their names, one."""
    found: dict[bytes, tuple[str, ParsedDag]] = {}
    for kind, name in ROWS:
        for number, value in enumerate(VALUES):
            if name != "dag_id" and find_error(kind, name, value) is None:
                parsed = build(kind, name, value, f"d-{kind}-{name}-{number}")
                found.setdefault(
                    msgspec.json.encode(msgspec.structs.replace(parsed.spec, dag_id="")),
                    (f"{kind} {name}={value!r}"[:200], parsed),
                )
    return dict(found.values())


@pytest.mark.parametrize(("kind", "name"), ROWS)
def test_a_refused_value_is_named(kind: str, name: str) -> None:
    for value in VALUES:
        error = find_error(kind, name, value)
        assert error is None or name in WITHOUT_NAME or name in str(error), (value, error)


def test_a_spec_that_is_built_can_be_sent_and_stored() -> None:
    for what, parsed in list_built().items():
        assert msgspec.json.decode(msgspec.json.encode(parsed), type=ParsedDag) == parsed, what
        assert msgspec.msgpack.decode(msgspec.msgpack.encode(parsed), type=ParsedDag) == parsed, what


@pytest.fixture(params=BOTH)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[HostileWorld]:
    with new_database(request.param, tmp_path) as url, hostile_world(url, tmp_path) as found:
        yield found


def test_each_dag_that_is_built_runs(world: HostileWorld) -> None:
    """Those whose tasks are to wait (a pool without slots, an executor that is not there) wait; no round fails, and others go on."""
    specs = [parsed.spec for parsed in list_built().values()]
    world.deployment.add(*specs)
    with world.deployment.db.write() as tx:
        for spec in specs:
            if not spec.allowed_run_types or "manual" in spec.allowed_run_types:
                world.start_run(tx, spec.dag_id, "r")
    world.deployment.move(5.0)
    _, honest = world.run([])
    assert set(honest) == {"success"}
    assert world.failed_rounds == 0


INTERVALS = (SPAN.max, SPAN.min, SPAN(0), SPAN(-1))
REFERENCES = (
    DeadlineReference.DAGRUN_QUEUED_AT,
    DeadlineReference.DAGRUN_LOGICAL_DATE,
    DeadlineReference.AVERAGE_RUNTIME(1, 1),
    DeadlineReference.AVERAGE_RUNTIME(1_000_000, 1),
    DeadlineReference.FIXED_DATETIME(dt.datetime.max),
    DeadlineReference.FIXED_DATETIME(dt.datetime.min),
)


def test_a_deadline_of_any_interval_is_stored(world: HostileWorld) -> None:
    cases = [(reference, interval) for reference in REFERENCES for interval in INTERVALS]
    specs = [
        build("DAG", "deadline", DeadlineAlert(*case, SyncCallback("builtins.print")), f"d{number}").spec
        for number, case in enumerate(cases)
    ]
    world.deployment.add(*specs)
    with world.deployment.db.write() as tx:
        for spec in specs:
            world.start_run(tx, spec.dag_id, "r")
    world.deployment.move(MOVE_S)
    assert {state for state, _ in world.read_tasks().values()} == {"success"}
    assert world.failed_rounds == 0
