"""`depends_on` of DAGs and tasks: into their specs, and what is wrong with it in a sentence that names the place."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from gnomon import DAG, After, dag, task
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec
from gnomon.authoring.sdk.tasks.operator import BaseOperator
from gnomon.model.spec import DagSpec, collect_edges
from gnomon.model.upstream_edges import DependencySpec, to_after, to_dependency_spec

START = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
FULL = After(
    "billing",
    task_id="load",
    previous=2,
    take="last",
    empty_interval="forward",
    on_failure="cancel",
    on_absent="fail",
    max_wait=dt.timedelta(minutes=90),
    zone="Europe/Berlin",
)


def made(dag_id: str = "d", **arguments: Any) -> DAG:
    return DAG(dag_id, **{"schedule": "@daily", "start_date": START, **arguments})


def spec(one: DAG) -> DagSpec:
    return build_dag_spec(one, "d.py").spec


def hash_of(**arguments: Any) -> str:
    return build_dag_spec(made(**arguments), "d.py").spec_hash


def test_what_a_dag_waits_for_stands_in_its_spec_and_comes_back_as_it_was_written() -> None:
    found = spec(made(depends_on=[After("orders"), FULL])).depends_on
    assert found == (
        DependencySpec(
            dag_id="billing",
            task_id="load",
            previous=2,
            take="last",
            empty_interval="forward",
            on_failure="cancel",
            on_absent="fail",
            max_wait_s=5400.0,
            zone="Europe/Berlin",
        ),
        DependencySpec(dag_id="orders"),
    )
    assert [to_after(one) for one in found] == [FULL, After("orders")]


@pytest.mark.parametrize(
    "given", [After("up"), [After("up")], (After("up"),), {After("up")}, [After("up"), After("up")]]
)
def test_one_dependency_or_any_collection_of_them_is_taken(given: Any) -> None:
    assert spec(made(depends_on=given)).depends_on == (DependencySpec(dag_id="up"),)


@pytest.mark.parametrize("given", [None, [], ()])
def test_without_dependencies_a_dag_is_as_it_was(given: Any) -> None:
    assert spec(made(depends_on=given)).depends_on == ()
    assert hash_of(depends_on=given) == hash_of()


def test_the_decorator_and_a_task_take_them_too() -> None:
    @dag(schedule="@daily", start_date=START, depends_on=[After("up")])
    def report() -> None:
        @task(depends_on=After("stock"))
        def load() -> None: ...

        @task
        def free() -> None: ...

        load() >> free.override(depends_on=[After("late", task_id="end")])()
        BaseOperator(task_id="classic", depends_on=[After("old")])

    made_spec = spec(report())
    assert made_spec.depends_on == (DependencySpec(dag_id="up"),)
    assert {one.task_id: one.depends_on for one in made_spec.tasks} == {
        "load": (DependencySpec(dag_id="stock"),),
        "free": (DependencySpec(dag_id="late", task_id="end"),),
        "classic": (DependencySpec(dag_id="old"),),
    }
    assert {(edge.task_id, edge.label) for edge in collect_edges(made_spec)} == {
        (None, "up"),
        ("load", "stock"),
        ("free", "late.end"),
        ("classic", "old"),
    }


def test_default_args_give_them_to_every_task_and_not_to_the_run() -> None:
    with made(default_args={"depends_on": [After("up")]}) as one:
        BaseOperator(task_id="a")
        BaseOperator(task_id="b", depends_on=[After("other")])
    made_spec = spec(one)
    assert made_spec.depends_on == ()
    assert [[after.dag_id for after in each.depends_on] for each in made_spec.tasks] == [["up"], ["other"]]


def test_a_class_of_the_dialect_may_call_something_of_its_own_depends_on() -> None:
    class Before(BaseOperator):
        def __init__(self, depends_on: Any, **kwargs: Any) -> None:
            self.depends_on = depends_on
            super().__init__(**kwargs)

    class Later(BaseOperator):
        def __init__(self, depends_on: Any, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.depends_on = depends_on

    with made() as one:
        kept = [Before(task_id="a", depends_on=["t"]).depends_on, Later(task_id="b", depends_on="t").depends_on]
    assert kept == [["t"], "t"]
    assert all(not each.depends_on for each in spec(one).tasks)


def test_the_order_in_which_they_are_written_makes_no_new_version_and_any_argument_does() -> None:
    several = [After("a"), After("b", take="last"), After("b")]
    assert hash_of(depends_on=several) == hash_of(depends_on=several[::-1])
    others = [
        [After("a")],
        [After("a", task_id="t")],
        [After("a", previous=1)],
        [After("a", take="any")],
        [FULL],
        [After("a", empty_interval="nearest")],
        [After("a", on_failure="proceed")],
        [After("a", on_absent="wait")],
        [After("a", max_wait=dt.timedelta(1))],
        [After("a", zone="UTC")],
        None,
    ]
    assert len({hash_of(depends_on=each) for each in others}) == len(others)


def test_several_on_one_upstream_are_several_edges_and_the_shorter_of_two_waits_counts() -> None:
    hour, day = dt.timedelta(hours=1), dt.timedelta(days=1)
    several = [After("a"), After("a", max_wait=day), After("a", max_wait=hour), After("a", previous=1)]
    assert {
        (edge.dependency.previous, edge.dependency.max_wait_s) for edge in collect_edges(spec(made(depends_on=several)))
    } == {
        (0, 3600.0),
        (1, None),
    }


@pytest.mark.parametrize("zone", ["UTC", dt.UTC, "Europe/Berlin"])
def test_a_zone_is_stored_by_name(zone: Any) -> None:
    assert spec(made(depends_on=After("up", zone=zone))).depends_on[0].zone == ("UTC" if zone is dt.UTC else zone)


def test_a_zone_of_another_library_is_stored_by_name() -> None:
    import pendulum

    found = spec(made(depends_on=After("up", zone=pendulum.timezone("Asia/Shanghai")))).depends_on
    assert found[0].zone == "Asia/Shanghai"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            "billing",
            "depends_on takes After(...) or a list of them, not 'billing' (str); write depends_on=[After('billing')]",
        ),
        (["billing"], "not 'billing' (str); write depends_on=[After('billing')]"),
        (3, "not 3 (int); write depends_on=[After('dag_id')]"),
        ({"billing": 1}, "not {'billing': 1} (dict)"),
        (
            After("up", zone=dt.timezone(dt.timedelta(hours=1))),
            "the time zone has no name; write one such as 'Europe/Berlin'",
        ),
        (After("up", zone="Berlin"), "time zone 'Berlin' is not in the tz database"),
    ],
)
def test_what_is_no_dependency_names_the_thing_the_place_and_the_remedy(given: Any, said: str) -> None:
    with pytest.raises((TypeError, ValueError), match=r"^DAG 'd' \(.*test_depends_on\.py:\d+\): ") as of_dag:
        DAG("d", depends_on=given)
    assert said in str(of_dag.value)
    with made(), pytest.raises((TypeError, ValueError), match=r"^Task 't' \(.*test_depends_on\.py:\d+\): ") as of_task:
        BaseOperator(task_id="t", depends_on=given)
    assert said in str(of_task.value)


def test_a_misspelt_keyword_is_told_with_the_nearest_one() -> None:
    with pytest.raises(TypeError, match="DAG has no argument depend_on=; did you mean depends_on="):
        DAG("d", depend_on=[After("up")])
    with made(), pytest.raises(TypeError, match=r"does not take the argument depend_on=; did you mean depends_on="):
        BaseOperator(task_id="t", depend_on=[After("up")])


@pytest.mark.parametrize("name", ["restartable", "retries", "queue", "executor"])
def test_an_argument_of_tasks_that_a_dag_is_given_is_told_with_default_args(name: str) -> None:
    with pytest.raises(
        TypeError,
        match=rf"DAG has no argument {name}=; it is an argument of a task: for all tasks of the DAG, write default_args={{'{name}': \.\.\.}}",
    ):
        DAG("d", **{name: 1})


OWN = "'d' waits for its own run of the same period, which never ends; write After('d', previous=1) for the run before"


def test_a_dag_that_waits_for_itself_is_refused_with_the_remedy() -> None:
    with pytest.raises(ValueError, match=r"^DAG 'd' \(.*test_depends_on\.py:\d+\): ") as of_dag:
        build_dag_spec(made(depends_on=After("d")), "d.py")
    assert str(of_dag.value).endswith(OWN)
    with made() as one:
        BaseOperator(task_id="t", depends_on=After("d", task_id="other"))
    with pytest.raises(ValueError, match=r"^DAG 'd', task 't' \(.*test_depends_on\.py:\d+\): ") as of_task:
        build_dag_spec(one, "d.py")
    assert str(of_task.value).endswith(OWN)


def test_a_dag_may_wait_for_its_run_before_and_for_a_task_of_it() -> None:
    with made(depends_on=After("d", previous=1)) as one:
        BaseOperator(task_id="t", depends_on=After("d", task_id="t", period="previous"))
    assert [edge.label for edge in collect_edges(spec(one))] == ["d", "d.t"]


def test_a_dag_without_a_schedule_is_told_that_nothing_waits() -> None:
    one = made(schedule=None, depends_on=After("up"))
    build_dag_spec(one, "d.py")
    assert [told.partition(": ")[2] for told in one.warnings] == [
        "its depends_on has no effect, because it has no schedule: a run that is triggered waits for no other DAG."
    ]


def test_a_dependency_comes_back_from_what_is_stored() -> None:
    assert to_after(to_dependency_spec(FULL)) == FULL
    assert to_after(DependencySpec(dag_id="a")) == After("a")
