"""The list of DAGs: filters in the address, views, counts that lead somewhere, acts that can be undone."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from tests.acceptance.product import Product
from tests.page.visit import SIZES, visit


def row(page: Page, dag_id: str):  # type: ignore[no-untyped-def]
    """The line of a DAG."""
    return page.locator("tbody tr").filter(has=page.get_by_role("link", name=dag_id, exact=True))


@pytest.mark.parametrize("size", SIZES)
def test_filters_are_the_address_can_be_turned_round_and_survive_navigation_and_reload(
    browser: Browser, home_dags: Product, size: str
) -> None:
    with visit(browser, home_dags, size) as seen:
        seen.log_in("/dags?search=home_")
        page = seen.page
        page.get_by_role("button", name="Filters", exact=True).click()
        page.get_by_label("Tag", exact=True).select_option("home_red")
        expect(page.get_by_role("status").filter(has_text=re.compile(r"^2 of \d+$"))).to_be_visible()
        page.keyboard.press("Escape")
        page.get_by_role("button", name=re.compile("^failed 1$")).click()
        expect(row(page, "home_broken")).to_be_visible()
        expect(row(page, "home_healed")).to_have_count(0)
        page.get_by_role("button", name="Turn round: Last run is failed").click()
        expect(row(page, "home_healed")).to_be_visible()
        expect(row(page, "home_broken")).to_have_count(0)
        seen.check()
        address = page.url
        page.reload()
        expect(row(page, "home_healed")).to_be_visible()
        row(page, "home_healed").get_by_role("link", name="home_healed", exact=True).click()
        expect(page).to_have_url(re.compile("/dags/home_healed$"))
        if size == "narrow":
            page.get_by_role("button", name="Pages").click()
        page.get_by_role("navigation", name="Pages").get_by_role("link", name="DAGs", exact=True).click()
        expect(page).to_have_url(address)
        expect(page.get_by_role("status").filter(has_text=re.compile(r"^1 of \d+$"))).to_be_visible()
        expect(page.get_by_label("Filters that hold").get_by_text("Search is home_")).to_be_visible()
        expect(page.get_by_role("button", name="Turn round: Last run is not failed")).to_be_visible()
        page.get_by_role("button", name="Clear all filters").click()
        expect(page).to_have_url(re.compile("/dags$"))


@pytest.fixture
def without_views(browser: Browser, home_dags: Product) -> Iterator[None]:
    """The account has no views, and keeps none."""
    for moment in ("before", "after"):
        with visit(browser, home_dags) as seen:
            seen.log_in("/account")
            seen.delete_views()
        if moment == "before":
            yield


@pytest.mark.usefixtures("without_views")
def test_a_view_belongs_to_the_account_is_the_default_in_each_browser_and_is_deleted_with_undo(
    browser: Browser, home_dags: Product
) -> None:
    with visit(browser, home_dags) as seen:
        seen.log_in("/dags?owner=home_bob")
        page = seen.page
        page.get_by_role("button", name="Views").click()
        expect(page.get_by_text("Views belong to your account")).to_be_visible()
        page.get_by_label("Save this view as").fill("Bob's")
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.get_by_role("status").filter(has_text="The view Bob's is saved.")).to_be_visible()
        with page.expect_response(lambda reply: reply.request.method == "PUT") as kept:
            page.get_by_label("default", exact=True).check()
        assert kept.value.status == 204
        seen.check()
    with visit(browser, home_dags) as seen:  # another browser
        seen.log_in("/dags")
        page = seen.page
        expect(page).to_have_url(re.compile("owner=home_bob|owner=%5B%22home_bob%22%5D"))
        expect(row(page, "home_healed")).to_be_visible()
        page.get_by_role("button", name="Clear all filters").click()
        expect(row(page, "home_broken")).to_be_visible()
        page.get_by_role("button", name="Views").click()
        page.get_by_role("button", name="Delete the view Bob's").click()
        page.get_by_role("button", name="Undo").click()
        page.get_by_role("button", name="Views").click()
        expect(page.get_by_role("link", name="Bob's")).to_be_visible()
        seen.check()


@pytest.mark.usefixtures("without_views")
def test_the_views_of_a_browser_are_moved_to_the_account_once(browser: Browser, home_dags: Product) -> None:
    of_browser = [
        {"name": "Bob's", "search": {"owner": ["home_bob"]}, "isDefault": True},
        {"name": "red", "search": {"tag": ["home_red"]}},
    ]
    with visit(browser, home_dags) as seen:
        seen.log_in("/account")
        page = seen.page
        page.evaluate("views => localStorage.setItem('gnomon.views./dags', JSON.stringify(views))", of_browser)
        seen.open("/dags")
        expect(page).to_have_url(re.compile("owner="))
        page.wait_for_function("localStorage.getItem('gnomon.views./dags') === null")
        page.get_by_role("button", name="Views").click()
        page.get_by_role("link", name="red").click()
        expect(page).to_have_url(re.compile("tag="))
        seen.check()
    with visit(browser, home_dags) as seen:  # another browser
        seen.log_in("/dags?search=home_")
        seen.page.get_by_role("button", name="Views").click()
        for name in ("Bob's", "red"):
            expect(seen.page.get_by_role("link", name=name, exact=True)).to_be_visible()


def test_without_accounts_views_are_kept_in_the_browser(browser: Browser, home_dags: Product) -> None:
    def leave_out_the_user(route: Route) -> None:
        reply = route.fetch()
        route.fulfill(
            response=reply,
            body=reply.text().replace('name="gnomon-user" content="admin"', 'name="gnomon-user" content=""'),
        )

    with visit(browser, home_dags) as seen:
        seen.log_in("/account")
        page = seen.page
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.route(
            re.compile(r"/dags(\?[^/]*)?$"),
            lambda route: leave_out_the_user(route) if route.request.resource_type == "document" else route.continue_(),
        )
        seen.open("/dags?owner=home_bob")
        page.get_by_role("button", name="Views").click()
        expect(page.get_by_text("Views are kept in this browser.")).to_be_visible()
        page.get_by_label("Save this view as").fill("Bob's")
        page.get_by_role("button", name="Save", exact=True).click()
        page.get_by_label("default", exact=True).check()
        seen.open("/dags")
        expect(page).to_have_url(re.compile("owner="))
        page.get_by_role("button", name="Views").click()
        expect(page.get_by_role("link", name="Bob's")).to_be_visible()
        assert not [url for url in asked if "/auth/me/views" in url]


@pytest.mark.usefixtures("without_views")
def test_a_view_that_the_server_refuses_is_not_shown_and_the_message_says_why(
    browser: Browser, home_dags: Product
) -> None:
    with visit(browser, home_dags) as seen:
        seen.log_in("/dags?search=home_")
        page = seen.page
        page.route(
            "**/auth/me/views",
            lambda route: (
                route.continue_()
                if route.request.method == "GET"
                else route.fulfill(status=400, json={"detail": "account 'admin' has 100 views"})
            ),
        )
        page.get_by_role("button", name="Views").click()
        page.get_by_label("Save this view as").fill("one more")
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.get_by_text("The views are not changed: account 'admin' has 100 views")).to_be_visible()
        expect(page.get_by_role("link", name="one more")).to_have_count(0)


@pytest.mark.parametrize("size", SIZES)
def test_counts_of_all_states_are_there_each_a_link(browser: Browser, home_dags: Product, size: str) -> None:
    with visit(browser, home_dags, size) as seen:
        seen.log_in("/dags?search=home_healed")
        page = seen.page
        expect(row(page, "home_healed").get_by_label("Newest runs").get_by_role("link")).to_have_count(2)
        row(page, "home_healed").get_by_role("link", name="1 failed, all runs").click()
        expect(page).to_have_url(re.compile(r"/runs\?dag_id=home_healed&state="))
        expect(page.get_by_role("link", name="bad_once")).to_be_visible()
        expect(page.get_by_role("link", name="good_since")).to_have_count(0)
        seen.check()


def test_a_pause_is_undone_by_its_message_and_a_favourite_is_kept(browser: Browser, home_dags: Product) -> None:
    with visit(browser, home_dags) as seen:
        seen.log_in("/dags?search=home_dense")
        page = seen.page
        active = page.get_by_role("switch", name="home_dense is active")
        active.click()
        expect(active).not_to_be_checked()
        expect(page.get_by_text("home_dense is paused.")).to_be_visible()
        page.get_by_role("button", name="Undo").click()
        expect(active).to_be_checked()
        page.get_by_role("button", name="home_dense is a favourite").click()
        seen.open("/dags?favorite=true")
        expect(row(page, "home_dense")).to_be_visible()
        expect(page.locator("tbody tr")).to_have_count(1)
        page.get_by_role("button", name="home_dense is a favourite").click()
        expect(page.get_by_text("No DAG fits these filters.")).to_be_visible()


def test_the_description_of_a_schedule_opens_on_focus_and_stays_while_hovered(
    browser: Browser, home_dags: Product
) -> None:
    with visit(browser, home_dags) as seen:
        seen.log_in("/dags?search=home_dense")
        page = seen.page
        button = page.get_by_role("button", name="Every 10 minutes")
        button.focus()
        words = page.get_by_role("dialog", name="What the schedule of home_dense means")
        expect(words).to_contain_text("*/10 * * * *")
        page.keyboard.press("Escape")
        expect(words).to_have_count(0)
        button.blur()
        button.hover()
        words.hover()
        expect(words).to_be_visible()
        seen.check()
