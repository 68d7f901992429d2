"""One's own account over HTTP: what it may do, its password, its API tokens."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.unit.api.served import Reply
from tests.unit.api.test_sessions import PASSWORD, ROOT, Site, site

from gnomon.api.access.allowed_acts import list_allowed_acts
from gnomon.model.accounts import Grant, GrantKind, Identity, Role
from gnomon.queries.accounts import account_changes, api_tokens
from gnomon.storage.store.dag_records import event_log

__all__ = ["site"]
NEW = "another horse"


def ask(site: Site, method: str, path: str, headers: dict[str, str], body: object = None) -> Reply:
    return site.client.request(method, f"/auth/{path}", body, headers)


def events(site: Site, kind: str) -> list[dict[str, Any]]:
    with site.context.database.read() as tx:
        return [{"by": event.by, **json.loads(event.body)} for event in event_log.list_events(tx) if event.kind == kind]


def test_an_account_is_told_its_role_its_grants_and_what_it_may_do(site: Site) -> None:
    with site.context.database.write() as tx:
        account_changes.add_grant(tx, ROOT, "ada", Grant(GrantKind.TAG, "finance", Role.OPERATOR))
    me = ask(site, "GET", "me", site.log_in("ada")).json()
    assert (me["account"], me["role"], me["has_accounts"], me["has_password"]) == ("ada", "user", True, True)
    assert me["grants"] == [{"kind": "tag", "pattern": "finance", "role": "operator"}]
    assert {"edit run", "read pool", "read question"} <= set(me["may"])
    assert not {"edit pool", "read connection", "read account"} & set(me["may"])
    assert ask(site, "GET", "me", {}).status == 401


@pytest.mark.parametrize(
    ("identity", "may", "may_not"),
    [
        (Identity("a", Role.NONE), set(), {"read DAG", "read pool"}),
        (
            Identity("a", Role.NONE, (Grant(GrantKind.DAG, "x", Role.USER),)),
            {"edit run", "read DAG"},
            {"read pool", "edit pool"},
        ),
        (Identity("a", Role.ADMIN, ceiling=Role.VIEWER), {"read pool"}, {"edit run", "read account"}),
        (Identity("a", Role.ADMIN), {"delete account", "edit connection"}, set()),
    ],
)
def test_what_an_account_may_follows_its_role_its_grants_and_the_ceiling_of_its_token(
    identity: Identity, may: set[str], may_not: set[str]
) -> None:
    found = set(list_allowed_acts(identity))
    assert may <= found
    assert not may_not & found


def test_a_new_password_needs_the_current_one_and_ends_the_other_sessions(site: Site) -> None:
    here, elsewhere = site.log_in("ada"), site.log_in("ada")
    wrong = ask(site, "PUT", "password", here, {"current_password": "wrong horse", "new_password": NEW})
    assert (wrong.status, wrong.json()["detail"]) == (403, "the current password is wrong")
    short = ask(site, "PUT", "password", here, {"current_password": PASSWORD, "new_password": "short"})
    assert (short.status, "at least 8" in short.json()["detail"]) == (400, True)
    assert ask(site, "PUT", "password", here, {"current_password": PASSWORD, "new_password": NEW}).json() == {
        "ended_sessions": 1
    }
    assert (ask(site, "GET", "me", here).status, ask(site, "GET", "me", elsewhere).status) == (200, 401)
    assert site.client.request("POST", "/auth/token", {"username": "ada", "password": NEW}).status == 201
    (event,) = events(site, "account_password_changed")
    assert (event["by"], event["account"], event["from"]) == ("api:ada", "ada", "127.0.0.1")


def test_many_wrong_passwords_are_answered_with_a_pause(site: Site) -> None:
    here = site.log_in("ada")
    replies = [
        ask(site, "PUT", "password", here, {"current_password": "wrong horse", "new_password": NEW}) for _ in range(6)
    ]
    assert [reply.status for reply in replies] == [403] * 5 + [429]
    assert replies[-1].headers["retry-after"] == "15"


def test_a_page_of_another_site_changes_nothing(site: Site) -> None:
    here = {**site.log_in("ada"), "Sec-Fetch-Site": "cross-site"}
    assert ask(site, "PUT", "password", here, {"current_password": PASSWORD, "new_password": NEW}).status == 403
    assert ask(site, "POST", "tokens", here, {"name": "x"}).status == 403


def test_own_tokens_are_created_listed_and_revoked_and_those_of_others_are_not_found(site: Site) -> None:
    ada, bob = site.log_in("ada"), site.log_in("bob")
    made = ask(site, "POST", "tokens", ada, {"name": "nightly", "role": "viewer", "lifetime_s": 60})
    token = made.json()["token"]
    assert (made.status, token.startswith("gnm_")) == (201, True)
    (row,) = ask(site, "GET", "tokens", ada).json()["tokens"]
    assert (row["name"], row["role"], row["state"], token in json.dumps(row)) == ("nightly", "viewer", "valid", False)
    assert ask(site, "GET", "tokens", bob).json()["tokens"] == []
    assert ask(site, "DELETE", f"tokens/{row['token']}", bob).status == 404
    assert ask(site, "DELETE", f"tokens/{row['token']}", ada).status == 204
    assert ask(site, "GET", "tokens", ada).json()["tokens"][0]["state"] == "revoked"
    assert site.client.request("GET", "/auth/me", None, {"Authorization": f"Bearer {token}"}).status == 401
    assert [event["account"] for kind in ("token_created", "token_revoked") for event in events(site, kind)] == [
        "ada",
        "ada",
    ]


@pytest.mark.parametrize(
    ("body", "status", "sentence"),
    [
        ({"name": "x", "role": "admin"}, 400, "its tokens cannot have the role admin"),
        ({"name": "x", "role": "king"}, 422, "'king' is not a role"),
        ({"name": ""}, 400, "give the token a name"),
        ({"name": "x", "lifetime_s": -1}, 422, "greater than 0"),
        ({"name": "x", "more": 1}, 422, "Extra inputs"),
    ],
)
def test_a_token_that_cannot_be_is_refused_with_a_sentence(
    site: Site, body: dict[str, object], status: int, sentence: str
) -> None:
    reply = ask(site, "POST", "tokens", site.log_in("ada"), body)
    assert (reply.status, sentence in reply.body.decode()) == (status, True), reply


def test_an_account_has_at_most_so_many_valid_tokens(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise an account that may only read could fill the database."""
    monkeypatch.setattr(api_tokens, "TOKENS_MAX", 2)
    ada, bob = site.log_in("ada"), site.log_in("bob")
    valid = [one["token"] for one in ask(site, "GET", "tokens", ada).json()["tokens"] if one["state"] == "valid"]
    for token in valid:
        assert ask(site, "DELETE", f"tokens/{token}", ada).status == 204
    for lifetime_s in (60, None):
        assert ask(site, "POST", "tokens", ada, {"name": "nightly", "lifetime_s": lifetime_s}).status == 201
    refused = ask(site, "POST", "tokens", ada, {"name": "more"})
    assert (refused.status, refused.json()["detail"]) == (
        400,
        "account 'ada' has 2 valid tokens, and cannot have more; revoke those that nothing uses",
    )
    assert ask(site, "POST", "tokens", bob, {"name": "another"}).status == 201
    newest = ask(site, "GET", "tokens", ada).json()["tokens"][0]["token"]
    assert ask(site, "DELETE", f"tokens/{newest}", ada).status == 204
    assert ask(site, "POST", "tokens", ada, {"name": "more"}).status == 201


def test_a_token_makes_no_token_and_changes_no_password(site: Site) -> None:
    with site.context.database.write() as tx:
        token = api_tokens.create_token(tx, ROOT, account_changes.get_account(tx, "ada"), "job", Role.USER, None)
    headers = {"Authorization": f"Bearer {token}"}
    for method, path, body in (
        ("POST", "tokens", {"name": "x"}),
        ("PUT", "password", {"current_password": PASSWORD, "new_password": NEW}),
    ):
        reply = ask(site, method, path, headers, body)
        assert (reply.status, "an API token cannot change" in reply.json()["detail"]) == (403, True)
