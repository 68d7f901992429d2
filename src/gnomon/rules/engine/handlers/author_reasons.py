"""Reasons that author code gave, kept apart from those of the engine: some of these are read back, because they say who skipped or stopped an instance."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from msgspec.structs import replace

from gnomon.model.attempts import AttemptResult
from gnomon.model.deferral import DeferralResult
from gnomon.model.sentences import render, say
from gnomon.rules.decide.outcomes import is_fail_fast, parse_restarts, parse_run_stop
from gnomon.rules.decide.trigger_rules import parse_left_out, parse_skip_reason
from gnomon.rules.engine.lifecycle.instance_mutation import is_hook_reason
from gnomon.rules.engine.state.edge_waits import is_cancel_reason

_Result = TypeVar("_Result", AttemptResult, DeferralResult)

ENGINE_REASONS: tuple[Callable[[str | None], object], ...] = (
    parse_skip_reason,
    parse_left_out,
    parse_restarts,
    parse_run_stop,
    is_fail_fast,
    is_hook_reason,
    is_cancel_reason,
)
"""What reads a reason back; each is false for a reason that is not the engine's own."""


def quote_author_reason(result: _Result) -> _Result:
    """The result, whose reason, if it would be taken for one of the engine, says that the task gave it."""
    reason = result.reason
    if reason is None or not any(is_own(reason) for is_own in ENGINE_REASONS):
        return result
    return replace(result, reason=render(say("task_says", reason=reason)))
