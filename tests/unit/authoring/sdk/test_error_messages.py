"""The message of an author's mistake names the thing, its place, and what to do instead."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from gnomon.authoring.operators.bash import BashOperator
from gnomon.authoring.operators.hitl import ApprovalOperator, HITLBranchOperator, HITLOperator
from gnomon.authoring.operators.triggers.temporal import DateTimeTrigger
from gnomon.authoring.operators.virtualenv import ExternalPythonOperator, PythonVirtualenvOperator
from gnomon.authoring.sdk import DAG, Asset, AssetAccessControl, AssetOrTimeSchedule, task
from gnomon.authoring.sdk.dags.asset_decorators import asset
from gnomon.authoring.sdk.dags.dag_decorators import task_group
from gnomon.authoring.sdk.mapping.expand_input import DictOfListsExpandInput, ListOfDictsExpandInput
from gnomon.partitions import (
    AllowedKeyMapper,
    FanOutMapper,
    IdentityMapper,
    MonthWindow,
    ProductMapper,
    StartOfMonthMapper,
)

HERE = r"\(.*test_error_messages\.py:\d+\)"


@pytest.fixture(autouse=True)
def _in_a_dag() -> Iterator[None]:
    with DAG("d", schedule=None):
        yield


def _first_instance() -> dict[str, object]:
    """The context of the first instance of a mapped task."""
    return {"ti": SimpleNamespace(map_index=0, task=add.expand(a=[1]).operator)}


@task
def add(a: int, b: int = 1) -> int:
    return a + b


@task_group
def grouped(a: int, b: int = 1) -> None:
    add(a, b)


class Several(IdentityMapper):
    """Maps to two keys."""

    def to_downstream(self, key: str) -> Any:
        return [key, key]


def _nested_star(*orders: object) -> None: ...


def _hitl(kind: type[HITLOperator] = HITLOperator, **given: Any) -> HITLOperator:
    return kind(**{"task_id": "t", "subject": "s", "options": ["a", "b"], **given})


CASES: dict[str, tuple[Callable[[], object], str]] = {
    "expand what is partial": (
        lambda: add.partial(b=1).expand(a=[1], b=[2]),
        rf"mapping already partial argument: b of @task 'add' {HERE}\. Give each argument either to partial\(\), for the same value",
    ),
    "expand_kwargs what is partial": (lambda: add.partial(b=1).expand_kwargs([{"a": 1, "b": 2}]), r"mapping already partial argument: b .*Give each argument"),
    "expand what the group has": (lambda: grouped.partial(b=1).expand(a=[1], b=[2]), r"mapping already partial argument: b of @task_group 'grouped' .*either"),
    "partial twice": (lambda: add.partial(b=1).partial(b=2), rf"duplicate partial argument: b of @task 'add' {HERE}\. Give each argument to partial\(\) once\."),
    "expand an operator over what is partial": (
        lambda: BashOperator.partial(task_id="t", bash_command="x").expand(bash_command=["y"]),
        r"unmappable or already specified argument: bash_command; task 't'.*Give such an argument to partial\(\) alone",
    ),
    "no list of dicts": (lambda: add.expand_kwargs(7), rf"expected XComArg or list\[dict\], not int of @task 'add' {HERE}\. Give it a list with a dict"),
    "a list of others": (lambda: add.expand_kwargs([7]), r"not list\[int\] of @task .*Give it a list with a dict"),
    "at run time no list": (
        lambda: DictOfListsExpandInput({"a": 7}).resolve(_first_instance()), r"expand\(\) expects a list or dict for 'a', not int.*Return a list or a dict from the task",
    ),
    "at run time no list of dicts": (lambda: ListOfDictsExpandInput(7).resolve(_first_instance()), r"expand_kwargs\(\) expects a list\[dict\], not int.*Return a list with"),
    "outlets of a task under an asset": (
        lambda: asset(schedule=None)(task(outlets=[Asset("x")])(_plain)), r"cannot have outlets: the asset is its outlet\. Leave outlets= out",
    ),
    "an asset with *args": (lambda: asset(schedule=None)(_nested_star), rf"@asset {HERE} cannot have \*orders: .*Write a parameter for each asset"),
    "two schedules of assets": (
        lambda: AssetOrTimeSchedule(timetable=AssetOrTimeSchedule(timetable=_cron(), assets=[Asset("x")]), assets=[Asset("x")]),
        rf"AssetOrTimeSchedule {HERE} takes a timetable of times, .*Give the assets to assets=",
    ),
    "a team without a name": (lambda: AssetAccessControl(producer_teams=[" "]), rf"producer_teams of AssetAccessControl {HERE} must be a text that is not blank"),
    "a key that is not allowed": (lambda: AllowedKeyMapper(["a"]).to_downstream("b"), r"Key 'b' not in allowed keys \['a'\]; add it to AllowedKeyMapper"),
    "too few segments": (
        lambda: ProductMapper(IdentityMapper(), IdentityMapper()).to_downstream("b"), r"Expected 2 segments in key, got 1: 'b'; a key of ProductMapper has.*'\|'",
    ),
    "a part with several keys": (
        lambda: ProductMapper(Several(), IdentityMapper()).to_downstream("b|c"), r"Several returned multiple keys for 'b'; use another mapper",
    ),
    "a fan-out of several keys": (
        lambda: FanOutMapper(upstream_mapper=Several(), window=MonthWindow(), downstream_mapper=StartOfMonthMapper()).to_downstream("b"),
        r"returned several keys for 'b'; use a mapper that returns one",
    ),
    "a folder that is missing": (lambda: BashOperator(task_id="t", bash_command="x", cwd="/nowhere")._checked_cwd(), r"Can not find the cwd: /nowhere\. Create the folder on the worker, or give cwd= of task 't'"),
    "a folder that is a file": (lambda: BashOperator(task_id="t", bash_command="x", cwd=__file__)._checked_cwd(), r"must be a directory; give cwd= of task 't' a folder"),
    "no options": (lambda: _hitl(options=[]), rf"Task 't' {HERE}: \"options\" cannot be empty\. Give at least one text"),
    "two defaults": (lambda: _hitl(defaults=["a", "b"]), r"More than one defaults given when \"multiple\" is set to False\. Give one, or multiple=True"),
    "a param of a reserved name": (lambda: _hitl(params={"_options": 1}), r"\"_options\" is not allowed in params: .*Rename the param"),
    "an unknown choice": (lambda: _hitl().validate_chosen_options(["c"]), r"Responses \{'c'\} not in \['a', 'b'\]; choose among these options of task 't'"),
    "missing params": (lambda: _hitl(params={"p": 1}).validate_params_input({"q": 1}), r"does not match params .*; give a value for each of p"),
    "options of an approval": (lambda: ApprovalOperator(task_id="t", subject="s", options=["a"]), rf"Passing options to ApprovalOperator is not allowed: .*{HERE}\. Leave options= out"),
    "a mapping of no option": (
        lambda: _hitl(HITLBranchOperator, options_mapping={"c": "x"}), rf"not in `options`: \['c'\] \(task 't' {HERE}; its options are .*Map options to ids",
    ),
    "no interpreter": (lambda: ExternalPythonOperator(task_id="t", python="", python_callable=_plain), rf"Python Path must be defined in ExternalPythonOperator {HERE}: give python="),
    "a missing interpreter": (lambda: ExternalPythonOperator(task_id="t", python="/no", python_callable=_plain).find_python(), r"of task 't' must exist\. Give python= the absolute path"),
    "a lambda for another interpreter": (partial(PythonVirtualenvOperator, task_id="t", python_callable=lambda: 1), rf"as a plain function {HERE}\."),
    "no moment": (lambda: DateTimeTrigger(), r"DateTimeTrigger needs one of moment= and target_time=, and got neither"),
}  # fmt: skip


def _plain() -> None: ...


def _cron() -> Any:
    from gnomon.timetables import CronTriggerTimetable

    return CronTriggerTimetable("0 6 * * *", timezone="UTC")


@pytest.mark.parametrize("case", CASES)
def test_the_message_says_what_where_and_what_to_do(case: str) -> None:
    call, expected = CASES[case]
    with pytest.raises(Exception) as raised:
        call()
    assert re.search(expected, str(raised.value)), str(raised.value)


def test_an_instance_that_expands_over_what_is_partial_names_its_task() -> None:
    operator = BashOperator.partial(task_id="t", bash_command="x").expand_kwargs(add(1))
    with pytest.raises(
        TypeError,
        match=r"already specified argument: bash_command of task 't' .*Give such an argument to partial\(\) alone",
    ):
        operator.unmap({"bash_command": "y"})
