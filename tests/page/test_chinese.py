"""The page in Chinese: what the page itself says is translated; names of users, sentences of the server and source are as they are."""

from __future__ import annotations

from playwright.sync_api import Browser, expect
from tests.acceptance.product import Product
from tests.page.visit import visit

VIEWS = (
    "/",
    "/dags",
    "/runs",
    "/tasks",
    "/dags/nightly",
    "/dags/nightly/graph",
    "/dags/nightly/backfill",
    "/dags/nightly/audit",
    "/dags/nightly/runs/first",
    "/dags/nightly/runs/first/gantt",
    "/dags/nightly/runs/first/tasks/extract",
    "/dags/gated/runs/waiting",
    "/dags/gated/runs/waiting/tasks/wait_for_slot",
    "/pools",
    "/triggers",
    "/backfills",
    "/assets",
    "/account",
)
FIND_ENGLISH = """() => {
  const said = ":is(h1, h2, h3, th, dt, legend, summary, button, label, .badge, .count, .state-count, .legend li, .tabs a)";
  const data = ":is(.name, code, pre, bdi, time, kbd, select, [lang=en], .tag, .task-fold, .layout-zone)";
  const found = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement;
    if (parent.closest(said) && !parent.closest(data)) found.push(walker.currentNode.data);
  }
  for (const one of document.querySelectorAll(":is(section, nav, form, ul, ol, table)[aria-label], .badge, .count")) found.push(one.getAttribute("aria-label") ?? "");
  for (const one of document.querySelectorAll("option")) if (/^(success|failed|running|queued|skipped|removed|scheduled|deferred|manual|backfill|no state)$/.test(one.textContent.trim())) found.push(one.textContent);
  return [...new Set(found.filter(text => /(?<![\\w.-])[a-z]{3,}/i.test(text) && !KNOWN.test(text)))];
}"""
KNOWN = r"/^[^a-z]*(?:池 |(scheduled__|manual__|(?:DAG|XCom|JSON|API|UTC|Ctrl|Gnomon|admin|nightly|gated|mapped|hostile|in_tokyo|extract|load|none_free|default_pool|cron|conf|waiting)\b))/i"
"""Names of the product, of the tests, and terms that Chinese texts keep."""


def test_no_word_of_the_page_is_left_in_english(browser: Browser, product: Product) -> None:
    left: dict[str, object] = {}
    with visit(browser, product) as seen:
        seen.log_in()
        expect(seen.page.locator("main h1")).to_be_visible()
        seen.page.get_by_role("button", name="Display").click()
        seen.page.get_by_role("radio", name="中文").click()
        expect(seen.page.locator("html")).to_have_attribute("lang", "zh")
        for view in VIEWS:
            seen.open(view)
            expect(seen.page.locator("main h1").first).to_be_visible()
            expect(seen.page.locator("[aria-busy=true]")).to_have_count(0)
            if found := seen.page.evaluate(FIND_ENGLISH.replace("KNOWN", KNOWN)):
                left[view] = found
        seen.open("/dags/nightly/runs/first")
        expect(seen.page.locator("h1 + .badge")).to_contain_text("失败")
        seen.open("/dags/nightly")
        expect(seen.page.locator("section.why")).to_have_attribute("aria-label", "原因")
    assert left == {}
