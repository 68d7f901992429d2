"""Mapped tasks and groups in a DAG file: their spec, and what is wrong already when the file is parsed."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gnomon.author_code.loading.class_loader import load_class
from gnomon.authoring.operators.empty import EmptyOperator
from gnomon.authoring.operators.triggers.temporal import TimeDeltaTrigger
from gnomon.authoring.sdk import (
    DAG,
    BaseOperator,
    BaseSensorOperator,
    StartTriggerArgs,
    TaskGroup,
    XComArg,
    setup,
    task,
    teardown,
)
from gnomon.authoring.sdk.dags.dag_decorators import task_group
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec
from gnomon.authoring.sdk.mapping.expand_input import MappedArgument
from gnomon.authoring.sdk.mapping.mapped_operator import DecoratedMappedOperator, MappedOperator, NotFullyPopulated
from gnomon.authoring.sdk.mapping.mapped_task_group import MappedTaskGroup
from gnomon.authoring.sdk.members.xcom_arg import ConcatXComArg, MapXComArg, PlainXComArg, ZipXComArg
from gnomon.ground.config import load_config, set_current_config
from gnomon.model.errors.authoring import DuplicateTaskIdFound, MappingNotSupported
from gnomon.model.mapping import ConcatLength, Expansion, LiteralLength, XComLength, ZipLength
from gnomon.model.spec import TaskSpec


@pytest.fixture(autouse=True)
def _options(tmp_path: Path) -> Iterator[None]:
    set_current_config(load_config({}, home=tmp_path))
    yield
    set_current_config(None)


class Echo(BaseOperator):
    template_fields = ("text",)

    def __init__(self, *, text: Any = None, times: int = 1, pool: str = "echoes", **kwargs: Any) -> None:
        super().__init__(pool=pool, **kwargs)
        self.text, self.times = text, times


@task
def keep(x: Any, y: Any = None) -> Any:
    return [x, y]


def spec_of(dag: DAG) -> dict[str, TaskSpec]:
    return {one.task_id: one for one in build_dag_spec(dag, "/nowhere/f.py", load_class).spec.tasks}


def lengths(*parts: int) -> Expansion:
    return Expansion(factors=tuple(LiteralLength(length=part) for part in parts))


def test_the_spec_has_the_factors_in_the_order_of_the_arguments() -> None:
    with DAG("d", schedule=None) as dag:
        made, other = keep.override(task_id="made")(1), keep.override(task_id="other")(1)
        Echo.partial(task_id="literal").expand(text=["a", "b"], times={"x": 1})
        Echo.partial(task_id="dicts").expand_kwargs([{"text": "a"}] * 3)
        keep.override(task_id="xcoms").expand(x=made.map(str), y=made.zip(other, fillvalue=0).concat(other))
        Echo.partial(task_id="dicts_of_task").expand_kwargs(made)
    tasks = spec_of(dag)
    x = {name: XComLength(task_id=name) for name in ("made", "other")}
    assert tasks["made"].expansion is None
    assert tasks["literal"].expansion == lengths(2, 1) and tasks["dicts"].expansion == lengths(3)
    assert tasks["dicts_of_task"].expansion == Expansion(factors=(x["made"],))
    zipped = ZipLength(parts=(x["made"], x["other"]), has_fill_value=True)
    assert tasks["xcoms"].expansion == Expansion(factors=(x["made"], ConcatLength(parts=(zipped, x["other"]))))
    assert tasks["xcoms"].upstream == ("made", "other") and tasks["dicts_of_task"].upstream == ("made",)


def test_mapped_groups_are_in_the_spec_and_come_after_what_they_are_mapped_over() -> None:
    with DAG("d", schedule=None) as dag:
        made = keep.override(task_id="made")(1)

        @task_group
        def inner(n: Any) -> None:
            keep(n)

        @task_group(group_id="outer")
        def around(n: Any) -> None:
            EmptyOperator(task_id="first") >> inner.expand(n=[1, 2])

        around.expand(n=made)
        around.expand(n=[7])
    spec = build_dag_spec(dag, "/f.py").spec
    assert spec.group_expansions == {
        "outer": Expansion(factors=(XComLength(task_id="made"),)),
        "outer.inner": lengths(2),
        "outer__1": lengths(1),
        "outer__1.inner": lengths(2),
    }
    tasks = {one.task_id: one for one in spec.tasks}
    assert tasks["outer.first"].upstream == ("made",) and tasks["outer.inner.keep"].upstream == ("outer.first",)
    assert tasks["outer.inner.keep"].group == "outer.inner" and tasks["outer.inner.keep"].expansion is None


def test_the_hash_of_the_spec_changes_with_the_length_of_a_literal_and_not_with_its_elements() -> None:
    def hash_of(values: list[int]) -> str:
        with DAG("d", schedule=None) as dag:
            keep.expand(x=values)
        return build_dag_spec(dag, "/f.py").spec_hash

    assert hash_of([1, 2]) == hash_of([3, 4]) != hash_of([1, 2, 3])


def test_what_partial_says_is_in_the_spec_and_on_the_task_with_the_defaults_of_dag_group_and_class() -> None:
    with (
        DAG("d", schedule=None, default_args={"retries": 2, "owner": "me", "text": "of the dag"}) as dag,
        TaskGroup("g", default_args={"owner": "us"}),
    ):
        mapped = Echo.partial(
            task_id="t",
            trigger_rule="all_done",
            max_active_tis_per_dag=3,
            max_active_tis_per_dagrun=2,
            retry_delay=7,
            queue="q",
            map_index_template="{{ 1 }}",
            default_args={"priority_weight": 9},
        ).expand(times=[1])
        override = Echo.partial(task_id="u", pool="mine", retries=0).expand(times=[1])
    spec = spec_of(dag)["g.t"]
    assert (spec.retries, spec.owner, spec.pool, spec.trigger_rule, spec.queue, spec.retry_delay_s) == (
        2,
        "us",
        "echoes",
        "all_done",
        "q",
        7,
    )
    assert (spec.max_active_tis_per_dag, spec.max_active_tis_per_dagrun, spec.priority_weight, spec.operator) == (
        3,
        2,
        9,
        "Echo",
    )
    assert (mapped.retries, mapped.owner, mapped.pool, mapped.map_index_template, override.pool, override.retries) == (
        2,
        "us",
        "echoes",
        "{{ 1 }}",
        "mine",
        0,
    )
    mapped.pool_slots = 2
    mapped.trigger_rule = "always"
    again = spec_of(dag)["g.t"]
    operator = mapped.unmap({"times": 5})
    assert (again.pool_slots, again.trigger_rule) == (2, "always") == (operator.pool_slots, operator.trigger_rule)
    assert (operator.text, operator.times, operator.task_id, operator.dag, operator.task_group) == (
        "of the dag",
        5,
        "g.t",
        dag,
        mapped.task_group,
    )


def test_the_names_that_authors_and_providers_use() -> None:
    with DAG("d", schedule=None) as dag:
        mapped = Echo.partial(task_id="t", text="x").expand(times=[1, 2])
        made = mapped.output
        function = keep.expand(x=made)

        @task_group
        def section(n: Any) -> Any:
            assert isinstance(n, MappedArgument)
            return keep(n)

        section.expand(n=function)
    assert (
        isinstance(mapped, MappedOperator)
        and not isinstance(mapped, BaseOperator)
        and mapped.operator_class is Echo
        and mapped.is_mapped
    )
    assert mapped.partial_kwargs == {"text": "x"} and mapped.expand_input.value == {"times": [1, 2]}
    assert (mapped.task_type, mapped.template_fields, mapped.ui_color, repr(mapped)) == (
        "Echo",
        ("text",),
        "#fff",
        "<Mapped(Echo): t>",
    )
    assert isinstance(made, XComArg) and isinstance(made, PlainXComArg) and mapped.get_parse_time_mapped_ti_count() == 2
    second = function.operator
    assert isinstance(second, DecoratedMappedOperator) and second.op_kwargs_expand_input.value == {"x": made}
    with pytest.raises(NotFullyPopulated, match="missing: 'x'"):
        second.get_parse_time_mapped_ti_count()
    group = dag.task_group_dict["section"]
    assert isinstance(group, MappedTaskGroup) and group.is_mapped and not dag.task_group.is_mapped
    assert list(mapped.iter_mapped_dependants()) == [second] and list(second.iter_mapped_dependants()) == [group]
    inner = dag.get_task("section.keep")
    assert inner.get_closest_mapped_task_group() is group and inner.get_needs_expansion() and not inner.is_mapped
    assert (
        isinstance(made.map(str), MapXComArg)
        and isinstance(made.zip(made), ZipXComArg)
        and isinstance(made.concat(made), ConcatXComArg)
    )
    assert (
        repr(made.map(str).zip(made, fillvalue=1))
        == "XComArg('t', key='return_value').map(str).zip(XComArg('t', key='return_value'), fillvalue=1)"
    )


def test_edges_setup_and_teardown_of_mapped_tasks() -> None:
    with DAG("d", schedule=None) as dag:
        first, last = EmptyOperator(task_id="first"), EmptyOperator(task_id="last")
        first >> Echo.partial(task_id="t").expand(times=[1]) >> last

        @setup
        def opened(x: Any) -> None: ...

        @teardown
        def closed(x: Any, y: Any) -> None: ...

        with closed.partial(y=opened.expand(x=[1])).expand(x=[1]):
            keep.override(task_id="work").expand(x=[1])
    tasks = spec_of(dag)
    assert tasks["t"].upstream == ("first",) and tasks["last"].upstream == ("t",)
    assert (
        tasks["opened"].is_setup
        and tasks["closed"].is_teardown
        and tasks["closed"].trigger_rule == "all_done_setup_success"
    )
    assert tasks["work"].upstream == ("opened",) and tasks["closed"].upstream == ("opened", "work")


def test_a_copy_of_a_dag_refers_to_its_own_tasks() -> None:
    with DAG("d", schedule=None) as dag:
        made = keep.override(task_id="made")(1)
        keep.expand(x=made.map(str), y=[made])

        @task_group
        def section(n: Any) -> None:
            keep(x=n)

        section.expand(n=made)
    other = copy.deepcopy(dag)
    mapped: Any = other.task_dict["keep"]
    values = mapped.op_kwargs_expand_input.value
    assert values["x"].arg.operator is other.task_dict["made"] is values["y"][0].operator
    group: Any = other.task_group_dict["section"]
    assert other.get_task("section.keep").op_kwargs["x"]._input is group.expand_input
    assert group.expand_input.value["n"].operator is other.task_dict["made"]
    assert build_dag_spec(other, "/f.py").spec_hash == build_dag_spec(dag, "/f.py").spec_hash


class Starts(BaseOperator):
    start_trigger_args = StartTriggerArgs(
        trigger_cls=f"{TimeDeltaTrigger.__module__}.TimeDeltaTrigger",
        trigger_kwargs={"delta": 60.0},
        next_method="go_on",
        next_kwargs={"k": 1},
    )

    def __init__(
        self, *, trigger_kwargs: Any = None, start_from_trigger: bool = False, n: int = 0, **kwargs: Any
    ) -> None:
        raise AssertionError("the file makes no operator")

    def go_on(self, context: Any, event: Any = None, k: int = 0) -> None:
        """Called after the wait."""


def test_instances_that_start_with_one_trigger_have_it_in_the_spec_and_others_defer_in_an_attempt() -> None:
    with DAG("d", schedule=None) as dag:
        Starts.partial(task_id="not").expand(n=[1, 2])
        Starts.partial(task_id="same", start_from_trigger=True).expand(n=[1, 2])
        Starts.partial(task_id="partial", start_from_trigger=True, trigger_kwargs={"delta": 90.0}).expand(n=[1, 2])
        Starts.partial(task_id="mapped", start_from_trigger=True).expand(trigger_kwargs=[{"delta": 1.0}])
    waits = {name: one.start_wait for name, one in spec_of(dag).items()}
    assert waits["not"] is None and waits["mapped"] is None
    assert waits["same"] is not None and waits["same"].next_method == "go_on"
    assert waits["partial"] is not None and "90.0" in waits["partial"].kwargs and "60.0" in waits["same"].kwargs


class Watch(BaseSensorOperator):
    def __init__(self, *, n: int = 0, **kwargs: Any) -> None:
        super().__init__(**kwargs)


def test_soft_fail_that_differs_between_instances_is_named() -> None:
    with DAG("d", schedule=None) as dag:
        Watch.partial(task_id="same", soft_fail=True).expand(n=[1])
        Watch.partial(task_id="other").expand(soft_fail=[True, False])
    tasks = spec_of(dag)
    assert tasks["same"].soft_fail and tasks["same"].is_sensor and not tasks["other"].soft_fail
    assert "Task 'other'" in dag.warnings[0] and "soft_fail= differs between instances" in dag.warnings[0]


class Connects:
    """A class that operators share: its `__init__` is no operator's, and names what `partial` takes by the attribute that Airflow reads."""

    def __init__(self, host: str = "", **kwargs: Any) -> None:
        self.host = host

    __init__._BaseOperatorMeta__param_names = {"host"}  # type: ignore[attr-defined]


