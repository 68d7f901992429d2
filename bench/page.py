"""How fast the page is beside Airflow's on the same work: 10,000 DAGs; a DAG of 1,000 tasks x 50 runs; one of 5,000 x 365; a log of 1 GB; a graph of 1,000 tasks.

    python -m bench.run page
    python -m bench.page --dags 1000
    python -m bench.page --views grid graph --keep /tmp/page

A real api-server over a filled SQLite store, and Chromium. "Interactive" is the frame after the content of the view is in the document, from the start of
the navigation; a change of view is from the click, 100 ms after the pointer came to the link, to the frame after the content of the other view is there.
The values are medians of five loads, of which the first one has no cached files. Airflow's figures are those of its issues; Airflow does not run here.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from bench.api_history import HistorySize, dag_name
from bench.figures import describe_machine, median, show
from bench.page_browser import WHEEL_PX, Load, change, find_browser, load, open_tab, read_heap, read_memory, scroll
from bench.page_store import LARGE_DAGS, WAITING_DAG_NUMBER, PageStore, fill_page_store
from bench.page_views import CHANGES, VIEWS, View, ViewChange

ROUNDS = 5
READ_MS = 6_000
"""After this time the older runs of the largest grid are read."""
TYPE = """(text) => new Promise((done) => {
  const field = document.querySelector("main input[type=search]");
  const began = performance.now();
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, text);
  field.dispatchEvent(new Event("input", { bubbles: true }));
  const look = () => {
    const rows = [...document.querySelectorAll(".dags-table tbody tr a.strong")];
    const isDone = rows.length && rows.every((one) => one.textContent.includes(text));
    if (isDone || performance.now() - began > 30000) done(performance.now() - began);
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})"""
FIND = """(text) => new Promise((done) => {
  const field = document.querySelector(".log-tools input[type=search]");
  const began = performance.now();
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, text);
  field.dispatchEvent(new Event("input", { bubbles: true }));
  const look = () => {
    const said = document.querySelector(".log-found [role=status]")?.textContent ?? "";
    if ((said !== "" && !said.endsWith("…")) || performance.now() - began > 50000) done([performance.now() - began, said]);
    else requestAnimationFrame(look);
  };
  setTimeout(look, 300);
})"""


def page(size: HistorySize | None = None, names: Sequence[str] = (), kept: Path | None = None) -> None:
    """Measure all views, or those with the names. `kept`: a folder for the filled home, which another run can use."""
    browser = find_browser()
    if browser is None:
        show("the page", "left out: there is no Chromium on the PATH")
        return
    size = size or HistorySize(10_000, 100_000)
    with tempfile.TemporaryDirectory(prefix="gnomon-bench-page-") if kept is None else nullcontext(str(kept)) as folder:
        store = _open_store(Path(folder), size)
        with _serve(store.environ) as (address, password, server), sync_playwright() as playwright:
            chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox", "--disable-gpu"])
            show("the page over", str(size), describe_machine())
            context = _log_in(chromium, address, password)
            for view in VIEWS:
                if not names or view.name in names:
                    _measure_view(chromium, context, address, server, view, store)
            for group in CHANGES:
                if not names or "change" in names:
                    _measure_changes(context, address, group, store)
            if not names or "search" in names:
                _measure_searches(context, address, store)
            chromium.close()


def _open_store(home: Path, size: HistorySize) -> PageStore:
    noted = home / "page_store.json"
    if noted.exists():
        environ, newest_run = json.loads(noted.read_text())
        return PageStore(environ, newest_run)
    home.mkdir(exist_ok=True)
    store = fill_page_store(home, size)
    noted.write_text(json.dumps(store))
    return store


def _measure_view(
    chromium: Browser, context: BrowserContext, address: str, server: int, view: View, store: PageStore
) -> None:
    with open_tab(context, view.ready) as (tab, session):
        session.send("Network.clearBrowserCache")
        before = _read_processor_ms(server)
        loads = [load(tab, session, address + _fill(view.path, store)) for _ in range(ROUNDS)]
        spent = (_read_processor_ms(server) - before) / ROUNDS
        show(
            f"{view.name}: interactive",
            f"{median([one.ms for one in loads]):.0f} ms (without cached files {loads[0].ms:.0f} ms)",
            "< 500 ms",
            view.beside,
        )
        show(
            f"{view.name}: processor time of a load",
            f"server {spent:.0f} ms, page {median([one.page_ms for one in loads]):.0f} ms",
        )
        show(
            f"{view.name}: bytes",
            f"{loads[0].size / 1000:.0f} kB, with cached files {median([one.size for one in loads[1:]]) / 1000:.0f} kB",
            "< 250 kB of files",
            view.beside_bytes,
        )
        show(f"{view.name}: server", _describe_waits(loads), "< 50 ms", view.beside_server)
        if view.layout:
            span = tab.locator(view.layout).first.get_attribute("data-layout-ms")
            show(
                f"{view.name}: layout in the worker",
                f"{span} ms",
                "< 1,000 ms",
                "Airflow: ELK in the thread of the page (airflow#41620)",
            )
        if view.scrolled:
            down = scroll(tab, view.scrolled)
            show(
                f"{view.name}: scrolled down",
                f"{down.frames:.0f} frames/s, longest task {_task(down.longest_ms)}",
                "60 frames/s, no task > 50 ms",
                view.beside_scroll,
            )
        if view.is_wide:
            across = scroll(tab, view.scrolled, (-WHEEL_PX, 0))
            show(
                f"{view.name}: scrolled across",
                f"{across.frames:.0f} frames/s, longest task {_task(across.longest_ms)}",
                "60 frames/s, no task > 50 ms",
            )
            tab.wait_for_timeout(READ_MS)
            again = scroll(tab, view.scrolled)
            show(
                f"{view.name}: scrolled down, all runs read",
                f"{again.frames:.0f} frames/s, longest task {_task(again.longest_ms)}",
                "60 frames/s, no task > 50 ms",
            )
        show(
            f"{view.name}: memory of the tab",
            f"{read_memory(chromium):.0f} MB, of which scripts {read_heap(session):.0f} MB",
            "",
            view.beside_memory,
        )


def _read_processor_ms(pid: int) -> float:
    """Of all threads of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return 1000 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _task(ms: float) -> str:
    return f"{ms:.0f} ms" if ms else "< 50 ms"


