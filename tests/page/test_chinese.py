"""The page in Chinese: what the page and the server say is translated; names and texts of users, commands and source are as they are."""

from __future__ import annotations

from playwright.sync_api import Browser, expect
from tests.acceptance.product import Product
from tests.page.promised_baselines import promise
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
    "/baselines",
    "/baselines/morning",
    "/forecast/accuracy",
    "/forecast",
    "/assets",
    "/account",
    "/dags/nightly/calendar",
    "/dags/nightly/details",
    "/dags/nightly/trigger",
    "/dependencies",
    "/dependencies/graph",
    "/timetables?text=0+4+*+*+1-5",
    "/inbox",
    "/connections",
    "/variables",
    "/plugins",
    "/providers",
    "/options",
    "/users",
    "/tokens",
    "/audit",
    "/services",
)
OF_CODE = ("/dags/nightly/details", "/options")
"""Views whose labels are names of arguments and options."""
FIND_ENGLISH = """() => {
  const said = ":is(h1, h2, h3, th, dt, legend, summary, button, label, .badge, .count, .state-count, .legend li, [data-tabs] a)";
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
FIND_SENTENCES = r"""() => {
  const data = ":is(pre, code, kbd, samp, textarea, .name, .tag, [lang=en], .markdown)";
  const sentence = /(?<![\w.\/`:=-])[a-z]{2,}(?: [a-z]{2,}){2,}/i;
  const found = [], walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { data: text, parentElement } = walker.currentNode;
    if (!parentElement.closest(data) && sentence.test(text.replace(AUTHORS, ""))) found.push(text);
  }
  for (const name of ["title", "aria-label", "placeholder"])
    for (const one of document.querySelectorAll(`main [${name}]`))
      if (sentence.test(one.getAttribute(name).replace(AUTHORS, "")) && !one.closest(data)) found.push(one.getAttribute(name));
  return [...new Set(found)];
}"""
"""Three English words after one another, outside of what users wrote."""
AUTHORS = r"/\S+\.py, line \d+[\s\S]*|source\.csv has not arrived|Loads the day|gnomon [\w .-]+|reading day|OTLP over HTTP|no slot|<script>[\s\S]*|RuntimeError[\s\S]*|\[Errno[\s\S]*|Traceback[\s\S]*|invalid syntax[\s\S]*/g"
KNOWN = r"/^[^a-z]*(?:池 |(scheduled__|manual__|(?:DAG|XCom|JSON|API|UTC|Ctrl|Gnomon|admin|nightly|gated|mapped|hostile|in_tokyo|extract|load|none_free|default_pool|cron|conf|waiting|dags\/broken)\b))/i"
"""Names of the product, of the tests, and terms that Chinese texts keep."""


def test_no_word_and_no_sentence_of_ours_is_left_in_english(browser: Browser, untouched: Product) -> None:
    left: dict[str, object] = {}
    with promise(untouched) as promised, visit(browser, promised) as seen:
        seen.log_in()
        expect(seen.page.locator("main h1")).to_be_visible()
        seen.page.get_by_role("button", name="Display").click()
        seen.page.get_by_role("radio", name="中文").click()
        expect(seen.page.locator("html")).to_have_attribute("lang", "zh")
        for view in VIEWS:
            seen.open(view)
            expect(seen.page.locator("main h1").first).to_be_visible()
            expect(seen.page.locator("[aria-busy=true]")).to_have_count(0)
            seen.page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
            found = [] if view in OF_CODE else seen.page.evaluate(FIND_ENGLISH.replace("KNOWN", KNOWN))
            if found := found + seen.page.evaluate(FIND_SENTENCES.replace("AUTHORS", AUTHORS)):
                left[view] = found
        seen.open("/dags/nightly/runs/first")
        expect(seen.page.locator("h1 + .badge")).to_contain_text("失败")
        seen.open("/dags/nightly")
        expect(seen.page.get_by_role("region", name="原因", exact=True).first).to_be_visible()
    assert left == {}


def test_the_login_and_the_health_page_are_in_the_language_of_the_browser(browser: Browser, product: Product) -> None:
    with visit(browser, product) as seen:
        page = seen.page
        page.set_extra_http_headers({"Accept-Language": "zh-CN,zh;q=0.9,en;q=0.5"})
        seen.open("/login?next=/dags")
        expect(page.get_by_role("button", name="登录")).to_be_visible()
        assert page.evaluate(FIND_SENTENCES.replace("AUTHORS", AUTHORS)) == []
        page.get_by_label("用户名", exact=True).fill("admin")
        page.get_by_label("密码", exact=True).fill("wrong")
        page.get_by_role("button", name="登录").click()
        expect(page.get_by_role("alert")).to_contain_text("密码错误")
        page.set_extra_http_headers({})
        seen.log_in("/services")
        page.set_extra_http_headers({"Accept-Language": "zh-CN"})
        seen.open("/services/plain")
        expect(page.get_by_role("heading", name="服务")).to_be_visible()
        assert page.evaluate(FIND_SENTENCES.replace("AUTHORS", AUTHORS)) == []
        assert [text for text in page.evaluate(FIND_ENGLISH.replace("KNOWN", KNOWN)) if text != "Gnomon"] == []