class Fetch(Connects, BaseOperator):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        Connects.__init__(self, host=kwargs.pop("host", ""))
        BaseOperator.__init__(self, *args, **kwargs)


def test_partial_and_expand_take_what_a_shared_class_marks_as_its_parameters() -> None:
    with DAG("d", schedule=None):
        shared = Fetch.partial(task_id="shared", host="x").expand(params=[{"n": 1}])
        mapped = Fetch.partial(task_id="mapped").expand(host=["x", "y"])
        with pytest.raises(TypeError, match="unexpected keyword argument 'hosts'.*did you mean host="):
            Fetch.partial(task_id="wrong", hosts="x")
    assert shared.partial_kwargs["host"] == "x" and shared.unmap({"params": {"n": 1}}).host == "x"
    assert mapped.unmap({"host": "y"}).host == "y"


def test_a_partial_without_expand_is_named() -> None:
    with DAG("d", schedule=None) as dag:
        kept = Echo.partial(task_id="kept", times=2)
        with pytest.warns(UserWarning, match="Task 'gone' was never mapped!"):
            Echo.partial(task_id="gone")
        function = keep.partial(y=1)
        used = keep.partial(y=1)
        used.expand(x=[1])
        keep.partial(y=1).override(task_id="called").expand(x=[1])

        @task_group
        def section(n: int, m: int) -> None:
            keep(n)

        group = section.partial(n=1)
    build_dag_spec(dag, "/f.py")
    named = sorted(
        re.findall(
            r": (.*) \(\S+test_mapping.py:\d+\) was never mapped, so it is no part of the DAG. Call expand",
            "\n".join(dag.warnings),
        )
    )
    assert named == ["Partial task group 'section'", "Task 'gone'", "Task 'keep'", "Task 'kept'"]
    for one in (kept._watch, function._watch, group._watch):
        assert one is not None
        one.is_expanded = True  # no warning when the test ends


