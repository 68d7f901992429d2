"""A server that does not answer, a service that is silent, and a session that has ended: the page says so."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Route, expect
from tests.acceptance.product import Product
from tests.page.visit import visit


def test_a_request_without_an_answer_is_seen_and_told_after_a_while(browser: Browser, product: Product) -> None:
    with visit(browser, product) as seen:
        seen.log_in("/services")
        page = seen.page
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        held: list[Route] = []
        page.route(re.compile("/api/gnomon/v1/dags(\\?|$)"), lambda route: held.append(route))
        page.get_by_role("link", name="DAGs", exact=True).first.click()
        expect(page.get_by_role("progressbar", name="An answer is under way")).to_be_attached()
        expect(page.get_by_text("Reading the DAGs …")).to_be_visible()
        expect(page.get_by_role("alert").filter(has_text="The server does not answer.")).to_be_visible(timeout=20_000)
        for route in held:
            route.continue_()
        page.unroute(re.compile("/api/gnomon/v1/dags(\\?|$)"))
        expect(page.get_by_role("link", name="nightly", exact=True).first).to_be_visible()
        expect(page.get_by_role("alert")).to_have_count(0)
        expect(page.get_by_role("progressbar", name="An answer is under way")).to_have_count(0)


def test_a_slow_answer_has_a_skeleton_in_its_place_after_a_moment(browser: Browser, product: Product) -> None:
    with visit(browser, product) as seen:
        seen.log_in("/services")
        page = seen.page
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        held: list[Route] = []
        page.route(re.compile("/api/v2/variables"), lambda route: held.append(route))
        page.evaluate(
            "window.history.pushState({}, '', '/variables'); window.dispatchEvent(new PopStateEvent('popstate'))"
        )
        skeleton = page.locator(".skeleton")
        expect(skeleton).to_have_css("animation-delay", "0.4s")
        expect(skeleton).to_have_css("opacity", "1")
        for route in held:
            route.continue_()
        page.unroute(re.compile("/api/v2/variables"))
        expect(skeleton).to_have_count(0)
        expect(page.get_by_role("heading", level=1)).to_have_text("Variables")


def test_a_silent_service_is_named_on_every_page_with_its_remedy(browser: Browser, product: Product) -> None:
    sentence = {
        "code": "scheduler_is_dead",
        "arguments": {},
        "text": "No scheduler is alive: no run is planned and no task starts.",
        "spans": [{"kind": "text", "text": "No scheduler is alive: no run is planned and no task starts."}],
    }
    with visit(browser, product) as seen:
        seen.page.route("**/api/gnomon/v1/services/silent", lambda route: route.fulfill(json={"silent": [sentence]}))
        seen.log_in("/dags")
        for path in ("/dags", "/assets", "/dags/nightly"):
            seen.open(path)
            expect(seen.page.get_by_role("alert")).to_contain_text("No scheduler is alive")
        seen.check()


def test_a_stream_without_a_beat_is_not_live(browser: Browser, product: Product) -> None:
    """A server that hangs keeps its connections open: only its silence tells."""
    with visit(browser, product) as seen:
        page = seen.page
        page.add_init_script(
            """window.EventSource = class extends EventTarget {
                constructor() {
                    super();
                    // Only the first stream begins: the server hangs from then on.
                    if (!window.hasBegun) setTimeout(() => this.dispatchEvent(new MessageEvent("ready")), 50);
                    window.hasBegun = true;
                }
                close() {}
            };"""
        )
        seen.log_in("/services")
        expect(page.get_by_role("status").filter(has_text="live").first).to_be_visible()
        expect(page.get_by_text("connection lost: what you see may be old").first).to_be_visible(timeout=30_000)


def test_the_end_of_a_session_is_told_at_the_login_and_one_comes_back(browser: Browser, product: Product) -> None:
    with visit(browser, product) as seen:
        seen.log_in("/services")
        page = seen.page
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        page.context.clear_cookies()
        # No wait for the link: a question that the page asks by itself may be the first one that is refused.
        page.evaluate("void setTimeout(() => document.querySelector('nav a[href$=\"/dags\"]')?.click())")
        expect(page.get_by_role("alert")).to_contain_text("Your session has ended")
        expect(page.get_by_role("button", name="Log in")).to_be_visible()
        page.get_by_label("Name", exact=True).fill("admin")
        page.get_by_label("Password", exact=True).fill("a long password")
        page.get_by_role("button", name="Log in").click()
        expect(page).to_have_url(re.compile("/(dags|services)$"))
