"""A language that the page was not built with is one file of the server: the page offers it, speaks it, and is English where it has no words."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import Browser, expect
from tests.acceptance.product import product
from tests.page.page_dags import FILES
from tests.page.visit import PASSWORD, visit

ESPERANTO = {
    "name": "Esperanto",
    "sentences": {"dag_is_paused_unpause": "la grafo {dag} estas paŭzigita: {command}"},
    "page": {"Home": "Hejmo"},
}


def test_an_invented_language_is_one_file(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "eo.json").write_text(json.dumps(ESPERANTO))
    variables = {
        "GNOMON_LANGUAGES": str(tmp_path),
        "GNOMON_LANGUAGE": "eo",
        "GNOMON__CORE__DAGS_ARE_PAUSED_AT_CREATION": "True",
    }
    with product({"nightly.py": FILES["nightly.py"]}, variables) as running:
        running.do("users", "reset-password", "admin", "--password", PASSWORD)
        running.has_dag("nightly")
        with visit(browser, running) as seen:
            seen.log_in("/dags/nightly")
            seen.page.evaluate("localStorage.setItem('gnomon.language', 'eo')")
            seen.open("/dags/nightly")
            expect(seen.page.locator("html")).to_have_attribute("lang", "eo")
            expect(seen.page.get_by_role("link", name="Hejmo")).to_be_visible()
            expect(seen.page.locator("main")).to_contain_text("la grafo nightly estas paŭzigita")
            expect(seen.page.get_by_role("link", name="Graph")).to_be_visible()
        assert "la grafo nightly estas paŭzigita" in running.do("explain", "nightly")
