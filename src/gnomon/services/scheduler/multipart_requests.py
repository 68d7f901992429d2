"""Requests of several parts, which pass from owner to owner, upstream first: REQUEST in docs/contributing/ownership.md."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gnomon.model.instants import Instant
from gnomon.model.records import Changes, NewMail
from gnomon.rules.engine.state.engine_state import EngineState

PartBody = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _MultipartRequest:
    """A message with parts that this round applies."""

    body: Mapping[str, Any]
    own_parts: Sequence[PartBody]
    remaining_parts: Sequence[PartBody]


class MultipartRequests:
    """The multipart requests that this round applies. The engine gives one answer per part."""

    def __init__(self, engine_state: EngineState) -> None:
        self._engine_state = engine_state
        self._requests: dict[int, _MultipartRequest] = {}

    def reset(self) -> None:
        """Forgets the requests after a failed round: their messages are still in the mailbox."""
        self._requests = {}

    def own_parts(self, body: Mapping[str, Any]) -> Sequence[PartBody]:
        """The leading parts whose groups this scheduler owns, in order."""
        parts: Sequence[PartBody] = body["parts"]
        return parts[
            : next((i for i, part in enumerate(parts) if part["group_no"] not in self._engine_state.epochs), len(parts))
        ]

    def start_request(self, request_pk: int, body: Mapping[str, Any]) -> None:
        """Registers the request: the next step of the engine applies its own parts."""
        own_parts = self.own_parts(body)
        self._requests[request_pk] = _MultipartRequest(body, own_parts, body["parts"][len(own_parts) :])

    def forward_requests(self, changes: Changes, now: Instant) -> None:
        """Replaces the answers of the parts in `changes` by a message to the next owner, or by the answer of the request."""
        requests, self._requests = self._requests, {}
        for request_pk, request in requests.items():
            own_answers = [answer for answer in changes.answers if answer[0] == request_pk]
            changes.answers = [answer for answer in changes.answers if answer[0] != request_pk]
            done = [*request.body.get("done", ()), *map(_answer_of_part, request.own_parts, own_answers)]
            if request.remaining_parts:
                body = {**request.body, "request_pk": request_pk, "parts": request.remaining_parts, "done": done}
                changes.mail_sent.append(
                    NewMail(request.remaining_parts[0]["group_no"], "action", json.dumps(body), at=now)
                )
            else:
                changes.answers.append((request_pk, "done", json.dumps(done)))


def _answer_of_part(part: PartBody, answer: tuple[int, str, str]) -> dict[str, object]:
    return {"dag_id": part["dag_id"], "run_id": part["run_id"], **json.loads(answer[2])}
