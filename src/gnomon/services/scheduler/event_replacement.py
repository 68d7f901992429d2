"""What takes the place of an event that cannot be applied: a failed result, the entry of an attempt now, or a refused request."""

from __future__ import annotations

import json
from collections.abc import Sequence

from gnomon.model.attempts import AttemptResult
from gnomon.model.deferral import DeferralResult
from gnomon.model.instants import Instant
from gnomon.model.sentences import render, say
from gnomon.model.storable_text import escape_unstorable
from gnomon.rules.engine import events as e
from gnomon.services.scheduler.unstorable_values import INTEGER_MAX, INTEGER_MIN


def build_replacement(events: Sequence[e.EngineEvent], reason: str, now: Instant) -> list[e.EngineEvent] | None:
    """The events to apply instead of these; None if one of them has no replacement. What was only read for them is left out."""
    replacements: list[e.EngineEvent] = []
    request_pks: dict[int, None] = {}
    for event in events:
        request_pk = getattr(event, "request_pk", None)
        if isinstance(event, e.ResultReceived):
            replacements.append(
                e.ResultReceived(_build_failed_result(event.result, reason), event.worker_id, event.sender)
            )
        elif isinstance(event, e.DeferralEnded):
            result = DeferralResult(outcome="error", reason=render(say("event_cannot_be_stored", reason=reason)))
            replacements.append(e.DeferralEnded(event.key, event.defer_seq, result))
        elif isinstance(event, e.AuthorCodeEntered):
            replacements.append(e.AuthorCodeEntered(event.attempt_id, now))
        elif isinstance(request_pk, int):
            request_pks[request_pk] = None
        elif not isinstance(event, e.DagRead | e.RunRead | e.BackfillRead | e.PreviousRunsRead):
            return None
    error = json.dumps({"error": render(say("request_cannot_be_carried_out", reason=reason))})
    return [*replacements, *(e.RejectRequest(request_pk, error) for request_pk in request_pks)] or None


def _build_failed_result(result: AttemptResult, reason: str) -> AttemptResult:
    """A failure of the same attempt with nothing that came from the worker but whether author code was entered."""
    return AttemptResult(
        attempt_id=result.attempt_id,
        group_no=result.group_no,
        run_pk=_clamp(result.run_pk),
        task_no=_clamp(result.task_no),
        map_index=_clamp(result.map_index),
        outcome="failed",
        entered=bool(result.entered),
        reason=render(say("result_cannot_be_stored", state=escape_unstorable(str(result.outcome))[:40], reason=reason)),
    )


def _clamp(number: int) -> int:
    return min(max(number, INTEGER_MIN), INTEGER_MAX)
