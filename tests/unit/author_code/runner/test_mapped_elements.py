"""What an instance of a mapped task reads: the element that the eager evaluation gives it, and nothing that grows with their number."""

from __future__ import annotations

import copy
import functools
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.unit.author_code.runner.mapped_run import MappedRun, Server, run_mapped, run_one

from gnomon.authoring.sdk import DAG, task
from gnomon.authoring.sdk.connections.channel import install_channel
from gnomon.authoring.sdk.dags.dag_decorators import task_group
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec
from gnomon.authoring.sdk.members.xcom_arg import XComArg
from gnomon.authoring.sdk.tasks.decorated_operators import PythonDecoratedOperator
from gnomon.authoring.sdk.tasks.task_decorators import task_decorator_factory
from gnomon.ground.config import load_config, set_current_config
from gnomon.model.errors.authoring import AirflowSkipException
from gnomon.model.task_api_requests import GetXComBatch, GetXComElement
from gnomon.rules.engine.state.mapping_plan import build_mapping_plan
from gnomon.rules.engine.state.task_expansion import TaskExpansion


@pytest.fixture(autouse=True)
def _options(tmp_path: Path) -> Iterator[None]:
    set_current_config(load_config({"GNOMON__CORE__MAX_MAP_LENGTH": "100000"}, home=tmp_path))
    yield
    set_current_config(None)
    install_channel(None)


@task
def keep(x: Any = None) -> Any:
    return [x]


Eager = list[Any]
"""The elements by the rules of `map`, `zip` and `concat` on Python lists."""
_SKIPPED = object()


def _double(value: Any) -> Any:
    return [value, value]


def _skip_small(value: Any) -> Any:
    if json.dumps(value, default=str).count("1") % 2:
        raise AirflowSkipException("odd")
    return value


def _index_error(value: Any) -> Any:
    """A function of the author may raise IndexError, which is no end of a list."""
    if value == 2:
        raise IndexError("by the author")
    return value


def _apply(function: Any, value: Any) -> Any:
    try:
        return _SKIPPED if value is _SKIPPED else function(value)
    except (AirflowSkipException, IndexError):
        return _SKIPPED


def _combine(rng: random.Random, leaves: list[tuple[XComArg, Eager]], depth: int) -> tuple[XComArg, Eager]:
    """A random combination of the leaves, and its elements; an element with a skipped part is skipped."""
    if depth == 0:
        return rng.choice(leaves)
    arg, eager = _combine(rng, leaves, depth - 1)
    others = [_combine(rng, leaves, rng.randrange(depth)) for _ in range(rng.randint(1, 2))]
    kind = rng.choice(["map", "zip", "fill", "concat"])
    if kind == "map":
        function = rng.choice([_double, _skip_small, _index_error, str])
        return arg.map(function), [_apply(function, value) for value in eager]
    columns = [eager, *(values for _, values in others)]
    parts = [other for other, _ in others]
    if kind == "concat":
        return arg.concat(*parts), [value for column in columns for value in column]
    is_filled = kind == "fill"
    length = (max if is_filled else min)(map(len, columns))
    rows = [tuple(column[number] if number < len(column) else "fill" for column in columns) for number in range(length)]
    zipped = [_SKIPPED if any(value is _SKIPPED for value in row) else row for row in rows]
    return (arg.zip(*parts, fillvalue="fill") if is_filled else arg.zip(*parts)), zipped


def _sources(rng: random.Random) -> list[tuple[XComArg, Eager]]:
    """A list, a tuple, a dict, an empty list, a mapped task with gaps, one without, and a task in a mapped group."""
    numbers, pairs = (
        [rng.randrange(4) for _ in range(rng.randint(1, 4))],
        {f"k{number}": number for number in range(rng.randint(0, 3))},
    )
    counts = list(range(rng.randint(1, 4)))

    @task
    def give(value: Any) -> Any:
        return value

    @task
    def odd(n: int) -> Any:
        return n if n % 2 else None

    @task_group
    def section(n: int) -> Any:
        return give.override(task_id="inner")(n)

    return [
        (give.override(task_id="list")(numbers), numbers),
        (give.override(task_id="tuple")(tuple(numbers)), numbers),
        (give.override(task_id="dict")(pairs), list(pairs.items())),
        (give.override(task_id="none")([]), []),
        (odd.expand(n=counts), [n for n in counts if n % 2]),
        (give.override(task_id="dense").expand(value=counts), counts),
        (section.expand(n=counts), counts),
    ]


@pytest.mark.parametrize("seed", range(60))
def test_random_combinations_give_the_elements_of_the_eager_evaluation(seed: int) -> None:
    rng = random.Random(seed)
    with DAG("d", schedule=None) as dag:
        arg, eager = _combine(rng, _sources(rng), rng.randint(0, 4))
        keep.expand(x=arg)
    run = run_mapped(dag)
    found = [result for (task_id, index), result in sorted(run.results.items()) if task_id == "keep"]
    assert len(found) == len(eager)
    for number, value in enumerate(eager):
        if value is _SKIPPED:
            assert run.outcome("keep", number)[0] in ("skipped", "failed")
        else:
            assert run.outcome("keep", number) == ("success", None) and run.value("keep", number) == [value], (
                arg,
                number,
            )


