"""What is wrong with the dependencies of many DAGs: cycles, upstreams without slots, names that are not there."""

from __future__ import annotations

import random

import pytest

from gnomon.model.slots import TimetableRef
from gnomon.model.spec import DagSpec, TaskSpec, collect_edges
from gnomon.model.upstream_edges import DependencySpec
from gnomon.rules.dependencies.faults import MAX_SEARCHES, doubts_of, errors_of, find_cycles
from gnomon.rules.dependencies.shape import WITHOUT_SLOTS, Shape, find_slotless_reason, shape_of
from gnomon.rules.timetables import registry
from gnomon.rules.timetables.base import BuiltinTimetable

DAILY = TimetableRef(path="Daily", data={"at": "00:00"})


def after(text: str) -> DependencySpec:
    """`up`, `up.task`, `up@1`, `up.task@2`: the number is `previous`."""
    name, _, previous = text.partition("@")
    dag_id, _, task_id = name.partition(".")
    return DependencySpec(dag_id=dag_id, task_id=task_id or None, previous=int(previous or 0))


def dag(dag_id: str, *waits: str, timetable: TimetableRef = DAILY, **tasks: tuple[str, ...]) -> DagSpec:
    """A DAG that waits for these; `task=("a", "up@")`: a task after `a`, and with a wait for a DAG where there is an @ or a dot."""
    return DagSpec(
        dag_id=dag_id,
        timetable=timetable,
        depends_on=tuple(map(after, waits)),
        tasks=tuple(
            TaskSpec(
                task_id=task_id,
                upstream=tuple(one for one in before if "@" not in one),
                depends_on=tuple(after(one) for one in before if "@" in one),
            )
            for task_id, before in tasks.items()
        ),
    )


def shapes(*dags: DagSpec) -> dict[str, Shape]:
    return {one.dag_id: shape_of(one) for one in dags}


def test_two_dags_that_wait_for_each_other_are_in_a_cycle_and_one_behind_them_is_not() -> None:
    found = find_cycles(shapes(dag("a", "b"), dag("b", "a"), dag("behind", "a"), dag("before")))
    assert found == {"a": "a -> b -> a", "b": "b -> a -> b"}


def test_a_long_cycle_is_described_from_each_of_its_dags() -> None:
    assert find_cycles(shapes(dag("a", "b"), dag("b", "c"), dag("c", "a"))) == {
        "a": "a -> b -> c -> a",
        "b": "b -> c -> a -> b",
        "c": "c -> a -> b -> c",
    }


def test_the_period_before_closes_no_cycle() -> None:
    assert find_cycles(shapes(dag("a", "b"), dag("b", "a@1"), dag("self", "self@1"))) == {}


def test_tasks_that_wait_for_each_others_dags_in_turn_are_no_cycle() -> None:
    found = find_cycles(shapes(dag("a", first=(), last=("first", "b.middle@")), dag("b", middle=("a.first@",))))
    assert found == {}


def test_tasks_that_wait_for_each_other_are_a_cycle() -> None:
    found = find_cycles(shapes(dag("a", one=("b.two@",)), dag("b", two=("a.one@",))))
    assert found == {"a": "a.one -> b.two -> a.one", "b": "b.two -> a.one -> b.two"}


def test_a_cycle_may_go_through_the_tasks_of_a_dag() -> None:
    found = find_cycles(shapes(dag("a", first=("b@",), middle=("first",), last=("middle",)), dag("b", "a.last")))
    assert found == {"a": "a.first -> b -> a.last -> a.first", "b": "b -> a.last -> a.first -> b"}


def test_a_task_that_waits_for_a_dag_that_waits_for_the_whole_is_a_cycle() -> None:
    assert find_cycles(shapes(dag("a", t=("b@",)), dag("b", "a"))) == {
        "a": "a -> a.t -> b -> a",
        "b": "b -> a -> a.t -> b",
    }


def test_a_dag_on_itself_within_its_period_is_a_cycle() -> None:
    assert find_cycles(shapes(dag("a", "a"))) == {"a": "a -> a"}


