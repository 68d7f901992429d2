"""The --conf of a run."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from gnomon.changes.actions.run_conf import check_run_conf
from gnomon.entry.cli.parameter_types import ConfType
from gnomon.ground.config import load_config
from gnomon.model.errors.product import UserError
from gnomon.model.slots import TimetableRef
from gnomon.model.spec import DagSpec, ParamSpec

pytestmark = pytest.mark.pure

SPEC = DagSpec(
    dag_id="etl",
    timetable=TimetableRef(path="NullTimetable"),
    params={
        "count": ParamSpec(default=3, schema={"type": "integer", "minimum": 1}),
        "name": ParamSpec(required=True, schema={"type": "string"}),
    },
)


@pytest.mark.parametrize("conf", [{"name": "x"}, {"name": "x", "count": 1}, {"name": "x", "something": ["else"]}])
def test_a_conf_that_fits_is_taken(tmp_path: Path, conf: dict[str, object]) -> None:
    check_run_conf(load_config({}, tmp_path), SPEC, conf)


@pytest.mark.parametrize(
    ("conf", "named"),
    [({}, "name"), ({"name": 1}, "name"), ({"name": "x", "count": 0}, "count"), ({"name": "x", "count": "1"}, "count")],
)
def test_a_conf_that_does_not_fit_names_dag_param_and_remedy(
    tmp_path: Path, conf: dict[str, object], named: str
) -> None:
    with pytest.raises(UserError) as caught:
        check_run_conf(load_config({}, tmp_path), SPEC, conf)
    message = str(caught.value)
    assert "DAG 'etl'" in message and f"Param {named!r}" in message and "gnomon dags show etl" in message


@pytest.mark.parametrize(
    ("text", "said"), [("{", "not valid JSON"), ("[1]", "must be a JSON object"), ("3", "must be a JSON object")]
)
def test_what_is_no_json_object_is_wrong_usage(text: str, said: str) -> None:
    with pytest.raises(click.BadParameter, match=said):
        ConfType().convert(text, None, None)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": NaN}', "a is nan, which JSON does not have"),
        ('{"a": [-Infinity]}', r"a\[0\] is -inf"),
        ('{"a": "\\ud83d"}', "a contains a lone surrogate"),
        ('{"\\ud83d": 1}', "its key contains a lone surrogate"),
        ('{"a": 99999999999999999999999}', "a is a number of more than 64 bits"),
        ("[" * 100_000, "not valid JSON"),
    ],
)
def test_what_no_run_can_have_is_wrong_usage(text: str, said: str) -> None:
    """--conf of dags trigger, dags test, tasks test, backfill create and assets materialize, and --params of tasks answer."""
    with pytest.raises(click.BadParameter, match=said):
        ConfType().convert(text, None, None)