def _describe_waits(loads: Sequence[Load]) -> str:
    """The three slowest requests."""
    waits: dict[str, list[float]] = {}
    for one in loads:
        for path, wait in one.waits.items():
            waits.setdefault(path, []).append(wait)
    slowest = sorted(((median(found), path) for path, found in waits.items()), reverse=True)[:3]
    return ", ".join(f"{_shorten(path)} {wait:.0f} ms" for wait, path in slowest)


def _shorten(path: str) -> str:
    return "/".join(
        part for part in path.split("/")[3:] if not part.startswith(("work_", "scheduled_", "dag_", "~", "task_"))
    )


def _measure_changes(context: BrowserContext, address: str, group: ViewChange, store: PageStore) -> None:
    with open_tab(context, group.ready) as (tab, session):
        load(tab, session, address + _fill(group.start, store))
        first: list[float] = []
        later: list[float] = []
        for found in (first, *[later] * ROUNDS):
            for link, path, ready in group.steps:
                found.append(change(tab, _fill(link, store), _fill(path, store), ready))
        show(
            f"{group.name}: change of view",
            f"median {median(later):.0f} ms, longest {max(later):.0f} ms (first {max(first):.0f} ms)",
            "< 100 ms",
            group.beside,
        )
        show(
            "",
            ", ".join(f"{median(later[at :: len(first)]):.0f}" for at in range(len(first)))
            + " ms; first "
            + ", ".join(f"{one:.0f}" for one in first)
            + " ms",
        )


def _measure_searches(context: BrowserContext, address: str, store: PageStore) -> None:
    with open_tab(context, ".dags-table tbody tr") as (tab, session):
        load(tab, session, address + "/dags")
        typed = [tab.evaluate(TYPE, f"dag_00{number}") for number in (12, 34, 56, 78, 91)]
        show(
            "search as you type over all DAGs, key to rows",
            f"{median(typed):.0f} ms, of which 120 ms wait for the next key",
            "< 250 ms",
        )
    log = next(view for view in VIEWS if view.name == "log of 1 GB")
    with open_tab(context, log.ready) as (tab, session):
        load(tab, session, address + _fill(log.path, store))
        spent, said = tab.evaluate(FIND, "needle at the end")
        show(
            "search through the log of 1 GB",
            f"{spent / 1000:.1f} s, {said}",
            "",
            "Airflow: no search by the server; the browser has the whole log or stops (airflow#52772)",
        )


def _fill(text: str, store: PageStore) -> str:
    return text.format(
        work=LARGE_DAGS[0].dag_id,
        large=LARGE_DAGS[1].dag_id,
        run=store.newest_run,
        waiting=dag_name(WAITING_DAG_NUMBER),
    )


def _log_in(chromium: Browser, address: str, password: str) -> BrowserContext:
    context = chromium.new_context(viewport={"width": 1440, "height": 900})
    opened: Page = context.new_page()
    opened.goto(f"{address}/login")
    opened.get_by_label("Name").fill("bench_page")
    opened.get_by_label("Password").fill(password)
    opened.get_by_role("button", name="Log in").click()
    opened.wait_for_selector("h1")
    opened.close()
    return context


@contextmanager
def _serve(environ: dict[str, str]) -> Iterator[tuple[str, str, int]]:
    """An api-server over the store: its address, the password of the account of this run, and the id of its process."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("GNOMON_", "AIRFLOW_"))}
    env, password = {**inherited, **environ}, secrets.token_urlsafe(16)
    gnomon = [sys.executable, "-m", "gnomon"]
    known = (
        "bench_page"
        in subprocess.run([*gnomon, "users", "list"], env=env, check=True, capture_output=True, text=True).stdout
    )
    act = ["reset-password", "bench_page"] if known else ["create", "bench_page", "--role", "admin"]
    subprocess.run([*gnomon, "users", *act, "--password", password], env=env, check=True, capture_output=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [*gnomon, "api-server", "--port", str(port)], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        _wait_for(f"http://127.0.0.1:{port}/api/v2/version")
        yield f"http://127.0.0.1:{port}", password, process.pid
    finally:
        process.terminate()
        process.wait(20)


def _wait_for(address: str) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with suppress(urllib.error.URLError, ConnectionError):
            urllib.request.urlopen(address, timeout=5).close()
            return
        time.sleep(0.1)
    raise TimeoutError(f"nothing answers at {address}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dags", type=int, default=10_000)
    parser.add_argument("--views", nargs="*", default=[], help="names of views, `change`, `search`")
    parser.add_argument("--keep", type=Path, help="a folder for the filled home, which the next run uses again")
    options = parser.parse_args()
    page(HistorySize(options.dags, 10 * options.dags), options.views, options.keep)