@pytest.mark.parametrize("seed", range(12))
def test_the_elements_that_the_scheduler_sends_with_attempts_are_those_that_they_would_ask_for(seed: int) -> None:
    rng = random.Random(seed)
    with DAG("d", schedule=None) as dag:
        arg, _ = _combine(rng, _sources(rng), rng.randint(0, 3))
        keep.expand(x=arg)
    run = run_mapped(dag)
    spec = build_dag_spec(dag, "/d.py").spec
    plan = build_mapping_plan(spec, {task.task_id: index for index, task in enumerate(spec.tasks)})
    assert plan is not None
    index = next(index for index, task in enumerate(spec.tasks) if task.task_id == "keep")
    count = sum(task_id == "keep" for task_id, _ in run.results)
    sent = {
        (spec.tasks[source].task_id, TaskExpansion(((count,),)).find_element(number, level, factor))
        for number in range(count)
        for level, factor, source in plan.element_places[index]
    }
    assert sent <= {
        (question.task_id, question.number) for question in run.server.asked if isinstance(question, GetXComElement)
    }


class CountingServer(Server):
    """Counts the questions and the bytes of the answers."""

    questions = 0
    size = 0

    def ask(self, question: Any) -> object:
        answer = super().ask(question)
        self.questions += 1
        self.size += len(msgspec.json.encode(answer))
        return answer


