"""The browsers of the tests of the page, and the event loop of Playwright."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Playwright
from tests.page.visit import ARGUMENTS


class LoopOfPlaywright:
    """The event loop of Playwright counts as running in this thread from the first test of the page to the end; other tests, which may come in between, must not see it."""

    def __init__(self) -> None:
        self._kept: asyncio.AbstractEventLoop | None = None

    def show(self) -> None:
        """For a test of the page, and for the end of the browser."""
        if self._kept is not None:
            asyncio._set_running_loop(self._kept)

    def hide(self) -> None:
        """For all other tests."""
        self._kept = asyncio._get_running_loop() or self._kept
        asyncio._set_running_loop(None)


LOOP = LoopOfPlaywright()


@contextmanager
def launch(playwright: Playwright, program: str) -> Iterator[Browser]:
    """A browser until the end of the block."""
    LOOP.show()
    browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
    yield browser
    LOOP.show()
    browser.close()
