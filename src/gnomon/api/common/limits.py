"""Middleware that bounds the body of a request by what its account may do, and adds headers that keep browsers from using an answer otherwise than it is meant."""

from __future__ import annotations

from anyio import to_thread
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gnomon.api.common.errors import find_status
from gnomon.api.common.refusals import Refusal, answer_refusal, find_sentence
from gnomon.api.policies import AccessRefused, ApiResource, Permission
from gnomon.model.accounts import Identity, Role
from gnomon.model.errors.product import GnomonError
from gnomon.model.execution_messages import EXECUTION_PREFIX
from gnomon.model.sentences import Sentence, say

BODY_BYTES_MAX = 20 * 1024 * 1024
"""The largest body of a request: an XCom of 16 MiB and its quoting."""
READER_BYTES_MAX = 1024 * 1024
"""The largest body of an account that may only read: a filter of a list, or a schedule."""
ANONYMOUS_BYTES_MAX = 64 * 1024
"""The largest body without a valid login: a name and a password. A body is parsed before the route checks the login, and parsing holds the process."""
_HEADERS = (
    (b"cache-control", b"no-store"),
    (
        b"content-security-policy",
        b"default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
)


class SafeHeaders:
    """Adds the headers to every answer that does not have its own: the files of the page may be kept, and the page has a policy for its script."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = {name.lower() for name, _value in message["headers"]}
                message["headers"] = [*message["headers"], *(header for header in _HEADERS if header[0] not in own)]
            await send(message)

        await self._app(scope, receive, send_with_headers if scope["type"] == "http" else send)


class BodyLimit:
    """Answers 413 to a body that is too large for the account of the request, and reads no more of it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].startswith(
            f"{EXECUTION_PREFIX}/"
        ):  # these routes check the token before they read the body
            await self._app(scope, receive, send)
            return
        received, permitted = 0, ANONYMOUS_BYTES_MAX

        async def permit(size: int) -> None:
            nonlocal permitted
            if permitted < size and permitted == ANONYMOUS_BYTES_MAX and size <= BODY_BYTES_MAX:
                permitted = await to_thread.run_sync(_find_limit, Request(scope))
            if permitted < size:
                raise _refuse(
                    413,
                    say(
                        "body_is_too_large",
                        thing="body",
                        most=BODY_BYTES_MAX if size > BODY_BYTES_MAX else permitted,
                        why=say("most_for_account"),
                    ),
                )

        async def receive_some() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            await permit(received)
            return message

        declared = dict(scope["headers"]).get(b"content-length", b"0")
        try:
            if declared.isdigit() and len(declared) < 20:
                await permit(int(declared))
        except Refusal as refusal:
            await answer_refusal(refusal.status_code, refusal.sentence, refusal.headers)(scope, receive, send)
            return
        await self._app(scope, receive_some, send)


def _find_limit(request: Request) -> int:
    """The largest body of the account of the request. Raises Refusal without a valid login, or without the database."""
    try:
        identity = request.app.state.context.policy.authorize(request, Permission.READ, ApiResource.DAG, None).identity
    except AccessRefused as refusal:
        raise _refuse(refusal.status, refusal.sentence, refusal.headers) from None
    except GnomonError as error:
        raise _refuse(find_status(error), find_sentence(error)) from None
    return BODY_BYTES_MAX if _may_change(identity) else READER_BYTES_MAX


def _may_change(identity: Identity) -> bool:
    """Whether the account has the role user on anything."""
    return min(max((identity.role, *(grant.role for grant in identity.grants))), identity.ceiling) >= Role.USER


def _refuse(status: int, reason: Sentence, headers: dict[str, str] | None = None) -> Refusal:
    """The rest of the body is not read, so the connection ends."""
    return Refusal(status, reason, {**(headers or {}), "connection": "close"})
