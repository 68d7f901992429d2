"""The level of a baseline: what is predicted, and the level before."""

from __future__ import annotations

import pytest

from gnomon.model.baseline_specs import BaselineSpec
from gnomon.model.baselines import BaselineForecast, BaselineLevel
from gnomon.model.instants import SECOND
from gnomon.rules.baselines.levels import decide_level

L = BaselineLevel
DUE = 10_000 * SECOND
SPEC = BaselineSpec(name="b", of=("report",), by="07:00", margin_s=600, at_risk=0.2)


def _decide(before: L | None = None, now: int = 0, **fields: object) -> L:
    given = {"breach": 0.0, "end_p50": DUE - 3_600 * SECOND, **fields}
    return decide_level(SPEC, BaselineForecast(due_at=DUE, at=now, samples=50, **given), before, now)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fields", "level"),
    [
        ({}, L.SAFE),
        ({"breach": 0.2}, L.SAFE),
        ({"breach": 0.21}, L.AT_RISK),
        ({"end_p50": DUE - 599 * SECOND}, L.AT_RISK),
        ({"breach": 0.95}, L.CERTAIN_BREACH),
        ({"failed": ("report/r",)}, L.CERTAIN_BREACH),
        ({"ended_at": DUE}, L.MET),
        ({"ended_at": DUE + 1}, L.BROKEN),
        ({"now": DUE}, L.BROKEN),
        ({"now": DUE + 1, "ended_at": DUE - 1}, L.MET),
    ],
)
def test_a_level_follows_from_the_prediction(fields: dict[str, object], level: L) -> None:
    assert _decide(**fields) is level  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("before", "breach", "level"),
    [
        (L.AT_RISK, 0.15, L.AT_RISK),
        (L.AT_RISK, 0.1, L.SAFE),
        (L.SAFE, 0.15, L.SAFE),
        (L.CERTAIN_BREACH, 0.85, L.CERTAIN_BREACH),
        (L.CERTAIN_BREACH, 0.79, L.AT_RISK),
        (L.AT_RISK, 0.94, L.AT_RISK),
        (L.CERTAIN_BREACH, 0.15, L.AT_RISK),
    ],
)
def test_between_two_limits_the_level_stays(before: L, breach: float, level: L) -> None:
    assert _decide(before, breach=breach) is level


def test_a_probability_that_sways_around_a_limit_changes_the_level_once() -> None:
    level, changes = L.SAFE, 0
    for breach in (0.19, 0.21, 0.19, 0.22, 0.18, 0.2, 0.19, 0.25, 0.11):
        following = _decide(level, breach=breach)
        changes += following is not level
        level = following
    assert changes == 1
