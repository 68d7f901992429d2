"""The argument `deadline` of a DAG. The classes of deadlines are imported only by a DAG that has one: most have none."""

from __future__ import annotations

from typing import Any


def as_deadlines(name: str, value: Any) -> list[Any]:
    """Return the deadlines of the argument: one DeadlineAlert or several. Raises TypeError."""
    from gnomon.authoring.sdk.schedules import deadlines  # start-up cost

    return deadlines.list_deadlines(name, value)


def encode_deadlines(alerts: list[Any] | None) -> tuple[Any, ...]:
    """Return the deadlines as the spec of the DAG has them (`model.run_callbacks.DeadlineSpec`)."""
    if not alerts:
        return ()
    from gnomon.authoring.sdk.schedules import deadlines  # start-up cost

    return tuple(deadlines.encode_deadline(alert) for alert in alerts)
