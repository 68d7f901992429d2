"""Who may do what over HTTP: tokens, sessions, roles, and DAGs that are hidden from a user."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

import jwt
import pytest
from fastapi.routing import APIRoute
from tests.databases import create_schema
from tests.unit.api.account_site import AccountSite, serve_accounts
from tests.unit.api.refusal_bodies import build_hidden_dag
from tests.unit.api.served import Reply
from tests.unit.entry.cli.deployment import NOW, Deployment, spec_of

from gnomon.api.access.accounts_policy import COOKIE
from gnomon.api.access.choose_policy import create_context
from gnomon.api.access.permissions import find_permission, list_operations
from gnomon.api.auth.login_routes import clean_target
from gnomon.api.health_reader import HealthReader
from gnomon.api.own.own_routers import OWN_ROUTERS
from gnomon.api.policies import Permission
from gnomon.api.v2.routers import ROUTERS
from gnomon.entry.cli.deployment.home import Home
from gnomon.entry.cli.main import main
from gnomon.ground.clock import VirtualClock
from gnomon.ground.config import load_config
from gnomon.model.accounts import Author, Grant, GrantKind, Role
from gnomon.model.assets import AliasKey, AllOf, AssetDeclaration, AssetKey, NewAssetEvent
from gnomon.model.backfills import BackfillRecord
from gnomon.model.spec import ParseFailure, TaskSpec
from gnomon.model.state_values import StateWriter
from gnomon.queries.accounts import account_changes, api_tokens, passwords
from gnomon.queries.accounts.sessions import end_session
from gnomon.storage.store.accounts import favorite_dags, token_rows
from gnomon.storage.store.asset_records.asset_events import publish_events
from gnomon.storage.store.coordination import mailbox
from gnomon.storage.store.dag_records import backfills, dag_runs, dags
from gnomon.storage.store.dag_records.notes import NotePlace, put_note
from gnomon.storage.store.state_stores.asset_state_store import set_asset_state

ROOT = Author("cli:root", NOW)
PASSWORD = "correct horse"
API, OWN = "/api/v2", "/api/gnomon/v1"
EVERYBODY = ("none", "viewer", "user", "operator", "admin", "shown")
ROLES = {name: Role[name.upper()] for name in EVERYBODY[:-1]}
"""The account `shown` has no role but user on the DAG shown_dag."""


class Site(AccountSite):
    """A server with two DAGs, a run of each, and an account of each role."""

    def log_in(self, name: str, password: str = PASSWORD, **headers: str) -> Reply:
        form = urlencode({"username": name, "password": password, "next": "/"}).encode()
        kind = {"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"}
        return self.client.request("POST", "/login", form, {**kind, **headers})


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "MEMORY_KIB", 64)
        patch.setattr(passwords, "ROUNDS", 1)
        passwords._hasher.cache_clear()
        clock = VirtualClock(NOW)
        home = Home(load_config({}, tmp_path_factory.mktemp("home")), clock, clock.advance)
        create_schema(home.cfg.database_url)
        deployment = Deployment(home, clock)
        for name in ("shown_dag", "secret_dag"):
            stem = name.removesuffix("_dag")
            own, shared = AssetKey(f"{stem}_stock", f"s3://{stem}"), AssetKey("orders", "s3://orders")
            task = TaskSpec(
                task_id=f"{name}_task",
                outlets=(own, shared, AliasKey(f"{stem}_alias")),
                inlets=(own,),
                group=f"{stem}_group",
            )
            spec = spec_of(
                name,
                tasks=(task,),
                tags=(f"{name}_tag",),
                groups={f"{stem}_group": None},
                asset_condition=AllOf((own, shared, AssetKey("never", "never"))),
                assets=tuple(AssetDeclaration(name=key.name, uri=key.uri) for key in (own, shared)),
            )
            deployment.add(
                spec, file=f"/dags/{name}.py", failures=(ParseFailure(kind="dag", message=f"{name} is broken"),)
            )
        deployment.start()
        for name in ("shown_dag", "secret_dag"):
            assert main(("dags", "trigger", name, "--run-id", f"{name}_run"), obj=home) == 0
        deployment.move(5)
        with deployment.db.write() as tx:
            for name in ("shown_dag", "secret_dag"):
                dag = dags.find_dag_row(tx, name)
                assert dag is not None
                run = dag_runs.find_stored_run(tx, name, f"{name}_run")
                assert run is not None
                put_note(tx, NotePlace(run.run_pk), f"note of {name}", "me", NOW)
                writer = StateWriter("task", dag_id=name, run_id=f"{name}_run", task_id=f"{name}_task")
                for asset in ("shown_stock", "secret_stock", "orders"):
                    set_asset_state(tx, asset, "1", '"v"', NOW, writer)
                backfills.create_backfill(
                    tx, BackfillRecord(0, dag.dag_pk, dag.group_no, NOW - 9, NOW, "failed", 2, False, {}, NOW, "me")
                )
            for name, role in {**ROLES, "shown": Role.NONE}.items():
                account_changes.create_account(tx, ROOT, name, role, PASSWORD)
            account_changes.add_grant(tx, ROOT, "shown", Grant(GrantKind.DAG, "shown_*", Role.USER))
        reader = HealthReader(home.cfg, clock)
        context = create_context(home.cfg, clock, "127.0.0.1", reader.read_health)
        with serve_accounts(Site, context, EVERYBODY) as site:
            yield site
        reader.close()
        deployment.close()
    passwords._hasher.cache_clear()


# ---- credentials -----------------------------------------------------------------------------------------------------
def test_without_a_valid_credential_nothing_is_answered_but_health_and_version(site: Site) -> None:
    for path in ("/health", "/api/v2/monitor/health", "/api/v2/version"):
        assert site.request(None, "GET", path).status == 200
    for headers in (
        {},
        {"Authorization": "Bearer x"},
        {"Authorization": "Basic YWRtaW46YWRtaW4="},
        {"Cookie": f"{COOKIE}=x"},
    ):
        reply = site.client.request("GET", "/api/v2/dags", None, headers)
        assert (reply.status, reply.headers["www-authenticate"]) == (401, "Bearer")
    page = site.request(None, "GET", "/")
    assert (page.status, page.headers["location"]) == (303, "/login")


def test_a_token_is_given_for_a_name_and_a_password(site: Site) -> None:
    for path, lifetime_s in (("/auth/token", 86400), ("/auth/token/cli", 3600)):
        reply = site.client.request("POST", path, {"username": "user", "password": PASSWORD})
        token = reply.json()["access_token"]
        assert reply.status == 201
        claims = jwt.decode(token, options={"verify_signature": False})
        assert (claims["sub"], claims["exp"] - claims["iat"]) == ("user", lifetime_s)
        assert site.client.request("GET", "/api/v2/dags", None, {"Authorization": f"Bearer {token}"}).status == 200
    wrong = site.client.request("POST", "/auth/token", {"username": "user", "password": "wrong horse"})
    assert (wrong.status, wrong.json()["detail"]) == (401, "wrong name or password")
    assert site.client.request("POST", "/auth/token", {"username": "user"}).status == 422
    assert (
        site.client.request("POST", "/auth/token", {"username": "user", "password": PASSWORD, "role": "admin"}).status
        == 422
    )
    assert (
        PASSWORD.encode() not in site.client.request("POST", "/auth/token", {"username": 1, "password": PASSWORD}).body
    )


def test_a_token_that_is_revoked_is_refused_by_the_next_request(site: Site) -> None:
    with site.context.database.write() as tx:
        token = api_tokens.create_token(tx, ROOT, account_changes.get_account(tx, "viewer"), "short", Role.VIEWER, None)
    headers = {"Authorization": f"Bearer {token}"}
    used = []
    for _ in range(3):
        assert site.client.request("GET", "/api/v2/dags", None, headers).status == 200
        with site.context.database.read() as tx:
            used.append([one.used_at for one in token_rows.list_tokens(tx) if one.name == "short"])
    assert used == [[site.context.clock.now()]] * 3
    with site.context.database.write() as tx:
        (uid,) = [one.uid for one in token_rows.list_tokens(tx) if one.name == "short"]
        api_tokens.revoke_token(tx, ROOT, uid)
    assert site.client.request("GET", "/api/v2/dags", None, headers).status == 401


def test_too_many_wrong_passwords_are_answered_with_a_pause(site: Site) -> None:
    replies = [
        site.client.request("POST", "/auth/token", {"username": "guess", "password": "wrong horse"}) for _ in range(6)
    ]
    assert [reply.status for reply in replies] == [401] * 5 + [429]
    assert replies[-1].headers["retry-after"] == "15"
    assert site.client.request("POST", "/auth/token", {"username": "user", "password": PASSWORD}).status == 201


@pytest.mark.parametrize(
    ("accepted", "language", "title"),
    [
        (None, "en", "Log in"),
        ("de,fr;q=0.9", "en", "Log in"),
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh-CN", "登录"),
        ("zh;q=0.2, en-GB;q=0.7", "en", "Log in"),
        ("zh;q=much,*", "en", "Log in"),
    ],
)
def test_the_login_is_in_the_language_of_the_browser(
    site: Site, accepted: str | None, language: str, title: str
) -> None:
    form = site.client.request(
        "GET", "/login", None, {} if accepted is None else {"Accept-Language": accepted}
    ).body.decode()
    assert f'<html lang="{language}">' in form
    assert f"<button>{title}</button>" in form


@pytest.mark.parametrize(("chosen", "title"), [("zh", "登录"), ("en", "Log in"), ("xx", "Log in"), ("", "Log in")])
def test_the_login_is_in_the_language_that_was_chosen_on_the_page(site: Site, chosen: str, title: str) -> None:
    headers = {"Accept-Language": "en", "Cookie": f"gnomon_language={chosen}"}
    assert f"<button>{title}</button>" in site.client.request("GET", "/login", None, headers).body.decode()


def test_a_browser_logs_in_acts_and_logs_out(site: Site) -> None:
    form = site.client.request("GET", "/login?next=/dags%3Fa=%22%3E%3Cscript%3E")
    assert b'value="/dags?a=&quot;&gt;&lt;script&gt;"' in form.body
    entered = site.log_in("user")
    assert (entered.status, entered.headers["location"]) == (303, "/")
    cookie = entered.headers["set-cookie"]
    assert re.fullmatch(rf"{COOKIE}=[\w-]{{43}}; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax", cookie)
    sent = {"Cookie": cookie.partition(";")[0]}
    page = site.client.request("GET", "/services/plain", None, sent)
    assert (page.status, b'action="/auth/logout"><span class="soft">user</span>' in page.body) == (200, True)
    assert site.client.request("GET", "/api/v2/dags", None, sent).status == 200
    pause = ("PATCH", "/api/v2/dags/shown_dag", {"is_paused": False})
    host = f"127.0.0.1:{site.client.port}"
    for headers, status in (
        ({}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Origin": f"http://{host}.evil.example"}, 403),
        ({"Origin": f"http://{host}"}, 200),
        ({"Sec-Fetch-Site": "same-origin"}, 200),
    ):
        assert site.client.request(*pause, {**sent, **headers}).status == status, headers
    site.client.request("POST", "/auth/logout", None, {**sent, "Origin": "https://evil.example"})
    assert site.client.request("GET", "/api/v2/dags", None, sent).status == 200
    left = site.client.request("POST", "/auth/logout", None, {**sent, "Origin": f"http://{host}"})
    assert (left.status, left.headers["location"]) == (303, "/login")
    assert site.client.request("GET", "/api/v2/dags", None, sent).status == 401


def test_addresses_of_airflow_lead_to_the_login_and_out_of_the_session(site: Site) -> None:
    asked = site.client.request("GET", "/api/v2/auth/login?next=/dags")
    assert (asked.status, asked.headers["location"]) == (307, "/login?next=%2Fdags")
    assert (
        site.client.request("GET", "/api/v2/auth/login?next=https://evil.example").headers["location"]
        == "/login?next=%2F"
    )
    sent = {"Cookie": site.log_in("user").headers["set-cookie"].partition(";")[0]}
    left = site.client.request("GET", "/api/v2/auth/logout", None, sent)
    assert (left.status, left.headers["location"]) == (307, "/login")
    assert site.client.request("GET", "/api/v2/dags", None, sent).status == 401


def test_a_login_that_fails_says_so_on_the_page_and_begins_no_session(site: Site) -> None:
    wrong = site.log_in("user", "wrong horse")
    assert (wrong.status, "set-cookie" in wrong.headers) == (401, False)
    assert b"Wrong name or password" in wrong.body
    assert b'autocomplete="username" value="user"' in wrong.body, "the name that was typed stays"
    in_chinese = site.log_in('"<b>user', "wrong horse", **{"Accept-Language": "zh-CN,en;q=0.5"})
    assert "用户名或密码错误" in in_chinese.body.decode()
    assert b'value="&quot;&lt;b&gt;user"' in in_chinese.body
    foreign = site.log_in("user", PASSWORD, **{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"})
    assert (foreign.status, "set-cookie" in foreign.headers) == (403, False)
    assert site.client.request("POST", "/login", b"x" * 20_000).status == 413


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("/dags?x=1#y", "/dags?x=1#y"),
        ("//evil.example", "/"),
        ("https://evil.example", "/"),
        ("/\\evil.example", "/"),
        ("/\t/evil.example", "/"),
        ("", "/"),
        ("javascript:alert(1)", "/"),
    ],
)
def test_a_login_leads_to_a_page_of_this_server_only(target: str, expected: str) -> None:
    assert clean_target(target) == expected


# ---- roles -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("method", "path", "body", "allowed"),
    [
        ("GET", "/dags/secret_dag", None, "viewer user operator admin"),
        ("GET", "/dags/shown_dag", None, "viewer user operator admin shown"),
        ("PATCH", "/dags/shown_dag", {"is_paused": False}, "user operator admin shown"),
        ("PATCH", "/dags/secret_dag", {"is_paused": False}, "user operator admin"),
        ("GET", "/dags/shown_dag/dagRuns/shown_dag_run/taskInstances", None, "viewer user operator admin shown"),
        ("POST", "/dags/shown_dag/clearTaskInstances", {"dry_run": True}, "user operator admin shown"),
        ("GET", "/importErrors", None, "viewer user operator admin shown"),
        ("GET", "/eventLogs", None, "viewer user operator admin shown"),
    ],
)
def test_each_role_may_do_what_it_should_and_no_more(
    site: Site, method: str, path: str, body: object, allowed: str
) -> None:
    found = {name: site.request(name, method, f"/api/v2{path}", body).status for name in EVERYBODY}
    assert {name for name, status in found.items() if status == 200} == set(allowed.split()), found
    assert set(found.values()) <= {200, 403, 404}


def test_a_refusal_names_the_role_that_is_missing(site: Site) -> None:
    assert site.request("viewer", "PATCH", "/api/v2/dags/shown_dag", {"is_paused": True}).json()["detail"] == (
        "account 'viewer' has the role viewer on DAG 'shown_dag', and this needs the role user"
    )
    with site.context.database.write() as tx:
        account = account_changes.get_account(tx, "admin")
        token = api_tokens.create_token(tx, ROOT, account, "test", Role.VIEWER, None)
    reply = site.client.request(
        "PATCH", "/api/v2/dags/shown_dag", {"is_paused": True}, {"Authorization": f"Bearer {token}"}
    )
    assert reply.json()["detail"].endswith("and this needs the role user; the token permits at most viewer")


def test_every_operation_that_changes_something_is_refused_to_viewers(site: Site) -> None:
    tried = 0
    for prefix, route in list_all():
        permission = find_permission(route)
        for method in route.methods or ():
            if permission is None or permission.permission is Permission.READ:
                continue
            reply = site.request("viewer", method, fill_path(prefix + route.path, "shown_dag"), {})
            assert reply.status == 403, (method, route.path, reply)
            tried += 1
    assert tried > 10


def test_no_operation_answers_without_a_login(site: Site) -> None:
    for prefix, route in list_all():
        for method in route.methods or ():
            reply = site.request(
                None, method, fill_path(prefix + route.path, "shown_dag"), None if method == "GET" else {}
            )
            assert reply.status in (401, 422) or route.path in (
                "/version",
                "/monitor/health",
                "/auth/login",
                "/auth/logout",
            ), (method, route.path, reply)


# ---- hidden DAGs -----------------------------------------------------------------------------------------------------
def test_a_hidden_dag_is_in_no_answer(site: Site) -> None:
    """Each operation that reads, with the hidden DAG, with the visible one, and with `~` in the place of ids."""
    sees_all = seen = 0
    for prefix, route in list_all():
        permission = find_permission(route)
        if permission is None or permission.permission is not Permission.READ:
            continue
        for method in route.methods or ():
            for name in ("shown_dag", "~"):
                path = fill_path(prefix + route.path, name)
                reply = site.request("shown", method, path, None if method == "GET" else {})
                assert b"secret" not in reply.body, (method, path, reply)
                assert reply.status < 500 or reply.status == 501, (method, path, reply)
                seen += b"shown_dag" in reply.body and reply.status == 200
                sees_all += b"secret_dag" in site.request("viewer", method, path, None if method == "GET" else {}).body
            hidden = fill_path(prefix + route.path, "secret_dag")
            if "{dag_id}" in route.path:
                reply = site.request("shown", method, hidden, None if method == "GET" else {})
                assert reply.status in (404, 422), (method, hidden, reply)
    assert seen > 10
    assert sees_all > 5


@pytest.mark.parametrize("operation", ["assets.show", "assets.events"])
def test_an_asset_of_a_hidden_dag_is_not_found_by_its_name_nor_suggested(site: Site, operation: str) -> None:
    found = site.request("viewer", "GET", f"{OWN}/operations/{operation}?asset=secret_stock")
    assert found.status == 200, found
    for name in ("secret_stock", "secret_stoc"):
        reply = site.request("shown", "GET", f"{OWN}/operations/{operation}?asset={name}")
        assert (reply.status, "did you mean" in str(reply.json())) == (404, False), reply
        assert b"`gnomon assets list` lists all assets" in reply.body


def test_counts_and_suggestions_do_not_know_hidden_dags_either(site: Site) -> None:
    for path, key in (
        ("/dags", "dags"),
        ("/dags/~/dagRuns", "dag_runs"),
        ("/dags/~/dagRuns/~/taskInstances", "task_instances"),
        ("/dagStats", "dags"),
        ("/importErrors", "import_errors"),
        ("/dagTags", "tags"),
    ):
        answer = site.request("shown", "GET", f"/api/v2{path}").json()
        assert (len(answer[key]), answer["total_entries"]) == (1, 1), path
    assert site.request("shown", "GET", "/api/v2/dags/secret_da").json() == build_hidden_dag("secret_da")
    assert site.request("shown", "GET", "/api/v2/dags/shown_dog").json() == build_hidden_dag("shown_dog")
    assert "did you mean 'secret_dag'" in site.request("viewer", "GET", "/api/v2/dags/secret_da").json()["detail"]


def test_a_stream_tells_an_account_of_its_dags_only(site: Site) -> None:
    headers = {"Authorization": f"Bearer {site.tokens['shown']}"}
    for dag_id, status in (("shown_dag", 200), ("secret_dag", 404), ("absent", 404)):
        assert site.request("shown", "GET", f"{OWN}/events?dag_id={dag_id}").status == status
    with site.client.stream(last="0.0", **headers) as stream:
        with site.context.database.write() as tx:
            for dag_id in ("secret_dag", "shown_dag"):
                for paused in (True, False):
                    dags.set_paused(tx, dag_id, paused, "me", NOW)
        seen = []
        while not seen or seen[-1].get("change") != "unpaused":
            seen.append(stream.next()[2])
    assert len(seen) > 5
    assert {data["dag_id"] for data in seen if "dag_id" in data} == {"shown_dag"}
    assert "secret" not in str(seen)


def test_a_session_is_found_again_without_its_secret_until_it_ends(site: Site) -> None:
    cookie = site.log_in("user").headers["set-cookie"].partition(";")[0]
    with site.client.stream(Cookie=cookie) as stream:
        assert stream.next()[0] == "ready"
    secret = cookie.partition("=")[2]
    session = site.context.authenticator.identify_cookie(secret)
    assert session is not None
    identity = site.context.authenticator.identify_session(session.session)
    assert identity == session.identity
    with site.context.database.write() as tx:
        end_session(tx, session.session_pk)
    assert site.context.authenticator.identify_session(session.session) is None


def test_changes_of_several_dags_leave_others_alone(site: Site) -> None:
    changed = site.request("shown", "PATCH", "/api/v2/dags?dag_id_pattern=dag", {"is_paused": False}).json()
    assert [dag["dag_id"] for dag in changed["dags"]] == ["shown_dag"]


def test_changes_of_accounts_are_events_for_administrators_only(site: Site) -> None:
    def kinds(name: str) -> set[str]:
        return {
            event["event"] for event in site.request(name, "GET", "/api/v2/eventLogs?limit=100").json()["event_logs"]
        }

    assert "account_created" in kinds("admin")
    assert "account_created" not in kinds("operator") | kinds("viewer") | kinds("shown")


def test_assets_of_hidden_dags_are_hidden_and_shared_ones_name_visible_dags_only(site: Site) -> None:
    def get(name: str, path: str) -> Any:
        return site.request(name, "GET", f"/api/v2{path}").json()

    everything = {one["name"]: one["id"] for one in get("viewer", "/assets")["assets"]}
    shown = get("shown", "/assets")
    assert ({one["name"] for one in shown["assets"]}, shown["total_entries"]) == ({"orders", "shown_stock"}, 2)
    orders, secret = everything["orders"], everything["secret_stock"]
    assert [one["dag_id"] for one in get("shown", f"/assets/{orders}")["producing_tasks"]] == ["shown_dag"]
    assert [one["dag_id"] for one in get("viewer", f"/assets/{orders}")["producing_tasks"]] == [
        "secret_dag",
        "shown_dag",
    ]
    assert [one["name"] for one in get("shown", "/assets/aliases")["asset_aliases"]] == ["shown_alias"]
    assert {one["source_dag_id"] for one in get("shown", "/assets/events")["asset_events"]} == {"shown_dag"}
    assert {one["source_dag_id"] for one in get("viewer", "/assets/events")["asset_events"]} == {
        "shown_dag",
        "secret_dag",
    }
    assert get("shown", "/assets/events?source_dag_id=secret_dag")["total_entries"] == 0
    assert {one["dag_id"] for one in get("shown", f"/assets/{orders}/queuedEvents")["queued_events"]} == {"shown_dag"}
    assert {one["dag_id"] for one in get("viewer", f"/assets/{orders}/queuedEvents")["queued_events"]} == {
        "shown_dag",
        "secret_dag",
    }
    assert get("shown", f"/assets/{orders}/state-store/1")["last_updated_by"] == {
        "kind": "task",
        "dag_id": None,
        "run_id": None,
        "task_id": None,
        "map_index": None,
    }
    assert get("viewer", f"/assets/{orders}/state-store/1")["last_updated_by"]["dag_id"] == "secret_dag"
    for method, path, body in (
        ("GET", f"/assets/{secret}", None),
        ("GET", f"/assets/{secret}/queuedEvents", None),
        ("DELETE", f"/assets/{secret}/queuedEvents", None),
        ("GET", f"/assets/{secret}/state-store", None),
        ("PUT", f"/assets/{secret}/state-store/k", {"value": 1}),
        ("DELETE", f"/assets/{secret}/state-store", None),
        ("POST", f"/assets/{secret}/materialize", {}),
        ("POST", "/assets/events", {"asset_id": secret}),
    ):
        reply = site.request("shown", method, f"/api/v2{path}", body)
        assert (reply.status, b"secret" in reply.body) == (404, False), (path, reply)


def test_events_that_hidden_dags_made_are_neither_listed_nor_counted_with_an_asset(site: Site) -> None:
    """Both DAGs write `orders`; the newest event is one of the hidden DAG."""
    orders = AssetKey("orders", "s3://orders")
    with site.context.database.write() as tx:
        publish_events(
            tx,
            [
                NewAssetEvent(
                    uid="newest",
                    asset=orders,
                    at=NOW + 60_000_000,
                    extra={"rows": 7},
                    aliases=("secret_alias",),
                    source_dag_id="secret_dag",
                    source_task_id="t",
                    source_run_id="r",
                )
            ],
        )
    everything = {
        one["id"]: one
        for one in site.request("viewer", "GET", "/api/v2/assets/events?name_pattern=orders").json()["asset_events"]
    }
    visible = [one for one in everything.values() if one["source_dag_id"] == "shown_dag"]
    assert (len(everything), len(visible)) == (3, 1)
    for account, newest, count in (("viewer", everything[max(everything)], 3), ("shown", visible[0], 1)):
        for answer in (
            site.request(account, "GET", "/api/v2/assets?name_pattern=orders").json()["assets"][0],
            site.request(account, "GET", f"/api/v2/assets/{newest['asset_id']}").json(),
        ):
            assert answer["last_asset_event"] == {"id": newest["id"], "timestamp": newest["timestamp"]}, account
        (row,) = [
            one
            for one in site.request(account, "GET", f"{OWN}/operations/assets.list").json()["assets"]
            if one["name"] == "orders"
        ]
        detail = site.request(account, "GET", f"{OWN}/operations/assets.show?asset=orders").json()
        for one in (row, detail["asset"]):
            assert (one["events"], datetime.fromisoformat(one["last_event"])) == (
                count,
                datetime.fromisoformat(newest["timestamp"]),
            ), account
        for events in (
            detail["events"],
            site.request(account, "GET", f"{OWN}/operations/assets.events?asset=orders").json(),
        ):
            assert len(events) == count
            assert events[0]["event"] == newest["id"]
            assert {one["source"] for one in events} == {
                f"{one['source_dag_id']}.{one['source_task_id']}"
                for one in everything.values()
                if account == "viewer" or one in visible
            }


def test_a_grant_on_a_dag_permits_changes_of_its_assets_and_its_queue_only(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = {one["name"]: one["id"] for one in site.request("viewer", "GET", "/api/v2/assets").json()["assets"]}
    assert site.request("shown", "POST", "/api/v2/assets/events", {"asset_id": ids["shown_stock"]}).status == 200
    assert (
        site.request("shown", "PUT", f"/api/v2/assets/{ids['shown_stock']}/state-store/k", {"value": 1}).status == 204
    )
    assert (
        site.request("viewer", "PUT", f"/api/v2/assets/{ids['shown_stock']}/state-store/k", {"value": 1}).status == 403
    )
    monkeypatch.setattr(site.context, "sleep", site.context.clock.advance)  # type: ignore[attr-defined]
    assert (
        site.request("shown", "DELETE", f"/api/v2/assets/{ids['orders']}/queuedEvents").status == 503
    )  # the scheduler of this site does nothing
    with site.context.database.read() as tx:
        shown = dags.find_dag_row(tx, "shown_dag")
        actions = [
            json.loads(message.body)
            for message in mailbox.read_messages(tx, range(64), 100)
            if message.kind == "action"
        ]
    assert shown is not None
    assert [one["discard"] for one in actions if one["action"] == "discard_queued_events"] == [
        {"dag_pk": shown.dag_pk, "asset_pk": ids["orders"], "before": None}
    ]


def test_favourites_are_those_of_the_account_and_need_only_the_right_to_read(site: Site) -> None:
    assert site.request("viewer", "POST", "/api/v2/dags/shown_dag/favorite").status == 204
    for name, expected in (("viewer", ["shown_dag"]), ("user", [])):
        assert [
            dag["dag_id"] for dag in site.request(name, "GET", "/api/v2/dags?is_favorite=true").json()["dags"]
        ] == expected
    assert site.request("shown", "POST", "/api/v2/dags/secret_dag/favorite").status == 404
    assert site.request("none", "POST", "/api/v2/dags/shown_dag/favorite").status in (403, 404)
    with site.context.database.write() as tx:
        account_changes.create_account(tx, ROOT, "Gone", Role.VIEWER, PASSWORD)
        favorite_dags.add_favorite(tx, "gone", 1, NOW)
        account_changes.delete_account(tx, ROOT, "gone")
        assert favorite_dags.list_favorites(tx, "GONE") == []


def test_bulk_changes_of_task_instances_and_clearing_leave_hidden_dags_alone(site: Site) -> None:
    entity = {
        "dag_id": "secret_dag",
        "dag_run_id": "secret_dag_run",
        "task_id": "secret_dag_task",
        "new_state": "failed",
        "note": "n",
    }
    for path, status in (("~", 404), ("shown_dag", 400)):
        body = {"actions": [{"action": "update", "entities": [entity]}]}
        answer = site.request("shown", "PATCH", f"/api/v2/dags/{path}/dagRuns/~/taskInstances", body).json()["update"]
        assert (answer["success"], answer["errors"][0]["status_code"]) == ([], status)
    cleared = site.request(
        "shown",
        "POST",
        "/api/v2/dags/~/clearDagRuns",
        {"dag_runs": [{"dag_id": "secret_dag", "dag_run_id": "secret_dag_run"}]},
    )
    assert (cleared.status, cleared.json()) == (404, build_hidden_dag("secret_dag"))
    assert (
        site.request(
            "viewer",
            "POST",
            "/api/v2/dags/~/clearDagRuns",
            {"dag_runs": [{"dag_id": "shown_dag", "dag_run_id": "shown_dag_run"}]},
        ).status
        == 403
    )
    assert (
        site.request(
            "viewer", "GET", "/api/v2/dags/secret_dag/dagRuns/secret_dag_run/taskInstances/secret_dag_task"
        ).json()["note"]
        is None
    )


def test_a_backfill_of_a_hidden_dag_is_neither_read_nor_changed(site: Site) -> None:
    assert site.request("shown", "GET", "/api/v2/backfills/1").json()["dag_id"] == "shown_dag"
    assert site.request("shown", "PUT", "/api/v2/backfills/1/pause").status == 200
    for method, path in (
        ("GET", "/backfills/2"),
        ("PUT", "/backfills/2/pause"),
        ("PUT", "/backfills/2/cancel"),
        ("GET", "/backfills?dag_id=secret_dag"),
    ):
        assert site.request("shown", method, f"/api/v2{path}").status == 404, path
    assert site.request("viewer", "PUT", "/api/v2/backfills/2/cancel").status == 403


def test_a_bulk_change_leaves_runs_of_hidden_dags_alone(site: Site) -> None:
    entity = {"dag_id": "secret_dag", "dag_run_id": "secret_dag_run", "state": "failed"}
    before = site.request("viewer", "GET", "/api/v2/dags/secret_dag/dagRuns/secret_dag_run").json()["state"]
    for path in ("~", "shown_dag"):
        answer = site.request(
            "shown", "PATCH", f"/api/v2/dags/{path}/dagRuns", {"actions": [{"action": "update", "entities": [entity]}]}
        ).json()["update"]
        assert (answer["success"], answer["errors"][0]["status_code"]) == ([], 404 if path == "~" else 400)
    assert (
        site.request("viewer", "GET", "/api/v2/dags/secret_dag/dagRuns/secret_dag_run").json()["state"]
        == before
        != "failed"
    )


def test_a_backfill_of_a_hidden_dag_is_not_created(site: Site) -> None:
    body = {"dag_id": "secret_dag", "from_date": "2026-02-01T00:00:00Z", "to_date": "2026-02-01T03:00:00Z"}
    for path in ("/backfills", "/backfills/dry_run"):
        assert site.request("shown", "POST", f"/api/v2{path}", body).json() == build_hidden_dag("secret_dag")
        assert site.request("viewer", "POST", f"/api/v2{path}", body).status == 403


def list_all() -> list[tuple[str, APIRoute]]:
    """Every operation of both APIs, with the prefix of its path."""
    return [(API, route) for route in list_operations(ROUTERS)] + [
        (OWN, route) for route in list_operations(OWN_ROUTERS)
    ]


def fill_path(path: str, dag_id: str) -> str:
    """The path of a route with names that exist in this DAG, or with `~`."""
    stem = "~" if dag_id == "~" else dag_id
    known = {
        "dag_id": stem,
        "dag_run_id": "~" if stem == "~" else f"{stem}_run",
        "task_id": "~" if stem == "~" else f"{stem}_task",
        "map_index": "-1",
    }
    return re.sub(r"{(\w+)[^}]*}", lambda found: known.get(found[1], "1"), path)
