"""Priority strategies of authors, computed when a file is parsed."""

from __future__ import annotations

from typing import Any

import pytest

from gnomon.authoring.operators.empty import EmptyOperator
from gnomon.authoring.sdk import DAG
from gnomon.authoring.sdk.arguments.weight_strategies import PriorityWeightStrategy
from gnomon.authoring.sdk.dags.dag_spec import PRIORITY_MAX, build_dag_spec


class ByName(PriorityWeightStrategy):
    def get_weight(self, ti: Any) -> int:
        return len(ti.task_id) * 10 + ti.try_number + ti.priority_weight + ti.max_tries


class OfTheRun(PriorityWeightStrategy):
    def get_weight(self, ti: Any) -> int:
        return int(ti.dag_run.conf["weight"])


class Endless(PriorityWeightStrategy):
    def get_weight(self, ti: Any) -> int:
        return 10**30


class Silent(PriorityWeightStrategy):
    def get_weight(self, ti: Any) -> int:
        return None  # type: ignore[return-value]


def priority(rule: object) -> int:
    with DAG("d", schedule=None) as dag:
        EmptyOperator(task_id="abc", weight_rule=rule, priority_weight=2, retries=3) >> EmptyOperator(
            task_id="later", priority_weight=50
        )
    return {task.task_id: task.effective_priority for task in build_dag_spec(dag, "d.py").spec.tasks}["abc"]


@pytest.mark.parametrize("rule", [ByName(), ByName, f"{__name__}.ByName"])
def test_an_object_a_class_and_a_path_give_the_same_priority(rule: object) -> None:
    assert priority(rule) == 35


def test_a_priority_has_a_bound() -> None:
    assert priority(Endless()) == PRIORITY_MAX


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (
            OfTheRun(),
            r"Task 'abc' .*test_weight_strategies.*: weight_rule=OfTheRun.get_weight raised AttributeError: .* called when the file is parsed",
        ),
        (Silent(), r"weight_rule=Silent.get_weight returned None; return an integer."),
        ("no.such.Strategy", r"weight_rule='no.such.Strategy' cannot be loaded \(No module named 'no'\)"),
        (7, r"weight_rule=7 has no get_weight\(ti\)"),
    ],
)
def test_a_strategy_that_cannot_be_used_names_task_and_remedy(rule: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        priority(rule)


@pytest.mark.parametrize("chosen", [None, True, False])
def test_the_choice_of_the_version_of_cleared_runs_is_in_the_spec(chosen: bool | None) -> None:
    asking = DAG("d", schedule=None, rerun_with_latest_version=chosen)
    assert build_dag_spec(asking, "d.py").spec.rerun_with_latest_version is chosen
    assert asking.rerun_with_latest_version is chosen and asking.warnings == []
