"""`OpenApiDocument`: `/openapi.json`, which a child process makes at its first request.

Making it prepares every operation and takes some seconds: in the api-server that would stop all other requests for as long, and keep forty megabytes.
"""

from __future__ import annotations

import subprocess
import sys

import anyio
from anyio import to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from gnomon.ground import log

DOCUMENT_PATH = "/openapi.json"
_PROGRAM = "gnomon.api.print_document"
_TIMEOUT_S = 120.0
_log = log.get_logger("api")


class OpenApiDocument:
    """The document of this release: the same for every user and every installation."""

    def __init__(self) -> None:
        self._text: bytes | None = None
        self._guard = anyio.Lock()

    async def answer(self, _request: Request) -> Response:
        """The document; 503 if it could not be made. Requests that come meanwhile wait without a thread."""
        async with self._guard:
            if self._text is None:
                self._text = await to_thread.run_sync(_make_document)
        if self._text is None:
            return JSONResponse(
                {"detail": "the document could not be made; the log of the api-server has the reason"},
                503,
                {"Retry-After": "5"},
            )
        return Response(self._text, media_type="application/json")


def _make_document() -> bytes | None:
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", _PROGRAM], check=True, capture_output=True, timeout=_TIMEOUT_S
        )
    except (OSError, subprocess.SubprocessError) as error:
        stderr_text = getattr(error, "stderr", None) or b""
        _log.error("openapi_document_failed", error=str(error), output=stderr_text.decode(errors="replace")[-2_000:])
        return None
    return done.stdout
