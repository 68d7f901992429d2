"""The named views of lists of one's own account over HTTP."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

import pytest
from tests.unit.api.served import Reply, served
from tests.unit.api.test_sessions import PASSWORD, ROOT, Site, site
from tests.unit.entry.cli.deployment import NOW

from gnomon.api.access.open_access import OpenAccess
from gnomon.api.context import ApiContext
from gnomon.api.health import HealthSnapshot
from gnomon.model.accounts import Role
from gnomon.queries.accounts import account_changes, api_tokens, saved_views
from gnomon.storage.store.dag_records import event_log

__all__ = ["site"]
FAILED = {"page": "/dags", "name": "What failed, é / \u202e", "query": "state=%5B%22failed%22%5D", "is_default": False}


def ask(site: Site, method: str, headers: dict[str, str], body: object = None, query: str = "") -> Reply:
    return site.client.request(method, f"/auth/me/views{query}", body, headers)


def views(site: Site, headers: dict[str, str]) -> list[dict[str, Any]]:
    reply = ask(site, "GET", headers)
    assert reply.status == 200, reply
    found: list[dict[str, Any]] = reply.json()["views"]
    return found


def test_views_are_saved_replaced_and_deleted_and_those_of_others_are_not_seen(site: Site) -> None:
    ada, bob = site.log_in("ada"), site.log_in("bob")
    assert (ask(site, "PUT", ada, FAILED).status, views(site, ada)) == (204, [FAILED])
    other_page = {**FAILED, "page": "/runs", "query": ""}
    replaced = {**FAILED, "query": "tag=x"}
    for body in (other_page, replaced):
        assert ask(site, "PUT", ada, body).status == 204
    assert views(site, ada) == [replaced, other_page]
    assert views(site, site.log_in("ada")) == [replaced, other_page]  # in another browser
    assert views(site, bob) == []
    place = "?" + urlencode({"page": "/dags", "name": FAILED["name"]})
    refused = ask(site, "DELETE", bob, query=place)
    assert (refused.status, "has no view" in refused.json()["detail"]) == (404, True)
    assert (ask(site, "DELETE", ada, query=place).status, views(site, ada)) == (204, [other_page])
    assert ask(site, "GET", {}).status == 401


def test_a_page_has_at_most_one_default(site: Site) -> None:
    ada = site.log_in("ada")
    for page, name in (("/dags", "a"), ("/runs", "a"), ("/dags", "b")):
        assert ask(site, "PUT", ada, {"page": page, "name": name, "query": "", "is_default": True}).status == 204
    assert [(one["page"], one["name"]) for one in views(site, ada) if one["is_default"]] == [
        ("/dags", "b"),
        ("/runs", "a"),
    ]
    assert ask(site, "PUT", ada, {"page": "/dags", "name": "b", "query": ""}).status == 204
    assert [(one["page"], one["name"]) for one in views(site, ada) if one["is_default"]] == [("/runs", "a")]


def test_an_account_has_at_most_so_many_views(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved_views, "VIEWS_MAX", 2)
    ada, bob = site.log_in("ada"), site.log_in("bob")
    for name in ("a", "b", "b"):
        assert ask(site, "PUT", ada, {"page": "/dags", "name": name, "query": name}).status == 204
    refused = ask(site, "PUT", ada, {"page": "/runs", "name": "c", "query": ""})
    assert (refused.status, refused.json()["detail"]) == (
        400,
        "account 'ada' has 2 views, and cannot have more; delete those that you do not open",
    )
    assert [one["name"] for one in views(site, ada)] == ["a", "b"]
    assert ask(site, "PUT", bob, {"page": "/runs", "name": "c", "query": ""}).status == 204


@pytest.mark.parametrize(
    "wrong",
    [
        {"page": "dags"},
        {"page": "/dags?x=1"},
        {"page": "https://elsewhere"},
        {"page": "/" + "a" * 100},
        {"name": ""},
        {"name": "n" * 101},
        {"name": "a\nb"},
        {"name": "\u0000"},
        {"query": "q" * 4001},
        {"query": "a\u0000"},
        {"more": 1},
        {"is_default": "perhaps"},
    ],
)
def test_a_view_that_cannot_be_is_refused_and_its_field_is_named(site: Site, wrong: dict[str, object]) -> None:
    ada = site.log_in("ada")
    reply = ask(site, "PUT", ada, {**FAILED, **wrong})
    assert (reply.status, next(iter(wrong)) in json.dumps(reply.json()["detail"])) == (422, True), reply
    assert views(site, ada) == []


def test_the_longest_texts_are_kept(site: Site) -> None:
    ada, body = site.log_in("ada"), {"page": "/" + "a" * 99, "name": "é" * 100, "query": "ü" * 4000, "is_default": True}
    assert (ask(site, "PUT", ada, body).status, views(site, ada)) == (204, [body])


def test_views_end_with_their_account_and_leave_no_line_in_the_audit_log(site: Site) -> None:
    bob = site.log_in("bob")
    with site.context.database.read() as tx:
        before = len(event_log.list_events(tx))
    assert ask(site, "PUT", bob, FAILED).status == 204
    with site.context.database.write() as tx:
        assert len(event_log.list_events(tx)) == before
        account_changes.delete_account(tx, ROOT, "bob")
        account_changes.create_account(tx, ROOT, "bob", Role.VIEWER, PASSWORD)
    again = site.log_in("bob")
    assert views(site, again) == []
    assert ask(site, "PUT", again, FAILED).status == 204  # an account that may only read has views too


def test_a_token_that_permits_only_reading_changes_no_view_and_a_page_of_another_site_neither(site: Site) -> None:
    ada = site.log_in("ada")
    assert ask(site, "PUT", ada, FAILED).status == 204
    with site.context.database.write() as tx:
        token = api_tokens.create_token(tx, ROOT, account_changes.get_account(tx, "ada"), "job", Role.VIEWER, None)
    bearer = {"Authorization": f"Bearer {token}"}
    place = "?" + urlencode({"page": "/dags", "name": FAILED["name"]})
    for headers in (bearer, {**ada, "Sec-Fetch-Site": "cross-site"}):
        assert ask(site, "PUT", headers, {**FAILED, "query": ""}).status == 403
        assert ask(site, "DELETE", headers, query=place).status == 403
    assert views(site, bearer) == [FAILED]


def test_without_accounts_there_are_no_views_and_the_sentence_says_why(site: Site) -> None:
    context = ApiContext(
        site.home.cfg,
        site.home.clock,
        OpenAccess(),
        lambda: HealthSnapshot(NOW, ()),
        site.home.sleep,
        site.context.database,
    )
    with served(context) as client:
        for method, body in (("GET", None), ("PUT", FAILED)):
            reply = client.request(method, "/auth/me/views", body)
            assert (reply.status, reply.json()["detail"]) == (404, "there are no accounts: [api] auth is none")
