"""Tasks that a branch did not choose: the fact is kept in the row's reason, and holds as long as the branch's decision does.

A cleared task that a branch skipped is skipped again unless the branch is cleared too (airflow-surface.md D.9,
NotPreviouslySkippedDep). The row of the skipped task is where the fact lives: it is written with the skip, read with the
run, and needs no look at XComs.
"""

from __future__ import annotations

from gnomon.model.states import TaskInstanceState as S

_SKIPPED_BY = "skipped by "


def skipped_by(name: str) -> str:
    """The reason of a task that the task instance `name` skipped."""
    return _SKIPPED_BY + name


def skipper(reason: str | None) -> str | None:
    """The task id that this reason names as the one that skipped; None for any other reason."""
    if reason is None or not reason.startswith(_SKIPPED_BY):
        return None
    return reason[len(_SKIPPED_BY) :].partition("[")[0]


def still_holds(skipper_state: S | None) -> bool:
    """Whether the decision of a direct upstream in this state stands."""
    return skipper_state is S.SUCCESS
