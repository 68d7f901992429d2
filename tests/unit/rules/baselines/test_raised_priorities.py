"""Which tasks a baseline at risk raises, how far, and for how long."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from gnomon.ground.config.baselines import build_baseline
from gnomon.model.baseline_specs import BaselineSpec, read_priority
from gnomon.model.baselines import BaselineForecast, BaselineLevel, KeyStep, RaisedTask
from gnomon.model.instants import SECOND
from gnomon.rules.baselines.raised_priorities import RAISED_MAX, choose_raised, collect_raised, compute_weight

AT = 1_000 * SECOND
SPEC = BaselineSpec(name="b", of=("report",), by="07:00", priority=(100, 1000))
STEPS = tuple(
    KeyStep(dag_id=dag_id, run_id="r", task=task, start=AT + start * SECOND, end=AT + (start + 5) * SECOND)
    for dag_id, task, start in (("orders", "extract", -1), ("orders", "load[3]", 10), ("report", "build", 20))
)
FORECAST = BaselineForecast(due_at=AT + 100 * SECOND, at=AT, breach=0.5, key_path=STEPS)
RAISED = (RaisedTask("orders", "r", "load", 550), RaisedTask("report", "r", "build", 550))


def test_tasks_of_the_key_path_that_are_to_start_are_raised_all_instances_of_a_mapped_one() -> None:
    assert choose_raised(SPEC, FORECAST, BaselineLevel.AT_RISK, ()) == RAISED


@pytest.mark.parametrize("level", [BaselineLevel.SAFE, BaselineLevel.MET])
def test_a_baseline_that_is_not_at_risk_raises_nothing(level: BaselineLevel) -> None:
    assert choose_raised(SPEC, FORECAST, level, ()) == ()


def test_without_the_option_nothing_is_raised_and_what_was_is_restored() -> None:
    without = replace(SPEC, priority=None)
    assert choose_raised(without, FORECAST, BaselineLevel.CERTAIN_BREACH, RAISED) == ()


def test_what_is_raised_stays_so_while_the_due_time_is_open_and_no_longer() -> None:
    moved = msgspec.structs.replace(FORECAST, key_path=(), breach=0.0)
    assert choose_raised(SPEC, moved, BaselineLevel.SAFE, RAISED) == RAISED
    other = msgspec.structs.replace(FORECAST, key_path=STEPS[2:], breach=1.0)
    assert choose_raised(SPEC, other, BaselineLevel.BROKEN, RAISED) == (
        RAISED[0],
        RaisedTask("report", "r", "build", 1000),
    )
    over = msgspec.structs.replace(FORECAST, ended_at=AT)
    assert choose_raised(SPEC, over, BaselineLevel.BROKEN, RAISED) == ()


def test_the_weight_stays_within_its_bounds_and_moves_in_steps() -> None:
    weights = [compute_weight((100, 1000), number / 100) for number in range(101)]
    assert (weights[0], weights[100]) == (100, 1000) and weights == sorted(weights) and len(set(weights)) == 11
    assert compute_weight((7, 7), 0.4) == 7


def test_a_due_time_raises_a_bounded_number_of_tasks() -> None:
    steps = tuple(msgspec.structs.replace(STEPS[1], task=f"t{number}") for number in range(RAISED_MAX + 9))
    many = msgspec.structs.replace(FORECAST, key_path=steps)
    assert len(choose_raised(SPEC, many, BaselineLevel.AT_RISK, ())) == RAISED_MAX


def test_of_several_baselines_the_greatest_weight_counts() -> None:
    raised = collect_raised([("a", RAISED), ("b", [RaisedTask("orders", "r", "load", 600)])])
    assert {key: (each.weight, each.baseline) for key, each in raised["orders"].items()} == {("r", "load"): (600, "b")}


@pytest.mark.parametrize("value", [0, -1, True, 1.5, "100", [], [5], [5, 4], [0, 5], [1, 2, 3], [1, 1_000_001], None])
def test_other_values_are_refused_with_the_remedy(value: object) -> None:
    assert read_priority(value) is None
    values = {"of": ["a"], "by": "07:00", "priority": value}
    with pytest.raises(
        ValueError, match=r"line 1: priority is .*; write the weight .* such as 100, or the least and the most"
    ):
        build_baseline("b", values, lambda _key: "line 1", "UTC")


def test_one_number_is_both_bounds() -> None:
    values = {"of": ["a"], "by": "07:00", "priority": 50}
    assert build_baseline("b", values, lambda _key: "line 1", "UTC").priority == (50, 50)
    assert read_priority([100, 1000]) == read_priority((100, 1000)) == (100, 1000)
