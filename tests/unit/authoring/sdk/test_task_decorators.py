"""`@task` and its variants: ids, arguments, outputs, what they do when they run."""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Mapping
from typing import Any, TypedDict

import pytest

from gnomon.authoring.sdk.connections import provider_packages
from gnomon.authoring.sdk.connections.provider_packages import InstalledProviders, ProviderPackage
from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.members.task_group import TaskGroup
from gnomon.authoring.sdk.members.xcom_arg import XComArg
from gnomon.authoring.sdk.tasks.decorated_operators import PythonDecoratedOperator
from gnomon.authoring.sdk.tasks.operator import BaseOperator
from gnomon.authoring.sdk.tasks.sensor import PokeReturnValue
from gnomon.authoring.sdk.tasks.task_decorators import setup, task, task_decorator_factory, teardown
from gnomon.model.errors.authoring import AirflowException, AirflowSkipException, DownstreamTasksSkipped


class Ti:
    """What tasks see of their instance: pushes are kept, pulls come from `values`."""

    run_id = "r"

    def __init__(self, task: BaseOperator, values: Mapping[tuple[str, str], Any] | None = None) -> None:
        self.task = task
        self.values = values or {}
        self.pushed: dict[str, Any] = {}

    def xcom_push(self, key: str, value: Any) -> None:
        self.pushed[key] = value

    def xcom_pull(self, *, task_ids: str, dag_id: str, key: str, default: Any) -> Any:
        return self.values.get((task_ids, key), default)


def run(arg: XComArg, values: Mapping[tuple[str, str], Any] | None = None, **context: Any) -> Any:
    operator = arg.operator
    context |= {"ti": Ti(operator, values), "task": operator, "dag": operator.dag}
    operator.render_template_fields(context)
    return operator.execute(context)


def test_repeated_calls_are_numbered_in_their_group() -> None:
    @task
    def work() -> None: ...

    with DAG("d") as dag:
        for _ in range(3):
            work()
        with TaskGroup("g"):
            work()
            work()
        work.override(task_id="other")()
        work.override(task_id="work__1")()
    assert dag.task_ids == ["work", "work__1", "work__2", "g.work", "g.work__1", "other", "work__3"]


def test_values_of_other_tasks_are_dependencies_and_arrive() -> None:
    @task
    def make() -> int:
        return 3

    @task(multiple_outputs=True)
    def split() -> Any:
        return {"a": 1}

    @task
    def add(x: int, *, rows: list[Any], ds: str | None = None) -> Any:
        return x, rows, ds

    with DAG("d") as dag:
        added = add(make(), rows=[split()["a"], "{{ ds }}"])
    assert dag.get_task("add").upstream_task_ids == {"make", "split"}
    values = {("make", "return_value"): 3, ("split", "a"): 1}
    assert run(added, values, ds="2026-01-01") == (3, [1, "2026-01-01"], "2026-01-01")


def test_a_function_with_kwargs_gets_the_whole_context() -> None:
    @task
    def look(value: int, **context: Any) -> Any:
        return value, context["run_id"]

    with DAG("d"):
        arg = look(1)
    assert run(arg, run_id="r1") == (1, "r1")


def test_an_async_function_is_run_to_its_end() -> None:
    @task
    async def later() -> int:
        return 5

    with DAG("d"):
        arg = later()
    assert run(arg) == 5


class Shape(TypedDict):
    a: int


def plain() -> int: ...  # type: ignore[empty-body]
def as_text() -> dict[str, int]: ...  # type: ignore[empty-body]
def as_typed_dict() -> Shape: ...  # type: ignore[empty-body]
def as_mapping() -> Mapping[str, int]: ...  # type: ignore[empty-body]
def as_nothing() -> None: ...


