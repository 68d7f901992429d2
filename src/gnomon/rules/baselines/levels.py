"""The level of a baseline, from what is predicted and from the level before."""

from __future__ import annotations

from gnomon.model.baseline_specs import BaselineSpec
from gnomon.model.baselines import BaselineForecast, BaselineLevel
from gnomon.model.instants import SECOND, Instant

CERTAIN, CERTAIN_LEFT = 0.95, 0.8
"""A breach is certain from the first probability on, until it falls below the second."""
LEFT_SHARE = 0.5
"""A baseline is at risk no longer when the probability falls below this share of its limit."""


def decide_level(
    spec: BaselineSpec, forecast: BaselineForecast, before: BaselineLevel | None, now: Instant
) -> BaselineLevel:
    """The level now. `before`: that of the prediction before, None for the first one: between two limits the level stays as it was."""
    if forecast.ended_at is not None:
        return BaselineLevel.MET if forecast.ended_at <= forecast.due_at else BaselineLevel.BROKEN
    if now >= forecast.due_at:
        return BaselineLevel.BROKEN
    if forecast.failed:
        return BaselineLevel.CERTAIN_BREACH
    was_certain = before is BaselineLevel.CERTAIN_BREACH
    if forecast.breach >= (CERTAIN_LEFT if was_certain else CERTAIN):
        return BaselineLevel.CERTAIN_BREACH
    was_open = before in (BaselineLevel.AT_RISK, BaselineLevel.CERTAIN_BREACH)
    limit = spec.at_risk * LEFT_SHARE if was_open else spec.at_risk
    wished_end = forecast.due_at - int(spec.margin_s * SECOND)
    is_late = forecast.end_p50 is not None and forecast.end_p50 > wished_end
    return BaselineLevel.AT_RISK if forecast.breach > limit or is_late else BaselineLevel.SAFE