def test_dags_and_tasks_that_are_not_there_close_nothing() -> None:
    assert find_cycles(shapes(dag("a", "b", "gone"), dag("b", "a.gone", t=("gone@",)))) == {}


def test_a_dag_without_a_schedule_waits_for_nothing_and_closes_nothing() -> None:
    null = TimetableRef(path="NullTimetable", can_be_scheduled=False)
    assert find_cycles(shapes(dag("a", "b"), dag("b", "a", timetable=null))) == {}


def test_in_a_large_component_not_every_dag_gets_a_cycle_of_its_own_and_each_gets_one() -> None:
    spokes = [dag(f"s{number:03}", "hub") for number in range(MAX_SEARCHES + 40)]
    found = find_cycles(shapes(dag("hub", *(one.dag_id for one in spokes)), *spokes))
    assert set(found) == {"hub", *(one.dag_id for one in spokes)}
    assert found["s000"] == "s000 -> hub -> s000"


def test_a_long_chain_is_looked_at_without_recursion() -> None:
    chain = [dag(f"d{number}", f"d{number + 1}") for number in range(5000)]
    assert find_cycles(shapes(*chain, dag("d5000"))) == {}
    found = find_cycles(shapes(*chain, dag("d5000", "d0")))
    assert len(found) == 5001
    assert found["d1"] == "d1 -> d2 -> d3 -> d4 -> d5 -> d6 -> d7 -> d8 -> d9 -> d10 -> d11 -> d12 -> (4989 more) -> d1"


# Against brute force

Edges = dict[str, list[str]]


def random_dags(dice: random.Random) -> list[DagSpec]:
    names = "abcdef"[: dice.randint(2, 6)]
    dags = []
    for name in names:
        tasks = "xyz"[: dice.randint(0, 3)]

        def wait() -> str:
            up = dice.choice(names + "?")
            task = dice.choice(["", "", ".x", ".y", ".z"])
            return f"{up}{task}@{dice.choice(['', '', '', 1])}"

        before = {
            task: tuple(one for one in tasks[:at] if dice.random() < 0.5)
            + tuple(wait() for _ in range(dice.choice([0, 0, 0, 1, 2])))
            for at, task in enumerate(tasks)
        }
        dags.append(dag(name, *(wait().removesuffix("@") for _ in range(dice.choice([0, 0, 1, 2]))), **before))
    return dags


def steps(dags: list[DagSpec]) -> Edges:
    """Everything that comes directly before something else, spelt out: `<a` a beginning, `a>` an end, `a.x` a task."""
    there = {one.dag_id: {task.task_id for task in one.tasks} for one in dags}
    before: Edges = {}

    def waits(here: str, several: tuple[DependencySpec, ...]) -> None:
        for one in several:
            if (
                one.previous
                or one.dag_id not in there
                or (one.task_id is not None and one.task_id not in there[one.dag_id])
            ):
                continue
            before[here].append(f"{one.dag_id}.{one.task_id}" if one.task_id else f"{one.dag_id}>")

    for one in dags:
        name = one.dag_id
        before[f"<{name}"], before[f"{name}>"] = [], [f"<{name}", *(f"{name}.{task.task_id}" for task in one.tasks)]
        for task in one.tasks:
            before[f"{name}.{task.task_id}"] = [f"<{name}", *(f"{name}.{up}" for up in task.upstream)]
            waits(f"{name}.{task.task_id}", task.depends_on)
        waits(f"<{name}", one.depends_on)
    return before


def reached(before: Edges, start: str) -> set[str]:
    seen: set[str] = set()
    todo = list(before[start])
    while todo:
        here = todo.pop()
        if here not in seen:
            seen.add(here)
            todo += before[here]
    return seen