@pytest.mark.parametrize(
    ("function", "expected"),
    [(plain, False), (as_text, True), (as_typed_dict, True), (as_mapping, True), (as_nothing, False)],
)
def test_several_outputs_are_told_by_the_return_annotation(function: Any, expected: bool) -> None:
    with DAG("d"):
        assert task(function)().operator.multiple_outputs is expected
        assert task(multiple_outputs=False)(function)().operator.multiple_outputs is False


def test_several_outputs_must_be_a_dict_with_text_keys() -> None:
    @task(multiple_outputs=True)
    def wrong(value: Any) -> Any:
        return value

    with DAG("d"):
        for value, words in ((5, "must return a dict"), ({1: 2}, "must be text")):
            with pytest.raises(TypeError, match=words):
                run(wrong(value))


@pytest.mark.parametrize(
    ("args", "kwargs", "words"),
    [
        ((), {}, "needs a value for 'x'"),
        ((1, 2, 3), {}, "takes 2 positional"),
        ((1,), {"y": 2}, "no parameter 'y'"),
        ((1,), {"x": 2}, "twice"),
    ],
)
def test_a_call_that_cannot_work_is_refused_in_the_dag_file(args: Any, kwargs: Any, words: str) -> None:
    @task
    def work(x: int, ti: Any = None) -> None: ...

    with DAG("d"), pytest.raises(TypeError, match=words) as found:
        work(*args, **kwargs)
    assert "test_task_decorators.py" in str(found.value)


def test_a_context_key_given_by_position_is_refused() -> None:
    @task
    def work(ds: str) -> None: ...

    with DAG("d"):
        arg = work("today")
    with pytest.raises(ValueError, match=r"'ds'.*key of the task context"):
        run(arg, ds="2026-01-01")


def test_arguments_of_the_task_stand_in_the_decorator_and_can_be_overridden() -> None:
    @task(retries=2, task_display_name="Shown")
    def work() -> None:
        """What it does."""

    with DAG("d"):
        first, second = work().operator, work.override(retries=5, pool="p")().operator
    assert (first.retries, first.task_display_name, first.doc_md) == (2, "Shown", "What it does.")
    assert (second.retries, second.pool, second.task_id) == (5, "p", "work__1")
    assert work.function.__name__ == work.__name__ == "work"


def test_decorated_functions_bound_to_a_dag_belong_to_it() -> None:
    dag = DAG("d")

    @dag.task
    def work() -> None: ...

    work()
    assert dag.task_ids == ["work"]


def test_wrapped_functions_and_partials_are_understood() -> None:
    def trace(function: Any) -> Any:
        @functools.wraps(function)
        def inner(*args: Any, **kwargs: Any) -> Any:
            return ["traced", function(*args, **kwargs)]

        return inner

    @task
    @trace
    def work(x: int, ds: str | None = None) -> Any:
        return x, ds

    with DAG("d"):
        arg = work(1)
        with pytest.raises(TypeError, match="needs a value"):
            work()
    assert run(arg, ds="day") == ["traced", (1, "day")]


def test_an_unknown_variant_is_an_attribute_error_with_the_known_ones() -> None:
    with pytest.raises(AttributeError, match=r"no @task.brnch; did you mean branch\. There are: bash, branch"):
        _ = task.brnch
    with pytest.raises(
        AttributeError, match=r"no @task\.docker; `gnomon providers install docker` installs the package"
    ):
        _ = task.docker
    assert not hasattr(task, "nothing")


def shout_task(python_callable: Any = None, **kwargs: Any) -> Any:
    """What a provider package names under `task-decorators`."""
    return task_decorator_factory(python_callable, decorated_operator_class=PythonDecoratedOperator, **kwargs)


