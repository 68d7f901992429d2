"""Searches of the audit log and of XComs that no index serves: read to a bound, and refused with a remedy when the bound does not fill the page."""

from __future__ import annotations

import pytest
from tests.unit.api.served import Client
from tests.unit.entry.cli.deployment import Deployment, spec_of

from gnomon.model.attempts import XComItem
from gnomon.storage.store.pages import event_pages, xcom_pages
from gnomon.testing import Play

ROWS = 16
ALL_XCOMS = "/dags/~/dagRuns/~/taskInstances/~/xcomEntries"


@pytest.fixture
def filled(api: Client, deployment: Deployment, monkeypatch: pytest.MonkeyPatch) -> Client:
    """Sixteen XComs of one run of `a`, the last of which is `rare`, and more lines of the audit log than a search may look at: only the oldest is about pools."""
    monkeypatch.setattr(event_pages, "EVENTS_SEARCHED_MAX", 10)
    monkeypatch.setattr(event_pages, "SORTED_MAX", 5)
    monkeypatch.setattr(xcom_pages, "XCOMS_SEARCHED_MAX", 10)
    monkeypatch.setattr(xcom_pages, "SORTED_MAX", 5)
    deployment.add(spec_of("a"))
    deployment.plays["only"] = Play(
        xcoms=tuple(XComItem(key="rare" if n == ROWS - 1 else f"k{n:02}", value=str(n)) for n in range(ROWS))
    )
    deployment.start()
    api.send("POST", "/pools", {"name": "first", "slots": 3}, 201)
    for n in range(ROWS):
        api.send("POST", "/variables", {"key": f"v{n}", "value": "1"}, 201)
    api.send("POST", "/dags/a/dagRuns", {"logical_date": None, "dag_run_id": "r"})
    deployment.move(20)
    return api


def _refused(api: Client, path: str) -> str:
    reply = api.request("GET", f"/api/v2{path}")
    assert reply.status == 400, reply
    detail: str = reply.json()["detail"]
    return detail


@pytest.mark.parametrize(
    "query",
    [
        "event=pool_created",
        "event_pattern=pool",
        "excluded_events=variable_created&event_prefix_pattern=pool",
        "owner=nobody",
    ],
)
def test_a_search_of_the_audit_log_that_does_not_fill_its_page_is_refused_with_the_remedies(
    filled: Client, query: str
) -> None:
    said = _refused(filled, f"/eventLogs?{query}&order_by=-when")
    assert said.endswith(
        "rows of the audit log were searched, which do not fill this page, and no index finds rows by these filters: name a DAG with dag_id, or give a later instant with `after`"
    )


def test_the_remedies_of_a_refused_search_of_the_audit_log_help(filled: Client) -> None:
    assert filled.get("/eventLogs?event=run_created&dag_id=a&order_by=-when")["total_entries"] == 1
    assert filled.get("/eventLogs?event=pool_created&order_by=-when&after=2030-01-01T00:00:00Z")["total_entries"] == 0


def test_a_search_of_what_people_did_ends_early_and_says_where_it_goes_on(
    filled: Client, deployment: Deployment
) -> None:
    deployment.move(60)
    for n in range(ROWS):
        filled.send("POST", "/variables", {"key": f"later{n}", "value": "1"}, 201)
    path = "/eventLogs?by_people=true&event=pool_created&order_by=-when"
    page = filled.get(path)
    assert page["event_logs"] == []
    went_on = filled.get(f"{path}&before={page['searched_until']}")
    assert [row["event"] for row in went_on["event_logs"]] == ["pool_created"]
    assert filled.get(f"{path}&before={went_on['searched_until']}")["searched_until"] is None


def test_what_services_did_is_not_among_what_people_did(filled: Client) -> None:
    owners = {row["owner"] for row in filled.get("/eventLogs?limit=100")["event_logs"]}
    by_people = {row["owner"] for row in filled.get("/eventLogs?by_people=true&order_by=-when")["event_logs"]}
    assert "scheduler" in owners
    assert by_people
    assert by_people == owners - {"scheduler", "standalone"}


def test_a_search_that_fills_its_page_counts_what_it_has_found(filled: Client) -> None:
    page = filled.get("/eventLogs?event=variable_created&order_by=event_log_id&limit=3")
    assert (len(page["event_logs"]), 3 <= page["total_entries"] < ROWS) == (
        3,
        True,
    )  # a lower bound: sixteen lines meet the filter
    assert (
        filled.get("/eventLogs?order_by=event_log_id&limit=3")["total_entries"] > ROWS
    )  # without a filter all are counted


@pytest.mark.parametrize(
    "query", ["xcom_key=rare", "xcom_key_pattern=rar", "task_id_prefix_pattern=nope", "map_index=7"]
)
def test_a_search_of_xcoms_that_does_not_fill_its_page_is_refused_with_the_remedies(filled: Client, query: str) -> None:
    said = _refused(filled, f"{ALL_XCOMS}?{query}&order_by=id")
    assert (
        "XComs were searched, which do not fill this page, and no index finds those of all DAGs by these filters: name a DAG or a run in the path"
        in said
    )


def test_the_remedies_of_a_refused_search_of_xcoms_help(filled: Client) -> None:
    assert filled.get(f"{ALL_XCOMS.replace('dags/~', 'dags/a')}?xcom_key=rare")["total_entries"] == 1
    assert filled.get(f"{ALL_XCOMS}?xcom_key=rare&run_after_gte=2030-01-01T00:00:00Z")["total_entries"] == 0
    assert (
        filled.get(f"{ALL_XCOMS}?xcom_key=rare&order_by=-id&limit=1")["xcom_entries"][0]["key"] == "rare"
    )  # found within the bound: the page is full


def test_a_search_of_xcoms_that_fills_its_page_counts_what_it_has_found(filled: Client) -> None:
    page = filled.get(f"{ALL_XCOMS}?xcom_key_prefix_pattern=k&order_by=id&limit=3")
    assert (len(page["xcom_entries"]), 3 <= page["total_entries"] < ROWS - 1) == (
        3,
        True,
    )  # a lower bound: fifteen XComs meet the filter
    assert filled.get(f"{ALL_XCOMS}?order_by=id&limit=3")["total_entries"] == ROWS
