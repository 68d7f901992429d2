"""Access to tasks and groups by index, copies of a part of a DAG, and the equality of DAGs and tasks."""

from __future__ import annotations

import copy
import datetime as dt

import pytest

from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.dags.dag_decorators import task_group
from gnomon.authoring.sdk.members.task_group import TaskGroup
from gnomon.authoring.sdk.tasks.operator import BaseOperator
from gnomon.model.errors.authoring import NodeNotFound, TaskNotFound


@pytest.fixture
def chain() -> DAG:
    """a >> g.b >> g.c >> d, with a setup of b whose teardown comes after c."""
    with DAG("chain", schedule=None) as dag:
        a, d = BaseOperator(task_id="a"), BaseOperator(task_id="d")
        with TaskGroup("g"):
            b, c = BaseOperator(task_id="b"), BaseOperator(task_id="c")
        a >> b >> c >> d
        setup = BaseOperator(task_id="s").as_setup()
        setup >> b
        c >> BaseOperator(task_id="t").as_teardown(setups=setup)
    return dag


def test_a_dag_gives_its_tasks_and_groups_by_id_and_a_group_by_label(chain: DAG) -> None:
    assert chain["a"] is chain.get_task("a")
    assert chain["g"] is chain.task_group_dict["g"]
    assert chain["g"]["b"] is chain.get_task("g.b")
    assert [task.task_id for task in chain["g"]] == ["g.b", "g.c"]
    assert chain.has_task_group("g") and not chain.has_task_group("a")
    for lookup in (lambda: chain["none"], lambda: chain["g"]["none"]):
        with pytest.raises(NodeNotFound, match=r"^[^'\"].* has no .*'none'\.$") as refused:
            lookup()
        assert isinstance(refused.value, KeyError | TaskNotFound) and isinstance(refused.value, KeyError)


@pytest.mark.parametrize(
    ("ids", "flags", "kept"),
    [
        (["g.c"], {}, {"a", "g.b", "g.c", "s", "t"}),
        (["g.c"], {"include_upstream": False}, {"g.c", "s", "t"}),
        (["a"], {"include_downstream": True, "depth": 1}, {"a", "g.b", "s", "t"}),
        (["d"], {"depth": 1}, {"g.c", "d"}),
        (["d"], {"include_upstream": False, "include_direct_upstream": True}, {"g.c", "d"}),
        ("g.", {"include_upstream": False}, {"g.b", "g.c", "s", "t"}),
        (["s"], {"include_upstream": False}, {"s", "t"}),
    ],
)
def test_a_subset_has_the_tasks_their_relatives_and_the_setups_that_they_need(
    chain: DAG, ids: str | list[str], flags: dict[str, object], kept: set[str]
) -> None:
    part = chain.partial_subset(ids, **flags)  # type: ignore[arg-type]
    assert set(part.task_ids) == kept
    assert part.partial and part is not chain
    assert all(set(task.upstream_task_ids | task.downstream_task_ids) <= kept for task in part.tasks)
    assert set(part.task_group.get_task_dict()) == kept
    assert ("g" in part.task_group_dict) is bool(kept & {"g.b", "g.c"})
    assert len(chain.tasks) == 6, "the DAG itself stays"


def test_a_subset_of_a_negative_depth_is_refused(chain: DAG) -> None:
    with pytest.raises(ValueError, match="depth must be non-negative"):
        chain.partial_subset("a", depth=-1)


def test_dags_and_tasks_are_equal_by_their_arguments(chain: DAG) -> None:
    assert copy.deepcopy(chain) == chain
    assert hash(copy.deepcopy(chain)) == hash(chain)
    assert DAG("one", schedule=None) != DAG("two", schedule=None)
    assert DAG("one", schedule=None) < DAG("two", schedule=None)
    assert BaseOperator(task_id="a") == BaseOperator(task_id="a")
    assert BaseOperator(task_id="a") != BaseOperator(task_id="a", retry_delay=dt.timedelta(seconds=1))
    assert BaseOperator(task_id="a") != BaseOperator(task_id="a", on_failure_callback=print)
    assert len({BaseOperator(task_id="a"), BaseOperator(task_id="a")}) == 1


def test_a_group_sorts_its_tasks_and_groups_and_shows_its_display_name(chain: DAG) -> None:
    assert [child.node_id for child in chain.task_group.topological_sort()] == ["a", "s", "g", "d", "t"]
    assert [child.node_id for child in chain.task_group.hierarchical_alphabetical_sort()] == ["a", "d", "s", "t", "g"]
    with DAG("d", schedule=None) as dag:
        shown = TaskGroup("g", group_display_name="The group")
    assert shown.label == "The group"
    assert {"g", "g.upstream_join_id", "g.downstream_join_id"} <= dag.task_group.used_group_ids


def test_the_docstring_of_a_decorated_group_is_its_documentation() -> None:
    with DAG("d", schedule=None) as dag:

        @task_group
        def section() -> None:
            """What it holds."""
            BaseOperator(task_id="t")

        section()
    group = dag.task_group_dict["section"]
    assert (group.tooltip, group.doc_md) == ("What it holds.", "What it holds.")
    assert dag.warnings == []
    with pytest.raises(TypeError, match="colour"):
        task_group(colour="red")(section)


def test_a_cycle_of_many_tasks_is_found_at_once_and_its_message_is_short() -> None:
    with DAG("ring", schedule=None) as dag:
        tasks = [BaseOperator(task_id=f"t{number}") for number in range(5000)]
        for before, after in zip(tasks, [*tasks[1:], tasks[0]], strict=True):
            before.set_downstream(after)
    with pytest.raises(Exception, match=r"form a cycle: t0 >> t1 .* >> \.\.\. >> .* >> t0\.") as found:
        dag.check_cycle()
    assert len(str(found.value)) < 500