def test_a_provider_package_brings_variants(monkeypatch: pytest.MonkeyPatch) -> None:
    described = {"package-name": "p", "task-decorators": [{"name": "shout", "class-name": "shouting.shout_task"}]}
    packages = InstalledProviders({"p": ProviderPackage("1", described)}, {})
    monkeypatch.setattr(provider_packages, "load_provider_packages", lambda: packages)
    monkeypatch.setitem(sys.modules, "shouting", types.SimpleNamespace(shout_task=shout_task))
    with DAG("d"):

        @task.shout(retries=2)
        def speak() -> str:
            return "LOUD"

        arg = speak()
    assert (arg.operator.task_id, arg.operator.retries) == ("speak", 2)
    assert run(arg) == "LOUD"


def test_a_value_cannot_be_iterated_or_indexed_by_number_in_the_file() -> None:
    with DAG("d"):
        arg = BaseOperator(task_id="t").output
    with pytest.raises(TypeError, match="only when it has run"):
        list(arg)
    with pytest.raises(ValueError, match="text key"):
        arg[0]  # type: ignore[index]


def test_a_value_as_text_is_a_template_that_pulls_it() -> None:
    with DAG("d"):
        arg = BaseOperator(task_id="t").output
    assert str(arg) == "{{ task_instance.xcom_pull(task_ids='t', dag_id='d') }}"
    assert str(arg["k"]) == "{{ task_instance.xcom_pull(task_ids='t', dag_id='d', key='k') }}"


def test_a_missing_return_value_is_none_and_another_missing_key_an_error() -> None:
    from gnomon.model.errors.authoring import XComNotFound

    with DAG("d"):
        arg = BaseOperator(task_id="t").output
    context = {"ti": Ti(arg.operator)}
    assert arg.resolve(context) is None
    with pytest.raises(XComNotFound, match="'k'"):
        arg["k"].resolve(context)


# Variants


def branching(chosen: Any) -> tuple[XComArg, DAG]:
    @task.branch
    def choose() -> Any:
        return chosen

    with DAG("d") as dag:
        choice = choose()
        a, b, c, join = (BaseOperator(task_id=name) for name in ("a", "b", "c", "join"))
        with TaskGroup("g") as group:
            BaseOperator(task_id="x") >> BaseOperator(task_id="y")
        choice >> [a, b, join, group]
        a >> c >> join
    return choice, dag


@pytest.mark.parametrize(
    ("chosen", "skipped", "followed"),
    [
        ("a", ["b", "g.x"], ["a", "join"]),
        (["a", "b"], ["g.x"], ["a", "b", "join"]),
        (None, ["a", "b", "g.x", "join"], []),
        ("g", ["a", "b", "join"], ["g.x"]),
        (["b"], ["a", "g.x", "join"], ["b"]),
    ],
)
def test_a_branch_skips_what_it_did_not_choose_nor_reach(chosen: Any, skipped: list[str], followed: list[str]) -> None:
    choice, dag = branching(chosen)
    ti = Ti(choice.operator)
    with pytest.raises(DownstreamTasksSkipped) as found:
        choice.operator.execute({"ti": ti, "dag": dag})
    assert found.value.task_ids == skipped
    assert ti.pushed == {"skipmixin_key": {"followed": followed}}


def test_a_branch_that_follows_everything_returns_its_choice() -> None:
    choice, dag = branching(["a", "b", "g"])
    ti = Ti(choice.operator)
    assert choice.operator.execute({"ti": ti, "dag": dag}) == ["a", "b", "g"]
    assert ti.pushed == {"skipmixin_key": {"followed": ["a", "b", "g.x", "join"]}}


@pytest.mark.parametrize(
    ("chosen", "words"),
    [("nowhere", "'nowhere', which DAG 'd' does not have"), (5, "must return a task id"), ([3], "3, which")],
)
def test_a_branch_to_nowhere_is_an_error_with_the_choices(chosen: Any, words: str) -> None:
    choice, dag = branching(chosen)
    with pytest.raises(AirflowException, match=words):
        choice.operator.execute({"ti": Ti(choice.operator), "dag": dag})