WRONG: dict[str, tuple[Any, type[Exception], str]] = {
    "no arguments": (
        lambda: Echo.partial(task_id="t").expand(),
        TypeError,
        "no arguments to expand against: .*needs a list or a dict",
    ),
    "no arguments of a function": (lambda: keep.expand(), TypeError, "no arguments to expand against"),
    "unknown in partial": (
        lambda: Echo.partial(task_id="t", tims=1),
        TypeError,
        r"Echo.partial\(\) got an unexpected keyword argument 'tims' \(.*\); did you mean times=",
    ),
    "two unknown": (
        lambda: Echo.partial(task_id="t", foo=1, bar=1),
        TypeError,
        "unexpected keyword arguments 'foo', 'bar'",
    ),
    "unknown in expand": (
        lambda: Echo.partial(task_id="t").expand(file=[1]),
        TypeError,
        r"Echo.expand\(\) got an unexpected keyword argument 'file'",
    ),
    "unknown in a dict": (
        lambda: Echo.partial(task_id="t").expand_kwargs([{"file": 1}]),
        TypeError,
        r"expand_kwargs\(\) got an unexpected",
    ),
    "no task_id": (lambda: Echo.partial(text=1), TypeError, "Echo.partial.. needs task_id="),
    "of a task": (
        lambda: Echo(task_id="t").partial(task_id="u"),
        TypeError,
        "partial can only be called on Operator classes, not Tasks themselves",
    ),
    "text": (
        lambda: Echo.partial(task_id="t").expand(text="abc"),
        ValueError,
        r"unexpected type 'str' for keyword argument text.*write text=\['abc'\]",
    ),
    "number": (
        lambda: Echo.partial(task_id="t").expand(times=3),
        ValueError,
        r"unexpected type 'int' for keyword argument times.*partial\(times=3\)",
    ),
    "none": (lambda: keep.expand(x=None), ValueError, "unexpected type 'NoneType' for keyword argument x"),
    "set": (lambda: keep.expand(x={1}), ValueError, "unexpected type 'set' .*sorted"),
    "generator": (lambda: keep.expand(x=iter([1])), ValueError, r"Write x=list\(...\)"),
    "function": (lambda: keep.expand(x=print), ValueError, "unexpected type .*Call the function"),
    "both": (
        lambda: Echo.partial(task_id="t", times=1).expand(times=[1]),
        TypeError,
        "unmappable or already specified argument: times; task 't'",
    ),
    "both of a function": (
        lambda: keep.partial(x=1).expand(x=[1]),
        TypeError,
        "mapping already partial argument: x of @task 'keep'",
    ),
    "twice partial": (lambda: keep.partial(x=1).partial(x=1), TypeError, "duplicate partial argument: x"),
    "both in a dict": (
        lambda: Echo.partial(task_id="t", times=1).expand_kwargs([{"times": 1}]),
        TypeError,
        "already specified argument: times",
    ),
    "retries": (
        lambda: Echo.partial(task_id="t").expand(retries=[1]),
        TypeError,
        "unmappable or already specified argument: retries",
    ),
    "task_id": (
        lambda: Echo.partial(task_id="t").expand(task_id=["a"]),
        TypeError,
        "unmappable or already specified argument: task_id",
    ),
    "unknown parameter": (
        lambda: keep.expand(z=[1]),
        TypeError,
        r"expand\(\) got an unexpected keyword argument 'z' of @task 'keep' \(.*:\d+\)",
    ),
    "context key": (
        lambda: task(lambda ti: 1, task_id="t").expand(ti=[1]),
        (ValueError),
        "cannot call expand.. on task context variable 'ti'",
    ),
    "not a list of dicts": (
        lambda: Echo.partial(task_id="t").expand_kwargs({"text": 1}),
        TypeError,
        r"expected XComArg or list\[dict\], not dict",
    ),
    "a list of others": (
        lambda: keep.expand_kwargs([1]),
        TypeError,
        r"expected XComArg or list\[dict\], not list\[int\]",
    ),
    "custom key": (
        lambda: keep.expand(x=keep(1)["k"]),
        ValueError,
        "cannot map over XCom with custom key 'k' from <Task",
    ),
    "map of a custom key": (lambda: keep(1)["k"].map(str), ValueError, "non-return XCom"),
    "map with a task": (lambda: keep(1).map(keep), ValueError, "must be a plain function, not a @task operator"),
    "map without function": (lambda: keep(1).map(5), TypeError, "a function of one element"),
    "zip with a list": (lambda: keep(1).zip([1]), TypeError, "takes results of tasks"),
    "too long": (
        lambda: keep.expand(x=range(1_000_001)),
        ValueError,
        r"maps over 1000001 elements, and \[core\] max_map_length is 1024",
    ),
    "too many dicts": (lambda: keep.expand_kwargs([{"x": 1}] * 1025), ValueError, "maps over 1025 elements"),
    "always": (
        lambda: keep.override(trigger_rule="always").expand(x=keep(1)),
        ValueError,
        "not allowed with trigger rule 'always'",
    ),
    "pool_slots": (
        lambda: Echo.partial(task_id="t", pool_slots=0).expand(times=[1]),
        ValueError,
        "Task 't' .*pool_slots",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said_with_its_line(name: str) -> None:
    call, error, words = WRONG[name]
    with DAG("d", schedule=None), pytest.raises(error, match=words):
        call()


def test_a_duplicate_id_is_refused() -> None:
    with DAG("d", schedule=None), pytest.raises(DuplicateTaskIdFound, match="has two nodes 't'"):
        EmptyOperator(task_id="t")
        Echo.partial(task_id="t").expand(times=[1])


def test_the_limit_of_a_literal_is_an_option(tmp_path: Path) -> None:
    set_current_config(load_config({"AIRFLOW__CORE__MAX_MAP_LENGTH": "2"}, home=tmp_path))
    with DAG("d", schedule=None), pytest.raises(ValueError, match="maps over 3 elements, and .* is 2"):
        keep.expand(x=[1, 2, 3])


def test_a_number_of_instances_that_depends_on_the_instance_of_a_group_is_refused() -> None:
    with DAG("d", schedule=None):

        @task_group
        def over_argument(n: Any) -> None:
            keep.expand(x=n)

        @task_group
        def over_task(n: Any) -> None:
            keep.override(task_id="b").expand(x=keep.override(task_id="a")(n))

        @task_group
        def around(n: Any) -> None:
            over_argument.expand(n=n)

        with pytest.raises(
            MappingNotSupported,
            match=r"Task 'over_argument.keep' \(.*\) is mapped over an argument of the mapped task group around it",
        ):
            over_argument.expand(n=[[1], [2]])
        with pytest.raises(
            MappingNotSupported,
            match="mapped over the result of 'over_task.a', and both are in the mapped task group 'over_task'",
        ):
            over_task.expand(n=[1])
        with pytest.raises(MappingNotSupported, match="Task group 'around.over_argument' .* mapped over an argument"):
            around.expand(n=[[1]])


def test_the_rule_always_in_a_group_mapped_over_a_task_is_refused() -> None:
    with DAG("d", schedule=None) as dag:

        @task_group
        def section(n: Any) -> None:
            EmptyOperator(task_id="t", trigger_rule="always")

        section.expand(n=keep(1))
    with pytest.raises(
        ValueError,
        match=r"'section.t' \(.*\) has trigger_rule='always'. Task-generated mapping within a mapped task group",
    ):
        build_dag_spec(dag, "/f.py")


def test_groups_check_their_arguments() -> None:
    @task_group
    def section(n: int, *others: int) -> None: ...

    with DAG("d", schedule=None):
        with pytest.raises(
            TypeError, match=r"expand\(\) got an unexpected keyword argument 'm' of @task_group 'section'"
        ):
            section.expand(m=[1])
        with pytest.raises(TypeError, match="no arguments to expand against"):
            section.expand()
        with pytest.raises(TypeError, match="mapping already partial argument: n"):
            section.partial(n=1).expand(n=[1])
        with pytest.raises(TypeError, match=r"task group function with \* or \*\* is not supported"):
            section.expand_kwargs([{"n": 1}])
        with pytest.raises(ValueError, match="unexpected type 'int' for keyword argument n"):
            section.expand(n=1)


def test_a_parameter_that_no_instance_gets_is_named() -> None:
    with DAG("d", schedule=None) as dag:
        keep.expand(y=[1])
    assert (
        "Task 'keep'" in dag.warnings[0]
        and "its instances will fail, because keep() needs a value for 'x'" in dag.warnings[0]
    )


@pytest.mark.parametrize(
    "name", ["do_xcom_push", "multiple_outputs", "render_template_as_native_obj", "logger_name", "pre_execute", "email"]
)
def test_an_argument_of_one_instance_is_checked_as_that_of_all(name: str) -> None:
    task: Any = BaseOperator
    with pytest.raises(TypeError, match=rf"Task 't' .*test_mapping.py:\d+.*{name} must "):
        task.partial(task_id="t").expand(**{name: [None, 1.5]})
    with pytest.raises(TypeError, match=rf"Task 't' .*test_mapping.py:\d+.*{name} must "):
        task.partial(task_id="t").expand_kwargs([{name: 1.5}])
