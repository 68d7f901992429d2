"""The page of `gnomon simulate --report` in a browser: without a network, wide and narrow, in both languages, with names that would be HTML."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page
from tests.unit.entry.cli.test_report import HOSTILE, run_of, source_of

from gnomon.entry.cli.simulations.report_data import build_report
from gnomon.entry.cli.simulations.report_file import write_report
from gnomon.model.sentences import quote


@pytest.fixture
def file(tmp_path: Path) -> Path:
    source = source_of([*(run_of(HOSTILE, number) for number in range(20)), *(run_of("x" * 200, n) for n in range(3))])
    source = replace(source, names=(HOSTILE,), notes=[quote(HOSTILE), quote("y" * 500)], violations=[quote(HOSTILE)])
    write_report(str(tmp_path / "out.html"), build_report(source))
    return tmp_path / "out.html"


@pytest.mark.parametrize(("width", "scheme", "locale"), [(1440, "light", "en-US"), (390, "dark", "zh-CN")])
def test_the_page_shows_the_runs_and_asks_nobody(
    browser: Browser, file: Path, width: int, scheme: str, locale: str
) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme=scheme,  # type: ignore[arg-type]
        locale=locale,
    )
    try:
        page = context.new_page()
        troubles: list[str] = []
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("console", lambda message: troubles.append(message.text))
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.on("dialog", lambda dialog: troubles.append(dialog.message))
        page.goto(file.as_uri())
        assert page.locator("#body tr").count() == 23
        assert page.inner_text("h1").startswith("Simulation: </script>" if locale == "en-US" else "模拟: </script>")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        _zoom(page)
        assert _read_tip(page).startswith(HOSTILE)
        page.click("#language")
        assert page.inner_text("h1").startswith("模拟" if locale == "en-US" else "Simulation")
        page.fill("#filter", "xxx")
        assert page.locator("#body tr").count() == 3
        assert (troubles, asked) == ([], [file.as_uri()])
    finally:
        context.close()


def _zoom(page: Page) -> None:
    """In three times and back: what is drawn changes with it."""
    whole = page.evaluate("document.getElementById('chart').toDataURL()")
    for _ in range(3):
        page.click("#in")
    page.wait_for_function("whole => document.getElementById('chart').toDataURL() !== whole", arg=whole)
    page.click("#all")
    page.wait_for_function("whole => document.getElementById('chart').toDataURL() === whole", arg=whole)


def _read_tip(page: Page) -> str:
    """What the first bar of the first row says."""
    x, y = page.evaluate("[hits[0][0] + 1, hits[0][1] + 4]")
    box = page.locator("#chart").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + x, box["y"] + y)
    return page.inner_text("#tip")
