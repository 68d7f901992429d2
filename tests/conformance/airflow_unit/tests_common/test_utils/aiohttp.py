"""An answer of an HTTP client that was never asked."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any


class MockAiohttpClientResponse:
    """Looks like `aiohttp.ClientResponse`: the arguments are its attributes, `body` is read by `text()`, `json()` and `read()`."""

    def __init__(
        self,
        status: int = 200,
        reason: str = "OK",
        method: str = "GET",
        url: str = "http://localhost/",
        body: Any = "",
        **others: Any,
    ) -> None:
        self.status = status
        self.reason = reason
        self.method = method
        self.url = url
        self.body = body
        self.headers: dict[str, str] = {}
        self.history: tuple[Any, ...] = ()
        self.request_info = SimpleNamespace(real_url=url, method=method, headers={})
        self.__dict__.update(others)

    @property
    def ok(self) -> bool:
        """Whether the status is no error."""
        return self.status < 400

    def raise_for_status(self) -> None:
        """Raise `aiohttp.ClientResponseError` for a status of 400 and more."""
        from aiohttp import ClientResponseError

        if not self.ok:
            raise ClientResponseError(self.request_info, self.history, status=self.status, message=self.reason)  # type: ignore[arg-type]

    async def text(self) -> Any:
        """The body."""
        return self.body

    async def json(self, **_: Any) -> Any:
        """The body."""
        return self.body

    async def read(self) -> Any:
        """The body."""
        return self.body

    def release(self) -> None:
        """There is nothing to release."""

    async def __aenter__(self) -> MockAiohttpClientResponse:
        return self

    async def __aexit__(self, *_: object) -> None:
        """There is nothing to close."""
