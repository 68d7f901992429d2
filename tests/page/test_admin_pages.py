"""Administration in the page: connections, Variables, options, users, tokens, the audit log, and what an account is not offered."""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import APIResponse, Browser, Route, expect
from tests.acceptance.product import Product
from tests.page.page_dags import HOSTILE
from tests.page.visit import PASSWORD, Visit, visit

VIEWS = (
    "/triggers",
    "/pools",
    "/inbox",
    "/connections",
    "/variables",
    "/plugins",
    "/providers",
    "/options",
    "/users",
    "/tokens",
    "/account",
    "/audit",
    "/services",
)


@pytest.mark.parametrize(("size", "scheme"), [("wide", "dark"), ("narrow", "light")])
def test_each_view_fits_its_window_with_hostile_texts_and_has_no_finding_of_axe(
    browser: Browser, settled: Product, size: str, scheme: str
) -> None:
    settled.do("variables", "set", "hostile", HOSTILE)
    settled.do("pools", "set", HOSTILE[:90], "1", HOSTILE)
    settled.do(
        "connections", "set", "hostile", "--conn-type", "http", "--conn-host", HOSTILE, "--conn-description", HOSTILE
    )
    with visit(browser, settled, size, scheme) as seen:
        seen.log_in("/services")
        for view in VIEWS:
            seen.open(view)
            expect(seen.page.locator("main h1")).to_be_visible()
            expect(seen.page.locator("[aria-busy=true]")).to_have_count(0)
            seen.check()


def test_a_connection_keeps_its_password_which_is_never_shown(browser: Browser, settled: Product) -> None:
    with visit(browser, settled) as seen:
        seen.log_in("/connections")
        page = seen.page
        page.get_by_role("button", name="New connection").click()
        for label, text in (
            ("Connection id", "warehouse"),
            ("Type", "postgres"),
            ("Host", "db.example"),
            ("Login", "reader"),
            ("Password", "very secret"),
            ("Extra", '{"a": '),
        ):
            page.get_by_role("form", name="New connection").get_by_label(label).fill(text)
        expect(page.get_by_role("alert")).to_contain_text("Extra is no JSON")
        page.get_by_role("form").get_by_label("Extra").fill('{"sslmode": "require"}')
        expect(page.get_by_role("button", name="Test")).to_be_disabled()
        expect(page.get_by_text("[core] test_connection is Disabled")).to_be_visible()
        seen.check()
        page.get_by_role("button", name="Save").click()
        row = page.get_by_role("row").filter(has_text="warehouse")
        expect(row).to_contain_text("with a password")
        row.get_by_role("button", name="Edit connection warehouse").click()
        expect(page.get_by_label("Password", exact=True)).to_have_value("***")
        page.get_by_role("textbox", name="Host").fill("db2.example")
        page.get_by_role("button", name="Save").click()
        expect(row).to_contain_text("db2.example")
        assert "very secret" not in page.content()
        row.get_by_role("button", name="Delete connection warehouse").click()
        expect(page.get_by_role("dialog")).to_contain_text("Delete the connection warehouse?")
        stored = json.loads(settled.do("connections", "get", "warehouse", "--show-secrets", "-o", "json"))
        assert "very secret" in json.dumps(stored)
        page.get_by_role("button", name="Delete the connection").click()
        expect(row).to_have_count(0)


def test_a_uri_in_the_field_of_the_host_fills_the_form_or_is_told_apart_from_a_host(
    browser: Browser, settled: Product
) -> None:
    with visit(browser, settled) as seen:
        seen.log_in("/connections")
        page = seen.page
        page.get_by_role("button", name="New connection").click()
        form = page.get_by_role("form", name="New connection")
        host = form.get_by_label("Host")
        form.get_by_label("Connection id").fill("of_uri")
        host.fill("postgres://ann:secret@db.example:port/sales")
        expect(form.get_by_text("Host has a URI whose port 'port' is no number from 0 to 65535")).to_be_visible()
        host.fill("postgresql://ann:s%40x@db.example:5432/sales?sslmode=require")
        seen.check()
        form.get_by_role("button", name="Fill the fields from this URI").click()
        expect(host).to_be_focused()
        expect(host).to_have_value("db.example")
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_role("status").filter(has_text="The connection of_uri is saved.")).to_be_visible()
    (stored,) = [row for row in settled.rows("connections", "list") if row["conn_id"] == "of_uri"]
    assert (stored["conn_type"], stored["host"], stored["port"], stored["schema"]) == (
        "postgres",
        "db.example",
        5432,
        "sales",
    )


