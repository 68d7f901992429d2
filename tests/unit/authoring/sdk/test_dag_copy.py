"""A deep copy of a DAG: equal to the original, and no change of one is a change of the other."""

from __future__ import annotations

import copy
import datetime as dt
import enum
import pickle
import re
import threading
import types
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnomon.authoring.operators.python import PythonOperator
from gnomon.authoring.sdk.arguments.notset import ArgNotSet
from gnomon.authoring.sdk.arguments.params import Param
from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec
from gnomon.authoring.sdk.members.task_group import TaskGroup
from gnomon.authoring.sdk.members.xcom_arg import XComArg
from gnomon.authoring.sdk.nodes.edges import Label
from gnomon.authoring.sdk.tasks.operator import BaseOperator
from gnomon.authoring.sdk.tasks.task_decorators import task
from gnomon.model.after import After

START = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


class Copy(BaseOperator):
    template_fields = ("value",)

    def __init__(self, *, value: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.value = value
        self.own: Any = {"list": [1]}


class Client:
    """Something of the author's that cannot be copied."""

    def __init__(self) -> None:
        self.lock = threading.Lock()


def rich() -> DAG:
    """A DAG with everything that hangs on one."""
    with DAG(
        "d",
        schedule="@daily",
        start_date=START,
        params={"p": Param({"a": [1]}, type="object", examples=[[1]])},
        default_args={"retries": 2, "params": {"q": [1]}},
        tags=["x"],
        owner_links={"me": "https://example.org"},
        user_defined_macros={"shout": str.upper, "re": re},
        user_defined_filters={"low": str.lower},
        jinja_environment_kwargs={"extensions": []},
        access_control={"role": {"can_read"}},
        template_searchpath=["/templates"],
        depends_on=[After("up")],
        max_active_runs=3,
    ) as dag:
        start = Copy(task_id="start", sla=dt.timedelta(1))
        make, clean = Copy(task_id="make"), Copy(task_id="clean")
        with TaskGroup("g", default_args={"retries": 3, "env": {"A": "1"}}) as group, TaskGroup("inner"):
            inner = Copy(task_id="t", value=[start.output, {"deep": make.output}])
        with make >> clean.as_teardown(setups=make):
            Copy(task_id="work", value="{{ shout('x') }}")
        start >> Label("why") >> group >> Copy(task_id="end", params={"r": [2]})
        inner.neighbour = start  # an author's attribute may hold another task, a group, or the DAG
        inner.home = group
        inner.whole = dag

        @task
        def decorated(value: Any) -> Any:
            return value

        decorated(inner.output)
    dag.get_template_env()
    return dag


# The two walks


ATOMIC = (
    str,
    bytes,
    int,
    float,
    bool,
    complex,
    type(None),
    type,
    enum.Enum,
    dt.date,
    dt.time,
    dt.timedelta,
    dt.tzinfo,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    types.ModuleType,
    ArgNotSet,
    range,
    re.Pattern,
)


def parts(value: Any) -> dict[int, str]:
    """The address of every mutable object that can be reached, with the path to it."""
    found: dict[int, str] = {}
    todo = [(value, "dag")]
    seen: set[int] = set()
    while todo:
        one, path = todo.pop()
        if isinstance(one, ATOMIC) or id(one) in seen:
            continue
        seen.add(id(one))
        inside = list(children(one))
        if is_mutable(one):
            found[id(one)] = path
        todo.extend((child, path + step) for step, child in inside)
    return found


def children(one: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(one, dict):
        for key, item in one.items():
            yield f" key {key!r}", key
            yield f"[{key!r}]", item
    elif isinstance(one, list | tuple | set | frozenset):
        yield from ((f"[{number}]", item) for number, item in enumerate(one))
    for key, item in getattr(one, "__dict__", {}).items():
        yield f".{key}", item
    for kind in type(one).__mro__:
        for name in getattr(kind, "__slots__", ()):
            if hasattr(one, name):
                yield f".{name}", getattr(one, name)


def is_mutable(one: Any) -> bool:
    if isinstance(one, tuple | frozenset):
        return False
    frozen = getattr(type(one), "__dataclass_params__", None)
    if frozen is not None and frozen.frozen:
        return False
    return not (isinstance(one, msgspec.Struct) and type(one).__struct_config__.frozen)


def assert_apart(dag: DAG, other: DAG) -> None:
    own, others = parts(dag), parts(other)
    assert len(own) > 10
    assert [path for address, path in own.items() if address in others] == []


def assert_whole(dag: DAG) -> None:
    """Every reference inside the DAG leads to a part of the same DAG."""
    for one in dag.tasks:
        assert one.dag is dag
        assert dag.task_dict[one.task_id] is one
        assert one.task_group is dag.task_group_dict.get(one.task_group.group_id, dag.task_group)  # type: ignore[union-attr]
        assert one.task_group.children[one.task_id] is one  # type: ignore[union-attr]
    for group in dag.task_group.iter_groups():
        assert group.dag is dag
        assert group.parent_group is None or group.parent_group.children[str(group.group_id)] is group
    assert {id(one) for one in dag.task_group.iter_tasks()} == {id(one) for one in dag.tasks}
    for one in dag.tasks:
        for name in one.template_fields:
            for argument in arguments_in(getattr(one, name)):
                assert argument.operator is dag.task_dict[argument.operator.task_id]


def arguments_in(value: Any) -> Iterator[XComArg]:
    if isinstance(value, XComArg):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from arguments_in(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from arguments_in(item)


# Claims


def test_a_copy_shares_nothing_that_can_change() -> None:
    dag = rich()
    other = copy.deepcopy(dag)
    assert_apart(dag, other)
    assert_whole(other)
    assert_whole(dag)
    assert build_dag_spec(other, "f.py") == build_dag_spec(dag, "f.py")
    inner: Any = other.get_task("g.inner.t")
    assert (inner.neighbour, inner.home, inner.whole) == (other.get_task("start"), other.task_group_dict["g"], other)
    assert other.task_ids == dag.task_ids
    assert other.user_defined_macros == dag.user_defined_macros


def test_adding_to_the_copy_leaves_the_original_as_it_is() -> None:
    dag = rich()
    before = build_dag_spec(dag, "f.py")
    other = copy.deepcopy(dag)
    with other, other.task_group_dict["g"]:
        new = Copy(task_id="new")
    other.get_task("g.inner.t") >> Label("more") >> new
    other.params["p"] = {"b": [2]}
    other.params.get_param("q").schema["type"] = "array"
    other.default_args["retries"] = 9
    other.tags.add("y")
    other.warn("something")
    other.user_defined_macros["more"] = len  # type: ignore[index]
    other.get_task("start").as_setup()
    assert build_dag_spec(dag, "f.py") == before
    assert not dag.has_task("g.new")
    assert "g.new" not in dag.node_locations
    assert "g.new" not in dag.task_group_dict["g"].children
    assert dag.get_edge_info("g.inner.t", "g.new") == {}
    assert (dag.default_args["retries"], dag.params["p"]) == (2, {"a": [1]})
    assert not any("something" in sentence for sentence in dag.warnings)
    assert "more" not in dag.user_defined_macros  # type: ignore[operator]


def test_the_environment_of_a_copy_has_the_macros_of_the_copy() -> None:
    dag = rich()
    other = copy.deepcopy(dag)
    other.user_defined_macros["whisper"] = str.lower  # type: ignore[index]
    assert other.get_template_env().from_string("{{ whisper('X') }}").render() == "x"
    assert "whisper" not in dag.get_template_env().globals


def test_a_long_chain_of_values_defined_backwards_is_copied() -> None:
    with DAG("d") as dag:
        tasks = [Copy(task_id=f"t{number}") for number in range(800)]
        for one, after in zip(tasks, tasks[1:], strict=False):
            one.value = after.output
    assert_whole(copy.deepcopy(dag))


def test_a_value_of_a_task_in_op_kwargs_leads_to_the_copy() -> None:
    client = Client()
    with DAG("d") as dag:
        start = Copy(task_id="start")
        PythonOperator(task_id="t", python_callable=print, op_kwargs={"deep": [start.output], "client": client})
    other: Any = copy.deepcopy(dag).get_task("t")
    assert other.op_kwargs["deep"][0].operator is other.dag.get_task("start")
    assert other.op_kwargs["client"] is client  # `shallow_copy_attrs` of the class names op_kwargs


def test_a_task_copied_alone_stays_in_its_dag() -> None:
    dag = rich()
    one = dag.get_task("g.inner.t")
    other = copy.deepcopy(one)
    assert (other.dag, other.task_group) == (dag, one.task_group)
    assert other.value[0] == one.value[0]
    other.own["list"].append(2)
    assert one.own == {"list": [1]}


def test_a_group_is_copied_with_its_dag() -> None:
    dag = rich()
    group = copy.deepcopy(dag.task_group_dict["g"])
    assert group.dag is not dag
    assert group.dag.task_group_dict["g"] is group
    assert_apart(dag, group.dag)


def test_a_task_with_a_copy_method_of_its_own_is_copied_by_it() -> None:
    class Counted(Copy):
        def __deepcopy__(self, memo: dict[int, Any]) -> Any:
            other: Any = super().__deepcopy__(memo)
            other.own["copied"] = True
            return other

    with DAG("d") as dag:
        after = Copy(task_id="after")
        after.value = Counted(task_id="t").output
    other = copy.deepcopy(dag)
    assert_whole(other)
    assert other.get_task("t").own == {"list": [1], "copied": True}


def test_what_cannot_be_copied_is_named() -> None:
    with DAG("d", default_args={"client": Client()}) as dag:
        pass
    with pytest.raises(TypeError) as found:
        copy.deepcopy(dag)
    assert "attribute 'default_args' of DAG 'd'" in found.value.__notes__[0]
    with DAG("d") as dag:
        Copy(task_id="t", value=Client())
    with pytest.raises(TypeError) as found:
        copy.deepcopy(dag)
    assert "attribute 'value' of task 't'" in found.value.__notes__[0]


def test_macros_are_not_copied_themselves() -> None:
    client = Client()
    dag = DAG("d", user_defined_macros={"client": client, "module": re})
    assert copy.deepcopy(dag).user_defined_macros == {"client": client, "module": re}


def test_a_dag_is_pickled_with_all_its_arguments() -> None:
    with DAG("d", schedule="@daily", start_date=START, tags=["x"], params={"p": 1}) as dag, TaskGroup("g"):
        start = Copy(task_id="start")
        start >> Copy(task_id="end", value=start.output)
    other = pickle.loads(pickle.dumps(dag))
    assert_whole(other)
    assert build_dag_spec(other, "f.py").spec == build_dag_spec(dag, "f.py").spec


# Any DAG


@st.composite
def dags(draw: st.DrawFn) -> DAG:
    """A DAG of tasks in nested groups, with edges, labels, values, setups, teardowns and params."""
    count = draw(st.integers(1, 8))
    with DAG("d", start_date=START, schedule="@daily", params=draw(params()), default_args={"retries": 1}) as dag:
        groups = [dag.task_group]
        for number in range(draw(st.integers(0, 3))):
            outer = draw(st.sampled_from(groups))
            groups.append(TaskGroup(f"g{number}", parent_group=outer, prefix_group_id=draw(st.booleans())))
        tasks: list[Any] = []
        for number in range(count):
            sources = [one.output for one in tasks if draw(st.booleans())]
            tasks.append(
                Copy(
                    task_id=f"t{number}",
                    task_group=draw(st.sampled_from(groups)),
                    params=draw(params()),
                    value=draw(st.sampled_from([sources, tuple(sources), {"a": sources}])),
                )
            )
        for number, one in enumerate(tasks):
            for after in tasks[number + 1 :]:
                kind = draw(st.integers(0, 3))
                if kind == 1:
                    one >> after
                elif kind == 2:
                    one >> Label("words") >> after
        if count > 2 and draw(st.booleans()):
            tasks[0] >> tasks[-1].as_teardown(setups=tasks[0])
    return dag


def params() -> st.SearchStrategy[dict[str, Any]]:
    number = st.integers(-(2**63), 2**63)
    values = st.one_of(number, st.lists(number), st.dictionaries(st.text("ab"), st.lists(st.booleans())))
    return st.dictionaries(
        st.sampled_from("pqr"),
        values.flatmap(lambda value: st.sampled_from([value, Param(value, description="words")])),
        max_size=2,
    )


@settings(max_examples=60, deadline=None)
@given(dags())
def test_any_copy_is_equal_and_apart(dag: DAG) -> None:
    other = copy.deepcopy(dag)
    assert_apart(dag, other)
    assert_whole(other)
    assert build_dag_spec(other, "f.py") == build_dag_spec(dag, "f.py")
    assert copy.deepcopy(other).edge_info == dag.edge_info
