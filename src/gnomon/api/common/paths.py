"""Ids in the path of a URL. A client writes a slash in an id as `%2F`, which must not end the id.

Servers decode a path before it is routed. The middleware keeps an encoded slash as a character that no id contains, and the types of the
path parameters turn it back.
"""

from __future__ import annotations

import re
from typing import Annotated
from urllib.parse import unquote

from fastapi import Path
from pydantic import AfterValidator
from starlette.types import ASGIApp, Receive, Scope, Send

from gnomon.api.common.refusals import answer_refusal
from gnomon.model.ids import ALL_RUNS
from gnomon.model.sentences import say

ALL = ALL_RUNS
"""In place of an id in the path of a list: the objects of all of them."""
_SLASH = "\ue000"
_ENCODED_SLASH = re.compile("%2[Ff]")
_ENCODED_NUL = re.compile(rb"%00|\x00")


class EncodedSlashes:
    """Middleware: keeps encoded slashes in ids, and refuses NUL, which neither an id nor a filter can contain."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            raw: bytes = scope.get("raw_path") or b""
            if (
                _SLASH in scope["path"]
                or "\x00" in scope["path"]
                or _ENCODED_NUL.search(scope.get("query_string", b""))
            ):
                await answer_refusal(400, say("url_has_wrong_character"))(scope, receive, send)
                return
            if b"%2f" in raw.lower():
                path = raw.partition(b"?")[0].decode("ascii", errors="replace")
                scope = {**scope, "path": unquote(_ENCODED_SLASH.sub(_SLASH, path))}
        await self._app(scope, receive, send)


def restore_slashes(text: str) -> str:
    """The id as the client meant it."""
    return text.replace(_SLASH, "/")


Id = Annotated[str, Path(), AfterValidator(restore_slashes)]
"""An id in the path."""