@pytest.mark.parametrize("seed", range(400))
def test_cycles_are_those_that_brute_force_finds(seed: int) -> None:
    dags = random_dags(random.Random(seed))
    before = steps(dags)
    closed = {point.strip("<>").partition(".")[0] for point in before if point in reached(before, point)}
    found = find_cycles(shapes(*dags))
    assert set(found) == closed
    for dag_id, told in found.items():
        labels = told.split(" -> ")
        assert labels[0] == labels[-1]
        assert labels[0].partition(".")[0] == dag_id
        for here, there in zip(labels, labels[1:], strict=False):
            # What is told may begin at a run's beginning or its end; a step of it is a way from one of these to the next.
            ways = [reached(before, point) for point in (here, f"<{here}", f"{here}>") if point in before]
            assert any({there, f"<{there}", f"{there}>"} & way for way in ways)


# Upstreams without slots


def test_every_built_in_timetable_has_slots_or_is_named_as_one_without() -> None:
    for name in registry.BUILTINS:
        module = registry._MODULES[name]
        cls = getattr(__import__(f"gnomon.rules.timetables.{module}", fromlist=[name]), name)
        has_none = cls.slots_between is BuiltinTimetable.slots_between
        assert has_none == (name in WITHOUT_SLOTS), name


@pytest.mark.parametrize(
    ("timetable", "why"),
    [
        (TimetableRef(path="NullTimetable", can_be_scheduled=False), "it has no schedule"),
        (TimetableRef(path="airflow.timetables.simple.OnceTimetable"), "it runs once, at no time of the clock"),
        (TimetableRef(path="ContinuousTimetable"), "it runs again whenever its last run has ended"),
        (
            TimetableRef(path="mine.Mine", builtin=False, follows_runs=True),
            "it runs again whenever its last run has ended",
        ),
        (TimetableRef(path="mine.Mine", builtin=False, can_be_scheduled=False), "it has no schedule"),
    ],
)
def test_an_upstream_without_slots_is_an_error_of_who_waits_for_it(timetable: TimetableRef, why: str) -> None:
    found = errors_of(shapes(dag("a", "b", t=("b@",)), dag("b", timetable=timetable), dag("c", "a")))
    remedy = f"which has no slots to wait for: {why}; give 'b' a schedule with times, or remove After('b')"
    assert found == {"a": f"DAG 'a' waits for DAG 'b', {remedy}; task 't' of DAG 'a' waits for DAG 'b', {remedy}"}


def test_a_timetable_with_times_is_one_to_wait_for() -> None:
    assert find_slotless_reason(TimetableRef(path="EventsTimetable", data={"event_dates": []})) is None
    assert find_slotless_reason(TimetableRef(path="mine.OnceTimetable", builtin=False)) is None


def test_both_faults_of_one_dag_are_reported() -> None:
    null = TimetableRef(path="NullTimetable", can_be_scheduled=False)
    told = errors_of(shapes(dag("a", "b", "never"), dag("b", "a"), dag("never", timetable=null)))
    assert told["a"].startswith("DAG 'a' waits for DAG 'never', which has no slots to wait for: it has no schedule;")
    assert told["a"].endswith(
        "DAG 'a' is in a cycle of DAGs that wait for one another within one period: a -> b -> a (each waits for the next); "
        "remove one of these dependencies, or let it wait for the period before, with previous=1"
    )
    assert set(told) == {"a", "b"}


# Names that are not there


def test_a_missing_dag_or_task_is_reported_with_the_nearest_name() -> None:
    one = dag("a", "biling", "nothing", "orders.lod", "orders.load", t=("gone@",))
    assert doubts_of("a", collect_edges(one), {"billing", "orders", "a"}, {"orders": ["load", "clean"]}) == [
        "DAG 'a' waits for DAG 'biling', which is in no file (did you mean 'billing'?); its runs wait until it is there",
        "DAG 'a' waits for DAG 'nothing', which is in no file; its runs wait until it is there",
        "DAG 'a' waits for task 'lod' of DAG 'orders', which has no such task (did you mean 'load'?); a run without that task "
        "counts as failed",
        "task 't' of DAG 'a' waits for DAG 'gone', which is in no file; its runs wait until it is there",
    ]


def test_tasks_of_an_unknown_upstream_are_not_checked() -> None:
    assert doubts_of("a", collect_edges(dag("a", "orders.lod", "orders@1")), ["orders"], {}) == []