def _cost_of_last(count: int, build: Any) -> tuple[int, int]:
    """Questions and bytes of the instance in the middle of `count` instances."""
    with DAG("d", schedule=None) as dag:

        @task
        def source() -> Any:
            return None

        one, two = source.override(task_id="one")(), source.override(task_id="two")()
        mapped = keep.override(task_id="mapped").expand(x=one)
        build(one, two, mapped)
    server = CountingServer()
    values = json.dumps([f"{number:08}" for number in range(count)])
    server.xcoms.update({("one", -1, "return_value"): values, ("two", -1, "return_value"): values})
    server.xcoms.update({("mapped", number, "return_value"): f'"{number:08}"' for number in range(count)})
    result = run_one(dag, server, "keep", count // 2, ((count,),))
    assert result.outcome == "success" and f"{count // 2:08}" in result.xcoms[0].value, result
    return server.questions, server.size


@pytest.mark.parametrize(
    "build",
    [
        lambda one, two, mapped: keep.expand(x=one),
        lambda one, two, mapped: keep.expand(x=one.map(str).map(str)),
        lambda one, two, mapped: keep.expand(x=one.zip(two, one.map(str))),
        lambda one, two, mapped: keep.expand(x=one.zip(two, fillvalue=0).map(str)),
        lambda one, two, mapped: keep.expand(x=one.concat(two, one)),
        lambda one, two, mapped: keep.expand(x=one.map(str).concat(two.zip(one))),
        lambda one, two, mapped: keep.expand(x=mapped.map(str)),
        lambda one, two, mapped: keep.expand(x=mapped.zip(one).concat(mapped)),
        lambda one, two, mapped: keep.expand_kwargs(one.map(lambda value: {"x": value})),
    ],
)
def test_an_instance_asks_as_much_among_10_000_as_among_20(build: Any) -> None:
    few, many = _cost_of_last(20, build), _cost_of_last(10_000, build)
    assert few[0] == many[0] <= 8 and many[1] <= few[1] + 3 * few[0]  # a length has three digits more


def test_the_number_of_values_is_told_only_where_the_scheduler_counted_them() -> None:
    with DAG("d", schedule=None) as dag:
        upstream = keep.override(task_id="up").expand(x=[5, 6])
        keep.override(task_id="plain").expand(x=upstream.map(str))
        keep.override(task_id="zipped").expand(x=upstream.zip(upstream.concat(upstream), fillvalue=1))
    run: MappedRun = run_mapped(dag)
    totals = [(question.start, question.total) for question in run.server.asked if isinstance(question, GetXComBatch)]
    assert totals[:2] == [(0, 2), (1, 2)] and {total for _, total in totals[2:]} == {None}
    assert not any(isinstance(question, GetXComElement) for question in run.server.asked)


def test_a_list_that_has_become_shorter_is_named() -> None:
    with DAG("d", schedule=None) as dag:
        keep.expand(x=keep.override(task_id="one")())
    server = Server(xcoms={("one", -1, "return_value"): "[1, 2]"})
    result = run_one(dag, server, "keep", 2, ((3,),))
    assert result.outcome == "failed"
    assert (
        result.reason
        == "IndexError: the value of task 'one' has 2 elements now, so this instance has none; clear the mapped task"
    )


@pytest.mark.parametrize(
    ("build", "value", "reason"),
    [
        (lambda one: keep.expand(x=one), "7", "ValueError: expand() expects a list or dict for 'x', not int."),
        (lambda one: keep.expand(x=one), None, "ValueError: expand() expects a list or dict for 'x', not None."),
        (lambda one: keep.expand(x=one.map(str)), "7", "ValueError: XCom map expects sequence or dict, not int"),
        (lambda one: keep.expand(x=one.zip(one)), '"a"', "ValueError: XCom zip expects sequence or dict, not str"),
        (
            lambda one: keep.expand(x=one.concat(one)),
            None,
            "ValueError: XCom concat expects sequence or dict, not NoneType",
        ),
        (
            lambda one: keep.expand_kwargs(one),
            '{"a": 1}',
            "ValueError: expand_kwargs() expects a list[dict], not dict.",
        ),
        (
            lambda one: keep.expand_kwargs(one),
            "[1]",
            "ValueError: expand_kwargs() expects a list[dict], not list[int]: element 0 for task 'keep' is no dict.",
        ),
    ],
)
def test_a_value_that_cannot_be_mapped_over_is_named(build: Any, value: str | None, reason: str) -> None:
    with DAG("d", schedule=None) as dag:
        build(keep.override(task_id="one")())
    server = Server(xcoms={} if value is None else {("one", -1, "return_value"): value})
    result = run_one(dag, server, "keep", 0, ((3,),))
    assert result.outcome == "failed" and str(result.reason).startswith(reason)


def test_a_back_end_of_the_author_reads_the_whole_value(monkeypatch: pytest.MonkeyPatch) -> None:
    from gnomon.author_code.context import xcom_access

    monkeypatch.setattr(xcom_access, "find_backend", functools.partial(object))
    with DAG("d", schedule=None) as dag:
        keep.expand(x=keep.override(task_id="one")().map(str))
    server = Server(xcoms={("one", -1, "return_value"): "[1, 2]"})
    result = run_one(dag, server, "keep", 1, ((2,),))
    assert result.xcoms[0].value == '["2"]' and not any(
        isinstance(question, GetXComElement) for question in server.asked
    )


def test_the_operators_of_instances_are_copies_that_share_no_argument() -> None:
    seen: list[Any] = []

    @task
    def work(x: Any, y: Any = None, **context: Any) -> Any:
        operator = context["ti"].task
        seen.append(operator)
        operator.op_kwargs["x"] = "changed"
        operator.retries = 7
        return [x, y, operator.is_mapped, context["task"] is operator]

    with DAG("d", schedule=None, default_args={"retries": 3}) as dag:
        mapped = work.partial(y=[1]).expand(x=[[1], [2]])
        mapped.operator.trigger_rule = "always"
    dag.task_dict["work"].prepare_instances()
    run = run_mapped(dag)
    assert run.values("work") == [[[1], [1], False, True], [[2], [1], False, True]]
    assert seen[0] is not seen[1] and {str(operator.trigger_rule) for operator in seen} == {"always"}
    assert dag.task_dict["work"].unmap({"op_kwargs": {"x": 1}}).retries == 3


def test_an_operator_of_an_instance_has_what_the_mapped_task_has_when_it_runs() -> None:
    with DAG("d", schedule=None) as dag:
        keep.expand(x=[1])
    mapped = dag.task_dict["keep"]
    assert mapped.unmap({"op_kwargs": {"x": 1}}).pool == "default_pool"
    mapped.pool = "other"
    assert mapped.unmap({"op_kwargs": {"x": 1}}).pool == "other"
    copied = copy.deepcopy(dag)
    assert copied.task_dict["keep"].unmap({"op_kwargs": {"x": 1}}).dag is copied


@pytest.mark.parametrize("value", [{"x": [1]}, [{"x": 1}], [], [{"z": 1}]])
def test_instances_are_prepared_without_an_error_of_their_arguments(value: Any) -> None:
    with DAG("d", schedule=None) as dag:
        keep.expand(**value) if isinstance(value, dict) else keep.expand_kwargs(
            keep.override(task_id="one")() if value == [{"z": 1}] else value
        )
    dag.task_dict["keep"].prepare_instances()
    with pytest.raises(TypeError, match=r"keep\(\) of task 'keep'.* has no parameter 'z'"):
        dag.task_dict["keep"].unmap({"op_kwargs": {"z": 1}})


def test_a_class_with_its_own_constructor_makes_the_operator_of_each_instance() -> None:
    made: list[Any] = []

    class Own(PythonDecoratedOperator):
        def __init__(self, **kwargs: Any) -> None:
            made.append(kwargs["op_kwargs"])
            super().__init__(**kwargs)

    def work(x: Any) -> Any:
        return x

    with DAG("d", schedule=None) as dag:
        task_decorator_factory(work, decorated_operator_class=Own).expand(x=[1, 2])
    dag.task_dict["work"].prepare_instances()
    assert run_mapped(dag).values("work") == [1, 2] and made == [{"x": 1}, {"x": 2}]
