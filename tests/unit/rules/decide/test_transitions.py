"""The table of a task instance's life: closed, without dead ends, and strict."""

from __future__ import annotations

import pytest

from gnomon.model.errors.product import IllegalTransition
from gnomon.model.states import FINISHED_TASK_STATES
from gnomon.model.states import TaskInstanceState as S
from gnomon.rules.decide.transitions import TRANSITIONS, Cause, next_state


def test_every_unfinished_state_can_reach_an_end() -> None:
    unfinished = {state for state, _ in TRANSITIONS if state not in FINISHED_TASK_STATES}
    for start in unfinished:
        reached, frontier = {start}, [start]
        while frontier:
            state = frontier.pop()
            for (source, _), target in TRANSITIONS.items():
                if source == state and target not in reached:
                    reached.add(target)
                    frontier.append(target)
        assert reached & FINISHED_TASK_STATES, start


def test_nothing_but_people_moves_a_finished_instance() -> None:
    by_hand = {Cause.CLEAR, Cause.MARK_SUCCESS, Cause.MARK_FAILED, Cause.MARK_SKIPPED, Cause.REMOVE}
    moved = {cause for (state, cause) in TRANSITIONS if state in FINISHED_TASK_STATES}
    assert moved == by_hand


def test_a_missing_row_is_an_illegal_move() -> None:
    with pytest.raises(IllegalTransition, match="'success'"):
        next_state(S.SUCCESS, Cause.ADMIT)


def test_only_admission_makes_an_attempt() -> None:
    assert {cause for (_, cause), target in TRANSITIONS.items() if target is S.QUEUED} == {Cause.ADMIT}