def test_a_key_with_white_space_says_how_it_is_read_and_a_key_that_exists_what_to_do(
    browser: Browser, settled: Product
) -> None:
    with visit(browser, settled) as seen:
        seen.log_in("/variables")
        page = seen.page
        for is_first in (True, False):
            page.get_by_role("button", name="New Variable").first.click()
            form = page.get_by_role("form", name="New Variable")
            page.keyboard.type("my key")
            expect(form.get_by_text('var.value.get("my key")')).to_be_visible()
            form.get_by_label("Value").fill("1")
            page.get_by_role("button", name="Save").click()
            if is_first:
                expect(page.get_by_role("status").filter(has_text="The Variable my key is saved.")).to_be_visible()
        expect(page.get_by_role("alert")).to_have_text(
            "there is a Variable 'my key' already; change that one, or choose another name"
        )
        form.get_by_label("Key").fill("my key ")
        expect(form.get_by_text("begins or ends with white space")).to_be_visible()


def test_variables_are_masked_by_their_key_and_imported_from_a_file(
    browser: Browser, settled: Product, tmp_path: Path
) -> None:
    file = tmp_path / "variables.json"
    file.write_text(
        json.dumps(
            {
                "region": "north",
                "api_password": "very secret",
                "sizes": {"value": {"rows": 3}, "description": "of the load"},
            }
        )
    )
    with visit(browser, settled) as seen:
        seen.log_in("/variables")
        page = seen.page
        page.get_by_role("button", name="Import", exact=True).click()
        page.get_by_label("A JSON file").set_input_files(file)
        page.get_by_role("button", name="Import 3 Variables").click()
        expect(page.get_by_text("3 Variables were set.")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("row").filter(has_text="api_password")).to_contain_text("***")
        expect(page.get_by_role("row").filter(has_text="sizes")).to_contain_text("of the load")
        page.get_by_role("button", name="Edit Variable region").click()
        page.get_by_role("textbox", name="Value").fill("south")
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_role("row").filter(has_text="region")).to_contain_text("south")
        with page.expect_download() as saved:
            page.get_by_role("button", name="Export").click()
        exported = json.loads(Path(saved.value.path()).read_text())
        assert exported["region"] == "south"
        assert "api_password" not in exported
        expect(page.get_by_text("masked value is not in the file")).to_be_visible()
        page.get_by_label("Search", exact=True).fill("zes")
        expect(page).to_have_url(re.compile(r"\?search=zes$"))
        expect(page.get_by_role("row")).to_have_count(2)
        seen.check()


def test_what_is_saved_before_the_list_has_been_read_is_in_the_list(browser: Browser, settled: Product) -> None:
    held: list[tuple[Route, APIResponse]] = []
    with visit(browser, settled) as seen:
        seen.log_in("/pools")
        page = seen.page
        page.get_by_role("button", name="Administration").click()
        page.route(re.compile(r"/api/v2/variables\?"), lambda route: held.append((route, route.fetch())), times=1)
        page.get_by_role("link", name="Variables", exact=True).click()
        page.get_by_role("button", name="New Variable").click()
        page.get_by_label("Key", exact=True).fill("saved_early")
        expect(page.get_by_text("Reading the Variables …")).to_be_attached()
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_role("form", name="New Variable")).to_have_count(0)
        ((route, answer),) = held
        route.fulfill(response=answer)
        expect(page.get_by_role("row").filter(has_text="saved_early")).to_be_visible()
        seen.check()
    settled.do("variables", "delete", "saved_early")


def test_an_option_says_where_it_is_set(browser: Browser, settled: Product) -> None:
    with visit(browser, settled) as seen:
        seen.log_in("/options?only=set")
        row = seen.page.get_by_role("row").filter(has_text="dags_are_paused_at_creation")
        expect(row).to_contain_text("GNOMON__CORE__DAGS_ARE_PAUSED_AT_CREATION")
        expect(row.get_by_role("cell").nth(2)).to_have_text("True")


