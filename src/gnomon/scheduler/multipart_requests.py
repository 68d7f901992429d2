"""A request of several parts on its way from owner to owner, upstream first (`store.requests`, OWNERSHIP.md line 30)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gnomon.engine.state.engine_state import EngineState
from gnomon.model.instants import Instant
from gnomon.model.records import Changes, NewMail

PartBody = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _MultipartRequest:
    """A letter that is being applied."""

    body: Mapping[str, Any]
    own_parts: Sequence[PartBody]
    remaining_parts: Sequence[PartBody]


class MultipartRequests:
    """The letters of such requests that this round applies; each of their parts gives one answer of the engine."""

    def __init__(self, memory: EngineState) -> None:
        self._memory = memory
        self._chains: dict[int, _MultipartRequest] = {}

    def reset(self) -> None:
        """Nothing was applied: the letters are still there."""
        self._chains = {}

    def own_parts(self, body: Mapping[str, Any]) -> Sequence[PartBody]:
        """The parts at the head of a letter that are this owner's, to be done in this order."""
        parts: Sequence[PartBody] = body["parts"]
        return parts[: next((i for i, part in enumerate(parts) if part["group_no"] not in self._memory.epochs), len(parts))]

    def start_request(self, request_pk: int, body: Mapping[str, Any]) -> None:
        """Those parts are done with the next step."""
        here = self.own_parts(body)
        self._chains[request_pk] = _MultipartRequest(body, here, body["parts"][len(here) :])

    def forward_requests(self, changes: Changes, now: Instant) -> None:
        """In the place of the answers of the parts: a letter to the next owner, or the answer of all."""
        chains, self._chains = self._chains, {}
        for request_pk, chain in chains.items():
            mine = [answer for answer in changes.answers if answer[0] == request_pk]
            changes.answers = [answer for answer in changes.answers if answer[0] != request_pk]
            done = [*chain.body.get("done", ()), *map(_answer_of_part, chain.own_parts, mine)]
            if chain.remaining_parts:
                body = {**chain.body, "request_pk": request_pk, "parts": chain.remaining_parts, "done": done}
                changes.mail_sent.append(NewMail(chain.remaining_parts[0]["group_no"], "action", json.dumps(body), at=now))
            else:
                changes.answers.append((request_pk, "done", json.dumps(done)))


def _answer_of_part(part: PartBody, answer: tuple[int, str, str]) -> dict[str, object]:
    return {"dag_id": part["dag_id"], "run_id": part["run_id"], **json.loads(answer[2])}
