"""Instances of mapped tasks: which elements they get, what they report, and what other tasks read of them."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.unit.author_code.runner.mapped_run import Server, combinations, run_mapped, run_one

from gnomon.authoring.operators.bash import BashOperator
from gnomon.authoring.operators.empty import EmptyOperator
from gnomon.authoring.operators.python import PythonOperator
from gnomon.authoring.sdk import DAG, BaseOperator, BaseSensorOperator, PokeReturnValue, get_current_context, task
from gnomon.authoring.sdk.connections.channel import install_channel
from gnomon.authoring.sdk.dags.dag_decorators import task_group
from gnomon.ground.config import load_config, set_current_config
from gnomon.model.errors.authoring import AirflowSkipException
from gnomon.model.serde import loads
from gnomon.model.task_api_requests import GetXComElement, GetXComs


@pytest.fixture(autouse=True)
def _options(tmp_path: Path) -> Iterator[None]:
    set_current_config(load_config({}, home=tmp_path))
    yield
    set_current_config(None)
    install_channel(None)


class Keep(BaseOperator):
    """Returns its arguments."""

    template_fields = ("a", "b")

    def __init__(self, *, a: Any = None, b: Any = None, c: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.a, self.b, self.c = a, b, c

    def execute(self, context: Any) -> Any:
        return [self.a, self.b, self.c]


@task
def keep(x: Any = None, y: Any = None) -> Any:
    return [x, y]


def test_an_operator_has_an_instance_for_each_combination_and_the_last_argument_varies_fastest() -> None:
    with DAG("d", schedule=None) as dag:
        Keep.partial(task_id="t", c="same").expand(a=[1, 2], b=["x", "y", "z"])
    run = run_mapped(dag)
    assert run.values("t") == [[a, b, "same"] for a, b in combinations([1, 2], ["x", "y", "z"])]


def test_an_instance_reads_its_element_and_not_the_whole_list_of_the_task() -> None:
    """So its cost does not grow with the number of instances."""
    with DAG("d", schedule=None) as dag:

        @task
        def source() -> Any:
            return [{"y": number} for number in range(3)]

        keep.expand(x=source())
        keep.override(task_id="by_dicts").expand_kwargs(source.override(task_id="dicts")())
    run = run_mapped(dag)
    assert run.values("keep") == [[{"y": number}, None] for number in range(3)]
    assert run.values("by_dicts") == [[None, number] for number in range(3)]
    assert sorted(question.number for question in run.server.asked if isinstance(question, GetXComElement)) == [
        0,
        0,
        1,
        1,
        2,
        2,
    ]
    assert not any(isinstance(question, GetXComs) for question in run.server.asked)


def test_a_dict_gives_its_items_as_pairs() -> None:
    with DAG("d", schedule=None) as dag:
        keep.expand(x={"one": 1, "two": 2})
    assert run_mapped(dag).values("keep") == [[("one", 1), None], [("two", 2), None]]


def test_expand_kwargs_takes_dicts_of_arguments_from_the_file_and_from_a_task() -> None:
    with DAG("d", schedule=None) as dag:

        @task
        def make() -> Any:
            return [{"x": 1}, {"x": 2, "y": 3}]

        keep.override(task_id="of_file").partial(y=0).expand_kwargs([{"x": 1}, {"x": 2}])
        keep.override(task_id="of_task").expand_kwargs(make())
        Keep.partial(task_id="classic").expand_kwargs([{"a": make()}, {"b": 1}])
    run = run_mapped(dag)
    assert run.values("of_file") == [[1, 0], [2, 0]]
    assert run.values("of_task") == [[1, None], [2, 3]]
    assert run.values("classic") == [[[{"x": 1}, {"x": 2, "y": 3}], None, None], [None, 1, None]]


def test_an_argument_that_is_partial_and_in_a_dict_of_a_task_fails_the_instance_unless_strict_is_off() -> None:
    with DAG("d", schedule=None) as dag:

        @task
        def make() -> Any:
            return [{"x": 1}]

        keep.override(task_id="strict").partial(x=0).expand_kwargs(make())
        keep.override(task_id="loose").partial(x=0).expand_kwargs(make.override(task_id="other")(), strict=False)
        Keep.partial(task_id="classic").expand_kwargs(make.override(task_id="third")().map(lambda _: {"retries": 3}))
    run = run_mapped(dag)
    outcome, reason = run.outcome("strict", 0)
    assert outcome == "failed" and str(reason).startswith(
        "TypeError: mapping already partial argument: x of task 'strict' ("
    )
    assert run.values("loose") == [[1, None]]
    outcome, reason = run.outcome("classic", 0)
    assert outcome == "failed" and str(reason).startswith(
        "TypeError: unmappable or already specified argument: retries of task 'classic' ("
    )


def test_map_zip_and_concat() -> None:
    with DAG("d", schedule=None) as dag:

        @task
        def numbers() -> Any:
            return [1, 2, 3]

        @task
        def letters() -> Any:
            return {"a": 1, "b": 2}

        n, text = numbers(), letters()
        keep.override(task_id="mapped").expand(x=n.map(lambda v: v * 10).map(str))
        keep.override(task_id="short").expand(x=n.zip(text))
        keep.override(task_id="filled").expand(x=n.zip(text, fillvalue="-"))
        keep.override(task_id="joined").expand(x=n.concat(text).concat(n))
        keep.override(task_id="all").expand(
            x=n.zip(n.map(lambda v: -v)).map(sum).concat(text.map(lambda pair: pair[0]))
        )
    run = run_mapped(dag)
    assert [x for x, _ in run.values("mapped")] == ["10", "20", "30"]
    assert [x for x, _ in run.values("short")] == [(1, ("a", 1)), (2, ("b", 2))]
    assert [x for x, _ in run.values("filled")] == [(1, ("a", 1)), (2, ("b", 2)), (3, "-")]
    assert [x for x, _ in run.values("joined")] == [1, 2, 3, ("a", 1), ("b", 2), 1, 2, 3]
    assert [x for x, _ in run.values("all")] == [0, 0, 0, "a", "b"]


def test_an_upstream_without_elements_gives_no_instance() -> None:
    with DAG("d", schedule=None) as dag:

        @task
        def make() -> Any:
            return []

        keep.expand(x=make())
    run = run_mapped(dag)
    assert run.results["make", -1].return_length == 0 and run.values("keep") == []


def test_a_function_of_map_that_raises_airflow_skip_exception_skips_its_instance() -> None:
    def only_even(value: int) -> int:
        if value % 2:
            raise AirflowSkipException(f"{value} is odd")
        return value

    with DAG("d", schedule=None) as dag:

        @task
        def make() -> Any:
            return [1, 2]

        keep.expand(x=make().map(only_even))
    run = run_mapped(dag)
    assert [run.outcome("keep", index) for index in (0, 1)] == [("skipped", "1 is odd"), ("success", None)]


def test_literal_elements_are_rendered_and_elements_of_a_task_are_not() -> None:
    with DAG("d", schedule=None) as dag:

        @task
        def make() -> Any:
            return ["{{ ds }}", ["{{ ds }}"]]

        Keep.partial(task_id="literal", b="{{ ti.map_index }}").expand(a=["{{ ds }}", ["{{ run_id }}"]])
        Keep.partial(task_id="pulled", b="{{ ds }}").expand(a=make())
        keep.override(task_id="function").expand(x=["{{ ds }}"], y=make())
    run = run_mapped(dag)
    assert run.values("literal") == [["2023-11-14", "0", None], [["r"], "1", None]]
    assert [value[:2] for value in run.values("pulled")] == [["{{ ds }}", "2023-11-14"], [["{{ ds }}"], "2023-11-14"]]
    assert run.values("function") == [["2023-11-14", "{{ ds }}"], ["2023-11-14", ["{{ ds }}"]]]


def test_xcoms_inside_literals_and_in_partial_are_resolved() -> None:
    with DAG("d", schedule=None) as dag:

        @task
        def one() -> Any:
            return 1

        first, second = one(), one()
        keep.partial(y=first).expand(x=[first, second, 5])
    run = run_mapped(dag)
    assert run.values("keep") == [[1, 1], [1, 1], [5, 1]]
    assert dag.task_dict["keep"].upstream_task_ids == {"one", "one__1"}


def test_what_maps_over_a_mapped_task_has_an_element_for_each_value() -> None:
    with DAG("d", schedule=None) as dag:

        @task
        def twice(n: int) -> Any:
            return None if n == 2 else n * 2

        @task
        def total(values: Any) -> Any:
            return [sum(values), len(values), values[0], values[-1], list(values[:1])]

        mapped = twice.expand(n=[1, 2, 3])
        keep.expand(x=mapped)
        total(mapped)
    run = run_mapped(dag)
    assert run.values("keep") == [[2, None], [6, None]]
    assert run.values("total") == [[8, 2, 2, 6, [2]]]
    assert [run.results["twice", index].return_length for index in range(3)] == [1, None, 1]


def test_the_tasks_of_a_mapped_group_read_their_own_index_and_others_read_a_list() -> None:
    with DAG("d", schedule=None) as dag:

        @task
        def add(n: int) -> Any:
            return n + 1

        @task_group
        def section(n: int, by: int) -> Any:
            return keep.override(task_id="k")(add(n), by)

        last = section.partial(by=7).expand(n=[10, 20, 30])
        keep.override(task_id="outside")(last)
        keep.override(task_id="mapped_outside").expand(x=last)
    run = run_mapped(dag)
    assert run.values("section.k") == [[11, 7], [21, 7], [31, 7]]
    assert run.value("outside") == [[[11, 7], [21, 7], [31, 7]], None]
    assert run.values("mapped_outside") == [[[11, 7], None], [[21, 7], None], [[31, 7], None]]


def test_a_group_of_one_instance_gives_a_list_too() -> None:
    with DAG("d", schedule=None) as dag:

        @task_group
        def section(n: int) -> Any:
            return keep.override(task_id="k")(n)

        keep.override(task_id="outside")(section.expand(n=[1]))
    assert run_mapped(dag).value("outside") == [[[1, None]], None]


def test_a_group_mapped_over_dicts_of_a_task() -> None:
    with DAG("d", schedule=None) as dag:

        @task
        def make() -> Any:
            return [{"a": 1, "b": 2}, {"a": 3, "b": 4}]

        @task_group
        def section(a: int, b: int) -> None:
            Keep(task_id="k", a=a, b=b)

        section.expand_kwargs(make())
    run = run_mapped(dag)
    assert run.values("section.k") == [[1, 2, None], [3, 4, None]]
    assert dag.task_dict["section.k"].upstream_task_ids == {"make"}


def test_mapped_groups_and_tasks_inside_mapped_groups() -> None:
    with DAG("d", schedule=None) as dag:

        @task
        def letters() -> Any:
            return ["a", "b"]

        @task
        def total(values: Any, own: Any) -> Any:
            return [own, list(values)]

        alphabet = letters()

        @task_group
        def inner(m: Any, n: Any) -> Any:
            value = keep.override(task_id="leaf")(n, m)
            every = keep.override(task_id="wide").partial(x=value).expand(y=alphabet)
            total.override(task_id="of_wide")(every, value)
            return value

        @task_group
        def outer(n: Any) -> None:
            start = keep.override(task_id="start")(n)
            below = inner.partial(n=start).expand(m=["p", "q", "r"])
            total.override(task_id="of_inner")(below, start)

        outer.expand(n=[1, 2])
    run = run_mapped(dag)
    leaves = [[[n, None], m] for n, m in combinations([1, 2], ["p", "q", "r"])]
    assert run.values("outer.inner.leaf") == leaves
    assert run.values("outer.inner.wide") == [[leaf, letter] for leaf in leaves for letter in ("a", "b")]
    assert run.values("outer.inner.of_wide") == [[leaf, [[leaf, "a"], [leaf, "b"]]] for leaf in leaves]
    assert run.values("outer.of_inner") == [[[1, None], leaves[:3]], [[2, None], leaves[3:]]]


def test_the_context_of_an_instance() -> None:
    with DAG("d", schedule=None, params={"p": 1}) as dag:

        @task
        def show(x: Any, ti: Any = None, expanded_ti_count: Any = None, params: Any = None, task: Any = None) -> Any:
            return [x, ti.map_index, expanded_ti_count, ti.is_mapped, params["p"], task.is_mapped, ti.task is task]

        show.expand(x=["a", "b"])
        Keep.partial(task_id="t", params={"q": 2}, b="{{ params.q }}{{ params.p }}").expand(params=[{"p": 5}, {"q": 6}])
    run = run_mapped(dag)
    assert run.values("show") == [["a", 0, 2, True, 1, False, True], ["b", 1, 2, True, 1, False, True]]
    assert [value[1] for value in run.values("t")] == ["25", "61"]


def test_xcom_pull_by_map_index() -> None:
    with DAG("d", schedule=None) as dag:
        mapped = keep.expand(x=[1, 2, 3])

        @task
        def pull(ti: Any = None) -> Any:
            own = ti.xcom_pull
            return [
                own("keep", map_indexes=1),
                own("keep", map_indexes=[2, 0]),
                own("keep"),
                own(["keep"]),
                own("keep", map_indexes=9),
            ]

        mapped >> pull()
    assert run_mapped(dag).value("pull") == [
        [2, None],
        [[3, None], [1, None]],
        [[1, None], [2, None], [3, None]],
        [[1, None], [2, None], [3, None]],
        None,
    ]


def test_a_loop_over_all_values_asks_in_batches_and_an_index_asks_for_one() -> None:
    with DAG("d", schedule=None) as dag:
        mapped = keep.expand(x=list(range(150)))

        @task
        def read(values: Any) -> Any:
            return [values[7], len(list(values)), bool(values), repr(values)]

        read(mapped)
    run = run_mapped(dag)
    assert run.value("read") == [[7, None], 150, True, "LazyXComSequence([150 items])"]
    batches = [question.limit for question in run.server.asked if type(question).__name__ == "GetXComBatch"]
    assert batches == [1, 64, 64, 64, 64]


def test_a_lazy_sequence_is_stored_as_a_list() -> None:
    with DAG("d", schedule=None) as dag:

        @task
        def give_back(values: Any) -> Any:
            return values

        mapped = keep.expand(x=[1, 2])
        give_back(mapped)
        give_back.override(task_id="nested")(mapped.map(lambda pair: pair[0]))
    run = run_mapped(dag)
    assert run.value("give_back") == [[1, None], [2, None]] and run.value("nested") == [1, 2]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (
            None,
            r"XComForMappingNotPushed: task 'keep' \(.*\d\) maps over the result of task 'make' \(.*\d\), and it returned no "
            "value; return a list or a dict",
        ),
        ("text", r"UnmappableXComTypePushed: .* and it returned a str; return a list or a dict"),
        (5, r"UnmappableXComTypePushed: .* and it returned an int; return a list or a dict"),
    ],
)
def test_the_task_that_returns_what_cannot_be_mapped_over_fails(value: Any, reason: str) -> None:
    with DAG("d", schedule=None) as dag:

        @task
        def make() -> Any:
            return value

        keep.expand(x=make().map(str))
    result = run_one(dag, Server(), "make", -1, ())
    assert result.outcome == "failed" and result.retryable and result.xcoms == () and result.return_length is None
    assert re.match(reason, result.reason or "")


def test_the_length_is_reported_only_when_something_maps_over_the_value() -> None:
    with DAG("d", schedule=None) as dag:
        one, two = keep.override(task_id="one")(), keep.override(task_id="two")()
        keep.override(task_id="three")(one)
        keep.override(task_id="four").expand(x=two.zip(two))
    run = run_mapped(dag)
    assert {task: run.results[task, -1].return_length for task in ("one", "two", "three")} == {
        "one": None,
        "two": 2,
        "three": None,
    }


def test_map_index_template_is_rendered_after_the_task() -> None:
    def name(n: int) -> None:
        get_current_context()["my_name"] = f"n is {n}"  # type: ignore[index]
        if n == 3:
            raise ValueError("three")

    with DAG("d", schedule=None) as dag:
        task(name, map_index_template="{{ my_name }}!").expand(n=[1, 3])  # type: ignore[call-overload]
        keep.override(map_index_template="{{ task.op_kwargs['x'] }}").expand(x=["a"])
        keep.override(task_id="bad", map_index_template="{{ nothing_of_that_name }}").expand(x=["a"])
    run = run_mapped(dag)
    assert run.results["name", 0].rendered_map_index == "n is 1!"
    assert run.results["name", 1].rendered_map_index == "n is 3!" and run.outcome("name", 1)[0] == "failed"
    assert run.results["keep", 0].rendered_map_index == "a"
    assert run.outcome("bad", 0)[0] == "failed" and "nothing_of_that_name" in str(run.outcome("bad", 0)[1])
    assert "(while rendering the map_index_template of task 'bad'" in str(run.outcome("bad", 0)[1])
    assert str(run.outcome("bad", 0)[1]).endswith(": {{ nothing_of_that_name }})")


def test_the_operator_is_made_by_its_constructor_with_the_element() -> None:
    seen = []

    class Strict(BaseOperator):
        def __init__(self, *, n: int, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            seen.append(n)
            if n > 1:
                raise ValueError(f"{n} is too much")
            self.n = n

        def execute(self, context: Any) -> Any:
            return [self.n, self.retries, self.task_id, self.dag.dag_id, sorted(self.upstream_task_ids), self.pool]

    with DAG("d", schedule=None, default_args={"retries": 4}) as dag:
        before = EmptyOperator(task_id="before")
        mapped = Strict.partial(task_id="t", pool="p").expand(n=[1, 2])
        mapped.trigger_rule = "all_done"
        before >> mapped
    assert seen == []
    run = run_mapped(dag)
    assert run.values("t") == [[1, 4, "t", "d", ["before"], "p"], None]
    assert run.outcome("t", 1) == ("failed", "ValueError: 2 is too much") and seen == [1, 2]
    assert list(dag.task_dict) == ["before", "t"]


def test_callbacks_get_the_context_of_the_instance() -> None:
    seen: list[Any] = []

    def record(context: Any) -> None:
        seen.append((context["ti"].map_index, context["task"].is_mapped, str(context.get("exception"))))

    def fail(n: int) -> None:
        if n:
            raise ValueError(f"bad {n}")

    with DAG("d", schedule=None) as dag:
        task(fail, on_failure_callback=record, on_success_callback=record).expand(n=[0, 1])  # type: ignore[call-overload]
        Keep.partial(task_id="t", on_failure_callback=[record]).expand_kwargs([{"a": "{{ bad_name }}"}])
    run_mapped(dag)
    assert (
        seen[:2] == [(0, False, "None"), (1, False, "bad 1")] and seen[2][:2] == (0, False) and "bad_name" in seen[2][2]
    )


@pytest.mark.ordinary
def test_a_mapped_sensor_that_is_rescheduled_and_mapped_bash_and_python_operators() -> None:
    class Ready(BaseSensorOperator):
        def __init__(self, *, n: int, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.n = n

        def poke(self, context: Any) -> bool:
            return self.n > 1

    with DAG("d", schedule=None) as dag:
        Ready.partial(task_id="wait", mode="reschedule", poke_interval=dt.timedelta(seconds=5)).expand(n=[1, 2])
        BashOperator.partial(task_id="sh", env={"B": "b"}).expand(
            bash_command=["echo {{ ti.map_index }}$B", "echo two"]
        )
        PythonOperator.partial(task_id="py", python_callable=lambda *args, **kw: [*args, kw.get("k")]).expand_kwargs(
            [{"op_args": [1]}, {"op_kwargs": {"k": 2}}]
        )
    run = run_mapped(dag)
    assert [run.outcome("wait", index)[0] for index in (0, 1)] == ["up_for_reschedule", "success"]
    assert run.values("sh") == ["0b", "two"] and run.values("py") == [[1, None], [2]]


@pytest.mark.ordinary
def test_the_variants_of_task_are_mapped() -> None:
    with DAG("d", schedule=None) as dag:

        @task.sensor(mode="reschedule", poke_interval=1)
        def ready(x: int) -> Any:
            return PokeReturnValue(is_done=x > 1, xcom_value=x)

        @task.bash
        def shell(x: str) -> str:
            return f"echo {x}"

        @task.short_circuit
        def go_on(x: bool) -> bool:
            return x

        @task(multiple_outputs=True)
        def split(x: int) -> dict[str, int]:
            return {"k": x}

        @task
        def join(values: Any) -> Any:
            return list(values)

        @task.run_if(lambda context: context["ti"].map_index == 1)
        @task
        def second(x: int) -> int:
            return x

        @task(retries=3)
        async def late(a: int, *, b: int = 2, **others: Any) -> Any:
            return [a, b, others["z"]]

        ready.expand(x=[1, 2])
        shell.expand(x=["a", "b"])
        go_on.expand(x=[True, False]) >> EmptyOperator(task_id="after")
        join(split.expand(x=[1, 2])["k"])
        second.expand(x=[1, 2])
        late.partial(b=3).expand(a=[1], z=[9])
    run = run_mapped(dag)
    assert [run.outcome("ready", index)[0] for index in (0, 1)] == ["up_for_reschedule", "success"] and run.value(
        "ready", 1
    ) == 2
    assert run.values("shell") == ["a", "b"] and run.value("join") == [1, 2] and run.values("late") == [[1, 3, 9]]
    assert [run.results["go_on", index].skip_task_ids for index in (0, 1)] == [(), ("after",)]
    assert [run.outcome("second", index)[0] for index in (0, 1)] == ["skipped", "success"]


def test_mapped_branch_setup_and_teardown() -> None:
    with DAG("d", schedule=None) as dag:

        @task.branch
        def choose(n: int) -> Any:
            return "left" if n else "right"

        choose.expand(n=[0, 1]) >> [EmptyOperator(task_id="left"), EmptyOperator(task_id="right")]
        opened = keep.override(task_id="opened").expand(x=[1]).as_setup()
        closed = keep.override(task_id="closed").expand(x=[2]).as_teardown(setups=opened)
        with closed:
            keep.override(task_id="work")()
    run = run_mapped(dag)
    assert [run.results["choose", index].skip_task_ids for index in (0, 1)] == [("left",), ("right",)]
    assert dag.task_dict["opened"].is_setup and dag.task_dict["closed"].is_teardown
    assert str(dag.task_dict["closed"].trigger_rule) == "all_done_setup_success"
    assert dag.task_dict["work"].upstream_task_ids == {"opened"} and dag.task_dict["work"].downstream_task_ids == {
        "closed"
    }
    assert run.values("closed") == [[2, None]]


def test_the_value_of_a_trigger_event_is_measured_and_loads() -> None:
    with DAG("d", schedule=None) as dag:
        keep.expand(x=keep.override(task_id="make")())
    result = run_one(dag, Server(), "make", -1, ())
    assert result.return_length == 2 and [loads(item.value) for item in result.xcoms] == [[None, None]]