def test_a_user_is_created_with_a_password_that_is_shown_once_and_is_offered_only_what_he_may(
    browser: Browser, settled: Product
) -> None:
    with visit(browser, settled) as seen:
        seen.log_in("/users")
        page = seen.page
        page.get_by_role("button", name="New user").click()
        page.get_by_label("Name", exact=True).fill("ada")
        page.get_by_role("button", name="Create the user").click()
        secret = page.get_by_role("region", name="Password of ada:").locator("code").inner_text()
        seen.check()
        page.get_by_role("button", name="I have kept it").click()
        assert secret not in page.content()
        user = page.get_by_role("row", name="User ada")
        user.get_by_role("button", name="Add a grant").click()
        page.get_by_role("form").get_by_label("Pattern").fill("nigh*")
        page.get_by_role("button", name="Add", exact=True).click()
        expect(user.get_by_role("list", name="Grants of ada")).to_contain_text("user on DAGs with the id nigh*")
    with visit(browser, settled) as seen:
        _log_in_as(seen, "ada", secret)
        page = seen.page
        expect(page.get_by_role("button", name="Administration")).to_be_visible()
        page.get_by_role("button", name="Administration").click()
        expect(
            page.get_by_role("navigation", name="Pages").get_by_role("link", name="Services and problems")
        ).to_be_visible()
        expect(page.get_by_role("link", name="Connections")).to_have_count(0)
        expect(page.get_by_role("link", name="Users")).to_have_count(0)
        seen.open("/users")
        expect(page.get_by_role("alert")).to_contain_text(
            "account 'ada' has the role viewer, and this needs the role admin"
        )
        expect(page.get_by_role("alert")).to_contain_text("An administrator gives roles: on the page Users")
        expect(page.get_by_role("button", name="Try again")).to_have_count(0)
        seen.open("/pools")
        expect(page.get_by_role("row", name="Pool narrow")).to_be_visible()
        expect(page.get_by_role("button", name="New pool")).to_have_count(0)
        expect(page.get_by_role("button", name="Edit pool narrow")).to_have_count(0)
        _change_the_password(seen, secret)
    with visit(browser, settled) as seen:
        seen.log_in("/users")
        seen.page.get_by_role("button", name="Delete user ada").click()
        seen.page.get_by_role("button", name="Delete the user").click()
        expect(seen.page.get_by_role("row", name="User ada")).to_have_count(0)


def _log_in_as(seen: Visit, name: str, password: str) -> None:
    seen.open("/")
    seen.page.get_by_label("Name", exact=True).fill(name)
    seen.page.get_by_label("Password", exact=True).fill(password)
    seen.page.get_by_role("button", name="Log in").click()


def _change_the_password(seen: Visit, before: str) -> None:
    seen.open("/account")
    page = seen.page
    for current in ("wrong password", before):
        page.get_by_label("Current password").fill(current)
        page.get_by_label("New password", exact=True).fill(PASSWORD)
        page.get_by_label("New password again").fill(PASSWORD)
        page.get_by_role("button", name="Change the password").click()
        expect(
            page.get_by_text("the current password is wrong" if current != before else "The password is changed.")
        ).to_be_visible()


def test_a_token_is_shown_once_works_and_is_refused_after_it_is_revoked(browser: Browser, settled: Product) -> None:
    with visit(browser, settled, "narrow") as seen:
        seen.log_in("/account")
        page = seen.page
        page.get_by_role("button", name="New API token").click()
        page.get_by_label("What uses it").fill("nightly job")
        page.get_by_label("Valid for").select_option("30 days")
        page.get_by_role("button", name="Create the token").click()
        token = page.get_by_role("region", name="The new API token:").locator("code").inner_text()
        page.get_by_role("button", name="I have kept it").click()
        assert token not in page.content()
        assert _ask(seen.address, token) == 200
        page.get_by_role("button", name="Revoke token nightly job").click()
        page.get_by_role("button", name="Revoke the token").click()
        expect(page.get_by_role("list", name="My API tokens")).to_contain_text("revoked")
        assert _ask(seen.address, token) == 401
        seen.check()


def _ask(address: str, token: str) -> int:
    try:
        with urllib.request.urlopen(
            urllib.request.Request(f"{address}/api/v2/dags", headers={"Authorization": f"Bearer {token}"})
        ) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refusal:
        return refusal.code


def test_the_audit_log_tells_who_changed_what_from_where_and_its_filters_are_the_address(
    browser: Browser, settled: Product
) -> None:
    settled.do("pools", "set", "audited", "4", "first")
    settled.do("pools", "set", "audited", "5", "second")
    settled.do("pools", "delete", "audited")
    with visit(browser, settled) as seen:
        seen.log_in("/audit?event=pool")
        page = seen.page
        row = page.get_by_role("row").filter(has_text="audited").filter(has_text="second").filter(has_text="first")
        expect(row).to_contain_text("cli:")
        expect(row).to_contain_text(re.compile("slots before: 4 . 5"))
        seen.open("/audit?event=login")
        expect(page.get_by_role("row").nth(1)).to_contain_text("127.0.0.1")
        page.get_by_label("User", exact=True).fill("nobody")
        expect(page).to_have_url(re.compile("user=nobody"))
        expect(page.get_by_text("No event fits these filters.")).to_be_visible()
        seen.check()


def test_services_show_health_and_figures_of_each_process(browser: Browser, settled: Product) -> None:
    with visit(browser, settled) as seen:
        seen.log_in("/services")
        row = seen.page.get_by_role("row", name=re.compile("^scheduler"))
        expect(row).to_contain_text("64 of 64 groups of DAGs")
        expect(row).to_contain_text("MiB")
        seen.page.get_by_role("link", name="The same without a script").click()
        expect(seen.page.get_by_role("heading", name="Services")).to_be_visible()