@pytest.mark.parametrize(("everything", "skipped"), [(True, ["a", "b"]), (False, ["a"])])
def test_a_short_circuit_skips_all_that_follows_or_the_next_tasks(everything: bool, skipped: list[str]) -> None:
    @task.short_circuit(ignore_downstream_trigger_rules=everything)
    def gate(is_open: bool) -> bool:
        return is_open

    with DAG("d"):
        shut, open_ = gate(False), gate(True)
        a, b, clean = (BaseOperator(task_id=name) for name in ("a", "b", "clean"))
        shut >> a >> b >> clean.as_teardown()
        open_ >> b
    ti = Ti(shut.operator)
    with pytest.raises(DownstreamTasksSkipped) as found:
        shut.operator.execute({"ti": ti})
    assert found.value.task_ids == skipped
    assert ti.pushed == {"skipmixin_key": {"skipped": skipped}}
    assert run(open_) is True


def test_a_sensor_function_is_poked_until_true() -> None:
    answers = iter([False, PokeReturnValue(True, "found")])

    @task.sensor(poke_interval=0, timeout=60)
    def wait_for(x: int) -> Any:
        return next(answers)

    with DAG("d"):
        arg = wait_for(1)
    assert run(arg) == "found"


@pytest.mark.ordinary
def test_a_bash_function_returns_the_command() -> None:
    @task.bash
    def greet(name: str) -> str:
        return f"echo hello {name} {{{{ ds }}}}"

    with DAG("d"):
        arg = greet("you")
    assert run(arg, ds="2026-01-01") == "hello you 2026-01-01"


@pytest.mark.parametrize(
    ("decorator", "condition", "runs"),
    [
        (task.run_if, True, True),
        (task.run_if, False, False),
        (task.skip_if, True, False),
        (task.skip_if, False, True),
        (task.run_if, (False, "why"), False),
    ],
)
def test_conditions_decide_before_the_task_runs(decorator: Any, condition: Any, runs: bool) -> None:
    @decorator(lambda context: condition, skip_message="not today")
    @task
    def work() -> int:
        return 1

    with DAG("d"):
        operator = work().operator
    if runs:
        operator.pre_execute({})
    else:
        with pytest.raises(AirflowSkipException, match="why" if isinstance(condition, tuple) else "not today"):
            operator.pre_execute({})


def test_setup_and_teardown_functions_are_tied_by_value_and_by_block() -> None:
    @setup
    def make() -> str:
        return "cluster"

    @teardown(on_failure_fail_dagrun=True)
    def drop(cluster: str) -> None: ...

    @task
    def work() -> None: ...

    with DAG("d") as dag, drop(make()):
        work()
    clean = dag.get_task("drop")
    assert (dag.get_task("make").is_setup, clean.is_teardown, clean.on_failure_fail_dagrun) == (True, True, True)
    assert clean.upstream_task_ids == {"make", "work"}
    assert dag.get_task("work").upstream_task_ids == {"make"}


def test_packages_build_their_own_decorators() -> None:
    class Shout(PythonDecoratedOperator):
        def __init__(self, *, mark: str = "!", **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.mark = mark

        def execute(self, context: Any) -> Any:
            return str(super().execute(context)) + self.mark

    def shout(python_callable: Any = None, **kwargs: Any) -> Any:
        return task_decorator_factory(python_callable, decorated_operator_class=Shout, **kwargs)

    @shout(mark="?")
    def say() -> str:
        return "hello"

    with DAG("d"):
        assert run(say()) == "hello?"


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(TypeError, match="stands above a function"):
        task(int)
    with pytest.raises(ValueError, match="<lambda>"), DAG("d"):
        task(lambda: None)()


def test_the_trigger_rule_of_a_teardown_cannot_be_chosen() -> None:
    @teardown
    @task(trigger_rule="one_success")
    def ends() -> None: ...

    with (
        DAG("d", schedule=None),
        pytest.raises(ValueError, match=r"'ends' \(.*\): the trigger rule of a teardown task is not configurable"),
    ):
        ends()
