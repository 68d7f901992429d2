"""A visit to the page in a browser, and what it must never do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from playwright.sync_api import Browser, Cookie, Error, Page, expect
from tests.acceptance.product import Product
from tests.page.page_tools import require_node
from tests.patience import PATIENCE_S
from web.node import WEB

PASSWORD = "a long password"
ZONE = "Asia/Kathmandu"
SIZES = {"wide": (1440, 900), "narrow": (390, 844)}
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--process-per-site",
]
AXE = WEB / "node_modules" / "axe-core" / "axe.min.js"
FIND_FAULTS = """async () => {
    const { violations } = await axe.run({ resultTypes: ["violations"] });
    const found = violations.map((one) => one.id + ": " + one.nodes.map((node) => node.html).join(" "));
    return document.documentElement.scrollWidth <= window.innerWidth ? found : ["it is wider than the window", ...found];
}"""
LOOKS = 3
"""News from the server may have a list read anew, and pale, in the middle of a look; what is a fault is there in each."""
DESCRIBE_TIMEOUT_MS = 10_000
LOGIN_LINE = "status of 401"
"""The browser itself writes a line about the answer to a wrong password."""
_OF_BROWSER = "cookies,local_storage,indexeddb,cache_storage,service_workers"
"""What a browser keeps of an origin, but for its cache, by the names of the DevTools protocol."""
_sessions: dict[str, list[Cookie]] = {}
"""By the address of the standalone: the cookies of a session of admin. A login by the form takes a second of processor time."""


class Visit:
    """A page of the browser, and what it wrote to the console or asked of other hosts."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.address = address
        self.faults: list[str] = []
        page.add_init_script("localStorage.setItem('gnomon.tour', 'seen')")  # it stands in front of the view
        page.on(
            "console",
            lambda message: (
                self.faults.append(f"{message.text} {message.location['url']}")
                if message.type in ("error", "warning")
                else None
            ),
        )
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on(
            "request",
            lambda request: None if request.url.startswith((address, "data:")) else self.faults.append(request.url),
        )

    def open(self, path: str) -> None:
        self.page.goto(self.address + path)

    def log_in(self, path: str = "/") -> None:
        """Open this path as admin: in the session of an earlier visit of the same standalone, or by the form when there is none that is valid."""
        context = self.page.context
        context.add_cookies(_sessions.get(self.address, []))  # type: ignore[arg-type]
        if context.request.get(f"{self.address}/auth/me", max_redirects=0).ok:
            self.open(path)
            return
        context.clear_cookies()
        self.log_in_by_form(path)
        expect(self.page.get_by_role("button", name="Log in", exact=True)).to_have_count(0)
        _sessions[self.address] = context.cookies()

    def log_in_by_form(self, path: str, password: str = PASSWORD) -> None:
        """Open this path and answer the form that is there instead."""
        self.open(path)
        self.page.get_by_label("Name", exact=True).fill("admin")
        self.page.get_by_label("Password", exact=True).fill(password)
        self.page.get_by_role("button", name="Log in", exact=True).click()

    def delete_views(self) -> None:
        """Delete the saved views of the account: a default view changes what other tests find."""
        self.page.evaluate("""async () => {
            const { views } = await (await fetch('/auth/me/views')).json();
            for (const { page, name } of views) await fetch('/auth/me/views?' + new URLSearchParams({ page, name }), { method: 'DELETE' });
        }""")

    def describe(self) -> None:
        """Print the address, the faults and the content of the page, for the report of a test that failed."""
        print(f"\nthe page at {self.page.url}, whose console says {self.faults}:")
        with suppress(Error):
            print(self.page.locator("body").aria_snapshot(timeout=DESCRIBE_TIMEOUT_MS))

    def check(self) -> None:
        """Nothing is wider than the window, axe finds nothing, the console is empty, no other host was asked."""
        require_node()
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(AXE.read_text())
        for _ in range(LOOKS):
            expect(self.page.locator('[aria-busy="true"]')).to_have_count(0)  # a list that is read anew is pale
            if not (found := self.page.evaluate(FIND_FAULTS)):
                break
        assert found == [], (self.page.url, found)
        faults = [fault for fault in self.faults if LOGIN_LINE not in fault]
        assert faults == [], (self.page.url, faults)


def choose_act(page: Page, name: str | re.Pattern[str]) -> None:
    """Choose an act from the menu of the view: its preview opens."""
    page.get_by_role("button", name="More acts").first.click()
    page.get_by_role("menuitem", name=name).click()


class Profile:
    """A context of a browser, for one visit after another: each has a tab of its own and finds nothing of an earlier one.

    A hidden tab keeps the process of the site, in which the code of the page is compiled and its fonts are read: the first load in another process takes half a
    second of processor time longer.
    """

    def __init__(self, browser: Browser, address: str) -> None:
        self._context = browser.new_context(timezone_id=ZONE)
        self._context.set_default_timeout(PATIENCE_S * 1000)
        self._hidden = self._context.new_page()
        self._hidden.goto(f"{address}/health")
        self._devtools = self._context.new_cdp_session(self._hidden)
        self.is_used = False

    @contextmanager
    def open_tab(self, address: str, size: str, scheme: str) -> Iterator[Page]:
        """A tab until the end of the block; afterwards the browser has kept nothing of this address."""
        self.is_used = True
        page = self._context.new_page()
        try:
            width, height = SIZES[size]
            page.set_viewport_size({"width": width, "height": height})
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            yield page
        finally:
            for tab in self._context.pages:
                if tab is not self._hidden:
                    tab.close()
            self._context.clear_permissions()
            self._devtools.send("Storage.clearDataForOrigin", {"origin": address, "storageTypes": _OF_BROWSER})
            self._context.clear_cookies()
            self.is_used = False


_profiles: dict[Browser, list[Profile]] = {}


@contextmanager
def visit(browser: Browser, product: Product, size: str = "wide", scheme: str = "light") -> Iterator[Visit]:
    """A tab in a profile that no other visit uses now."""
    address = re.search(r"http://localhost:\d+", product.said).group()  # type: ignore[union-attr]
    expect.set_options(timeout=PATIENCE_S * 1000)
    profiles = _profiles.setdefault(browser, [])
    profile = next((one for one in profiles if not one.is_used), None)
    if profile is None:
        profile = Profile(browser, address)
        profiles.append(profile)
    with profile.open_tab(address, size, scheme) as page:
        seen = Visit(page, address)
        try:
            yield seen
        except Exception:
            seen.describe()
            raise
