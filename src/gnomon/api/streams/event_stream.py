"""`EventStream`: the answer that turns the connection of a request into a stream of changes."""

from __future__ import annotations

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from gnomon.api.common.account_places import NoPlace
from gnomon.api.common.refusals import answer_refusal
from gnomon.api.policies import Credential
from gnomon.api.streams.event_hub import EventHub
from gnomon.api.streams.stream_interest import StreamInterest
from gnomon.model.sentences import say

MEDIA_TYPE = "text/event-stream"
HAND_OVER = "gnomon.hand_over"
"""The extension of the server that gives the connection of a request to another protocol of asyncio (`api/http_protocol.py`)."""


class EventStream(Response):
    """Server-sent events of what an interest accepts, from now on or from after an event."""

    media_type = MEDIA_TYPE

    def __init__(
        self, hub: EventHub, interest: StreamInterest, credential: Credential, last_place: tuple[int, int] | None
    ) -> None:
        super().__init__()
        self._hub = hub
        self._interest = interest
        self._credential = credential
        self._last_place = last_place

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the headers, and hand the connection over to the hub. The stream lasts longer than this call."""
        hand_over = scope.get("extensions", {}).get(HAND_OVER)
        try:
            if hand_over is None:
                raise NoPlace(say("server_cannot_stream"))
            await self._hub.wait_until_ready(self._interest.identity.name)
        except NoPlace as error:
            await answer_refusal(503, error.sentence)(scope, receive, send)
            return
        try:
            headers = [(b"content-type", MEDIA_TYPE.encode()), (b"x-accel-buffering", b"no")]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
        except BaseException:
            self._hub.release(self._interest.identity.name)
            raise
        self._hub.open_stream(
            self._interest, self._credential, self._last_place, hand_over, is_chunked=scope["http_version"] != "1.0"
        )
