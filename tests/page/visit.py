"""A visit to the page in a browser, and what it must never do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Page, expect
from tests.acceptance.product import Product
from tests.page.page_tools import WEB, require_node
from tests.patience import PATIENCE_S

PASSWORD = "a long password"
SIZES = {"wide": (1440, 900), "narrow": (390, 844)}
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
]
AXE = WEB / "node_modules" / "axe-core" / "axe.min.js"
LOGIN_LINE = "status of 401"
"""The browser itself writes a line about the answer to a wrong password."""


class Visit:
    """A page of the browser, and what it wrote to the console or asked of other hosts."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.address = address
        self.faults: list[str] = []
        page.on("console", lambda message: self.faults.append(message.text) if message.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("request", lambda request: None if request.url.startswith((address, "data:")) else self.faults.append(request.url))

    def open(self, path: str) -> None:
        self.page.goto(self.address + path)

    def log_in(self, path: str = "/", password: str = PASSWORD) -> None:
        self.open(path)
        self.page.get_by_label("Name").fill("admin")
        self.page.get_by_label("Password").fill(password)
        self.page.get_by_role("button", name="Log in").click()

    def check(self) -> None:
        """Nothing is wider than the window, axe finds nothing, the console is empty, no other host was asked."""
        assert self.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), self.page.url
        require_node()
        self.page.evaluate(AXE.read_text())
        found = self.page.evaluate("axe.run().then(result => result.violations.map(one => one.id + ': ' + one.nodes.map(node => node.html).join(' ')))")
        assert found == [], self.page.url
        assert [fault for fault in self.faults if LOGIN_LINE not in fault] == []


@contextmanager
def visit(browser: Browser, product: Product, size: str = "wide", scheme: str = "light") -> Iterator[Visit]:
    width, height = SIZES[size]
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, timezone_id="Asia/Kathmandu")  # type: ignore[arg-type]
    context.set_default_timeout(PATIENCE_S * 1000)
    expect.set_options(timeout=PATIENCE_S * 1000)
    try:
        yield Visit(context.new_page(), re.search(r"http://localhost:\d+", product.said).group())  # type: ignore[union-attr]
    finally:
        context.close()
