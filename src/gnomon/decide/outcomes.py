"""How a run ends, from the states of its leaves. Source: airflow-surface.md D.3."""

from __future__ import annotations

from collections.abc import Iterable

from gnomon.model.states import DagRunState
from gnomon.model.states import TaskInstanceState as S

_BAD = frozenset({S.FAILED, S.UPSTREAM_FAILED})


def run_outcome(leaves: Iterable[tuple[str, S | None]]) -> tuple[DagRunState, str | None]:
    """FAILED with a reason that names the leaves when one failed or could not run, else SUCCESS."""
    bad = [f"{task_id} ({state})" for task_id, state in leaves if state in _BAD]
    if not bad:
        return DagRunState.SUCCESS, None
    shown = ", ".join(bad[:_NAMED]) + (f" and {len(bad) - _NAMED} more" if len(bad) > _NAMED else "")
    return DagRunState.FAILED, f"leaf tasks did not succeed: {shown}"


_NAMED = 5
