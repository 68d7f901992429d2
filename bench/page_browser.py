"""Measures a tab of Chromium: when a view can be used, the bytes it loads, its frames while it is scrolled, the memory of its process."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, CDPSession, Page

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PATIENCE_MS = 60_000
WHEEL_PX = 120
WHEEL_MS = 33
"""A notch of the wheel in each of these: 3,600 px a second."""
SCROLL_STEPS = 60
HOVER_MS = 100
"""How long the pointer rests on a link before the click."""

_WATCH = """(() => {
  const ready = %s;
  window.benchTasks = [];
  new PerformanceObserver((list) => { for (const one of list.getEntries()) window.benchTasks.push([one.startTime, one.duration]); }).observe({ type: "longtask", buffered: true });
  const look = () => {
    if (document.querySelector(ready)) requestAnimationFrame(() => { const last = window.benchTasks.at(-1); window.benchReady = Math.max(performance.now(), last ? last[0] + last[1] : 0); });
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})()"""
"""Notes when an element is in the document and the frame after it begins."""

_ARM = """([ready, path]) => {
  window.benchChange = undefined;
  window.addEventListener("click", (event) => {
    const began = event.timeStamp;
    const look = () => {
      const there = location.pathname === path && document.querySelector(ready);
      if (!there && performance.now() - began < 30000) requestAnimationFrame(look);
      else requestAnimationFrame(() => { window.benchChange = performance.now() - began; });
    };
    requestAnimationFrame(look);
  }, { capture: true, once: true });
}"""
"""Notes the time from the next click to the frame after the one in which an element is in the document."""

_AWAIT = """(name) => new Promise((done) => {
  const began = performance.now();
  const look = () => { if (window[name] !== undefined || performance.now() - began > 60000) done(window[name] ?? null); else setTimeout(look, 10); };
  look();
})"""
"""The value of a global variable once it has one; null after a minute."""

_COUNT_FRAMES = """() => {
  window.benchFrames = [];
  window.benchTasks = [];
  const count = (at) => { window.benchFrames.push(at); window.benchCounting = requestAnimationFrame(count); };
  window.benchCounting = requestAnimationFrame(count);
}"""
_END_FRAMES = """() => { cancelAnimationFrame(window.benchCounting); return [window.benchFrames, window.benchTasks.map(([, length]) => length)]; }"""
_WAITS = """() => performance.getEntriesByType("resource").filter((one) => one.name.includes("/api/") && one.responseStart)
  .map((one) => [new URL(one.name).pathname, one.responseStart - one.requestStart])"""


@dataclass(slots=True)
class Load:
    """One load of a view."""

    ms: float
    """From the start of the navigation to the frame after the content is in the document."""
    size: float
    """Bytes over the network."""
    page_ms: float
    """Processor time of the thread of the page."""
    waits: dict[str, float] = field(default_factory=dict)
    """By request of the API the milliseconds to the first byte of the answer."""


@dataclass(frozen=True, slots=True)
class Scroll:
    """How smoothly a view moved."""

    frames: float
    """A second."""
    longest_ms: float
    """The longest task of the thread of the page; 0: none was above 50 ms."""
    worst_ms: float
    """The longest time between two frames."""


def find_browser() -> str | None:
    """The path of a Chromium."""
    return next((path for path in map(shutil.which, BROWSERS) if path), None)


@contextlib.contextmanager
def open_tab(context: BrowserContext, ready: str) -> Iterator[tuple[Page, CDPSession]]:
    """A new tab that notes when `ready` is in the document."""
    tab = context.new_page()
    tab.set_default_timeout(PATIENCE_MS)
    tab.add_init_script(_WATCH % json.dumps(ready))
    session = context.new_cdp_session(tab)
    session.send("Network.enable")
    session.send("Performance.enable")
    try:
        yield tab, session
    finally:
        tab.close()


def load(tab: Page, session: CDPSession, address: str) -> Load:
    """Open the address and wait until it is ready, and then until nothing more is loaded."""
    sizes: list[float] = []

    def add(event: dict[str, Any]) -> None:
        sizes.append(event["encodedDataLength"])

    session.on("Network.loadingFinished", add)
    tab.goto("about:blank")
    before = _read_metric(session, "ThreadTime")
    tab.goto(address, wait_until="commit")
    ready = _await(tab, "benchReady")
    tab.wait_for_timeout(300)
    session.remove_listener("Network.loadingFinished", add)
    spent = _read_metric(session, "ThreadTime")
    return Load(
        ready,
        sum(sizes),
        1000 * (spent - before if spent >= before else spent),
        {path: wait for path, wait in tab.evaluate(_WAITS) if not path.endswith("/events")},
    )


def change(tab: Page, link: str, path: str, ready: str) -> float:
    """Milliseconds from the click on a link, on which the pointer has rested, to the frame after `ready` is in the document."""
    found = tab.locator(link).first
    found.scroll_into_view_if_needed()
    tab.evaluate(_ARM, [ready, path])
    found.hover()
    tab.wait_for_timeout(HOVER_MS)
    tab.mouse.down()
    tab.mouse.up()
    return _await(tab, "benchChange")


def scroll(tab: Page, selector: str, way: tuple[int, int] = (0, WHEEL_PX)) -> Scroll:
    """Turn the wheel over an element, and count frames. `way`: of one notch, in px to the right and down."""
    box = tab.locator(selector).first
    box.scroll_into_view_if_needed()
    box.hover(position={"x": 300, "y": 100}, force=True)
    tab.evaluate(_COUNT_FRAMES)
    for _ in range(SCROLL_STEPS):
        tab.mouse.wheel(*way)
        tab.wait_for_timeout(WHEEL_MS)
    times, tasks = tab.evaluate(_END_FRAMES)
    gaps = [after - before for before, after in zip(times, times[1:], strict=False)]
    return Scroll(1000 * len(gaps) / max(1e-9, times[-1] - times[0]), max(tasks, default=0), max(gaps, default=0))


def _await(tab: Page, name: str) -> float:
    found = tab.evaluate(_AWAIT, name)
    if found is None:
        raise TimeoutError(f"{tab.url} does not show what it should: {tab.inner_text('body')[:500]}")
    return float(found)


def read_heap(session: CDPSession) -> float:
    """The megabytes of the objects of scripts, after a collection."""
    session.send("HeapProfiler.collectGarbage")
    return _read_metric(session, "JSHeapUsedSize") / 1e6


def _read_metric(session: CDPSession, name: str) -> float:
    metrics: list[dict[str, Any]] = session.send("Performance.getMetrics")["metrics"]
    return float(next(one["value"] for one in metrics if one["name"] == name))


def read_memory(browser: Browser) -> float:
    """The megabytes (PSS) of the largest process that draws a tab."""
    session = browser.new_browser_cdp_session()
    processes: list[dict[str, Any]] = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    return max(_read_pss(int(one["id"])) for one in processes if one["type"] == "renderer")


def _read_pss(pid: int) -> float:
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1000
    return 0.0
