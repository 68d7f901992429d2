"""Whether a task waits for the world: then the instant of its end relative to the slot is what repeats, and not how long it has waited."""

from __future__ import annotations

from collections.abc import Sequence

SENSOR_FACTOR = 1.2
"""A sensor is taken to wait for the world unless its ends scatter by so much more than its durations."""
DEFERRAL_FACTOR = 0.5
"""Another task that defers may as well wait for work of its own: its ends have to scatter by so much less."""
ROOM_S = 1.0
"""Scatter below this is none."""
RUNS_MIN = 3


def is_arrival(durations_s: Sequence[float], ends_s: Sequence[float], *, is_sensor: bool) -> bool:
    """Compares the middle halves. `durations_s` and `ends_s`, seconds after the slot, are of the same tries of a task that waits."""
    if len(ends_s) < RUNS_MIN:
        return False
    factor = SENSOR_FACTOR if is_sensor else DEFERRAL_FACTOR
    return _find_spread(ends_s) <= factor * _find_spread(durations_s) + (ROOM_S if is_sensor else 0.0)


def _find_spread(values: Sequence[float]) -> float:
    ordered = sorted(values)
    return ordered[len(ordered) * 3 // 4] - ordered[len(ordered) // 4]
