"""Pictures of the views: at both widths, in both themes and languages, of the same answers at the same instant, compared with their prints in `pictures/`.

`make pictures` records the prints anew, `make pictures ANSWERS=yes` the answers as well: after a change of what a view asks for. A change of the prints belongs
into the commit that changes the view.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Playwright, expect
from tests.acceptance.product import Product
from tests.page.across_dags import YESTERDAY, write_across
from tests.page.browsers import launch
from tests.page.page_tools import require_chromium
from tests.page.picture_answers import Answers
from tests.page.picture_print import SHARE_MAX, find_difference, measure_print
from tests.page.picture_views import QUICK, VIEWS
from tests.page.promised_baselines import promise
from tests.page.visit import SIZES, Visit, visit

FOLDER = Path(__file__).parent / "pictures"
MACHINE = FOLDER / "machine.txt"
RECORDS = os.environ.get("PICTURES", "") in ("prints", "answers")
RECORDS_ANSWERS = os.environ.get("PICTURES", "") == "answers"
LANGUAGES = ("en", "zh")
SCHEMES = ("light", "dark")
FORECAST_RUNS = 60
"""Of one DAG: enough to fold."""
_STILL_MS = 250
"""The last drawing after the last answer: of what is measured and laid out in a worker."""
_TELL_MACHINE = """() => {
    const context = new OffscreenCanvas(1, 1).getContext("2d");
    const texts = ["Wait for the slots of a pool", "任务实例正在等待资源池", "0123456789 extract_load"];
    return ["13px sans-serif", "13px monospace"].map((font) => {
        context.font = font;
        return texts.map((text) => context.measureText(text).width.toFixed(1)).join(" ");
    }).join(" / ");
}"""
"""The widths of texts in the fonts of the machine: pictures of other fonts are not compared."""


@pytest.fixture(scope="module")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """The one of the prints: Chromium without windows draws some edges otherwise."""
    with launch(playwright, require_chromium()) as browser:
        yield browser


@pytest.fixture
def blank(browser: Browser) -> Iterator[Page]:
    page = browser.new_page()
    page.goto("about:blank")
    yield page
    page.close()


@pytest.fixture
def fonts(blank: Page) -> None:
    """The fonts of this machine are those of the prints."""
    machine = blank.evaluate(_TELL_MACHINE)
    if RECORDS:
        MACHINE.write_text(machine + "\n")
    elif machine != MACHINE.read_text().strip():
        pytest.skip(
            f"the prints are of other fonts ({MACHINE.read_text().strip()}) than this machine has ({machine}): make pictures"
        )


@pytest.fixture(scope="module")
def answers(request: pytest.FixtureRequest) -> Iterator[Answers]:
    """Those of the file; while they are recorded, those of a standalone with something in each view."""
    if not RECORDS_ANSWERS:
        yield Answers.read()
        return
    product = request.getfixturevalue("settled")
    write_across(product)
    product.until(lambda: "across_mail" in str(product.rows("runs", "list", "across_mail")), "the runs of yesterday")
    with promise(product, many=FORECAST_RUNS):
        recorded = Answers(datetime.now(UTC).isoformat(timespec="seconds"), str(YESTERDAY))
        yield recorded
        recorded.write()


def _list_views() -> list[object]:
    return [pytest.param(name, id=name, marks=[] if name in QUICK else [pytest.mark.soak]) for name in VIEWS]


@pytest.mark.usefixtures("fonts")
@pytest.mark.parametrize("name", _list_views())
def test_a_view_looks_as_its_pictures(
    browser: Browser, product: Product, blank: Page, answers: Answers, name: str
) -> None:
    prints = {}
    for language in LANGUAGES:
        with visit(browser, product) as seen:
            missing = _prepare(seen, answers, language)
            seen.open(VIEWS[name].format(yesterday=answers.yesterday))
            for scheme in SCHEMES:
                seen.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
                for size, (width, height) in SIZES.items():
                    seen.page.set_viewport_size({"width": width, "height": height})
                    prints[f"{language} {scheme} {size}"] = measure_print(blank, _take(seen.page, name), size)
        assert not missing, f"the view asks for what no answer was recorded of (make pictures ANSWERS=yes): {missing}"
    _compare(name, prints)


def _prepare(seen: Visit, answers: Answers, language: str) -> list[str]:
    """The page at the instant of the answers, in this language."""
    seen.log_in("/services")
    seen.page.clock.set_fixed_time(answers.at)
    seen.page.add_init_script(f"localStorage.setItem('gnomon.language', '{language}')")
    if RECORDS_ANSWERS:
        answers.record(seen.page, language)
        return []
    return answers.replay(seen.page, language)


def _take(page: Page, name: str) -> bytes:
    expect(page.locator("main h1").first).to_be_visible()
    if name != "gallery":  # it shows what is busy
        expect(page.locator('[aria-busy="true"], [role="progressbar"]')).to_have_count(0)
    page.evaluate("document.fonts.ready")
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(_STILL_MS)
    return page.screenshot(animations="disabled", caret="hide")


def _compare(name: str, prints: dict[str, str]) -> None:
    """The prints are those of the file, or become them while they are recorded."""
    file = FOLDER / f"{name}.txt"
    if RECORDS:
        file.write_text("".join(f"{of} {text}\n" for of, text in prints.items()))
        return
    kept = dict(line.rsplit(" ", 1) for line in file.read_text().splitlines())
    shares = {of: find_difference(kept.get(of, ""), text) for of, text in prints.items()}
    changed = {of: f"{share:.1%}" for of, share in shares.items() if share > SHARE_MAX}
    assert not changed, (
        f"{name} looks otherwise than its pictures (shares of the squares; make pictures if it is meant to): {changed}"
    )


def test_a_button_that_is_gone_is_a_difference(blank: Page) -> None:
    """What the tests would not see, they would not be worth."""
    blank.set_viewport_size({"width": 1440, "height": 900})
    views = []
    for button in ("<button style='width:120px;height:32px;background:#1f5fd6'>Run it</button>", ""):
        blank.set_content(f"<body style='font:13px sans-serif'><h1>A view</h1>{button}<p>Its text")
        views.append(measure_print(blank, blank.screenshot(), "wide"))
    assert find_difference(views[0], views[0]) == 0
    assert find_difference(*views) > 0
    assert find_difference(views[0], views[0][1:]) == 1.0


def test_each_print_is_of_a_view() -> None:
    assert {file.stem for file in FOLDER.glob("*.txt")} - {"machine"} == set(VIEWS)
