"""What somebody tries who has the source and an account that may little, and what somebody without an account tries."""

from __future__ import annotations

import asyncio
import base64
import http.client
import sqlite3
import time
from collections.abc import Iterator, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import BoundedSemaphore
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from tests.databases import create_schema
from tests.patience import PATIENCE_S
from tests.unit.api.account_site import AccountSite, serve_accounts
from tests.unit.api.served import Reply
from tests.unit.entry.cli.deployment import NOW, Deployment, spec_of

from gnomon.api.access.accounts_policy import COOKIE
from gnomon.api.access.choose_policy import create_context
from gnomon.api.auth import login_routes
from gnomon.api.common import limits, request_slots
from gnomon.api.common.filters import ALTERNATIVES_MAX, PATTERN_MAX
from gnomon.api.common.ordering import sort_entries
from gnomon.api.common.request_slots import RequestSlots
from gnomon.api.health import HealthSnapshot
from gnomon.api.own import dependencies, timetables
from gnomon.api.streams import event_hub
from gnomon.api.v2 import bulk_changes, dag_run_wait
from gnomon.api.v2.dag_run_wait import find_pause
from gnomon.entry.cli.deployment.home import Home
from gnomon.ground.clock import VirtualClock
from gnomon.ground.config import load_config
from gnomon.model.accounts import Author, Grant, GrantKind, Role
from gnomon.model.spec import ParseFailure
from gnomon.queries.accounts import account_changes
from gnomon.queries.accounts.sessions import begin_session
from gnomon.storage.store.pages.memory_pages import is_like

ROOT = Author("cli:root", NOW)
ACCOUNTS = {"admin": Role.ADMIN, "viewer": Role.VIEWER, "reader": Role.NONE, "changer": Role.NONE}
"""`reader` and `changer` have the role viewer and user on DAGs that begin with `shown` only."""


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AccountSite]:
    """A server with DAGs of which two accounts see only some."""
    clock = VirtualClock(NOW)
    home = Home(load_config({}, tmp_path_factory.mktemp("home")), clock, clock.advance)
    create_schema(home.cfg.database_url)
    deployment = Deployment(home, clock)
    deployment.add(
        spec_of("shown_dag"), file="/dags/shown.py", failures=(ParseFailure(kind="dag", message="shown is broken"),)
    )
    deployment.add(
        spec_of("secret_dag"), file="/dags/secret.py", failures=(ParseFailure(kind="dag", message="secret is broken"),)
    )
    deployment.add(
        spec_of("shown_too"),
        spec_of("secret_too"),
        file="/dags/both.py",
        failures=(ParseFailure(kind="dag", message="secret_too is broken", traceback="in secret_too"),),
    )
    with deployment.db.write() as tx:
        for name, role in ACCOUNTS.items():
            account_changes.create_account(tx, ROOT, name, role, None)
        account_changes.add_grant(tx, ROOT, "reader", Grant(GrantKind.DAG, "shown*", Role.VIEWER))
        account_changes.add_grant(tx, ROOT, "changer", Grant(GrantKind.DAG, "shown*", Role.USER))
    context = create_context(home.cfg, clock, "127.0.0.1", lambda: HealthSnapshot(NOW, ()))
    with serve_accounts(AccountSite, context, ACCOUNTS) as site:
        yield site
    deployment.close()


def token_of(file: str) -> str:
    return base64.urlsafe_b64encode(file.encode()).decode().rstrip("=")


def test_a_file_is_parsed_again_only_for_an_account_that_may_change_one_of_its_dags(target: AccountSite) -> None:
    """The token of a file is its path, so everybody can write the token of any file."""

    def status(account: str, file: str) -> int:
        return target.request(account, "PUT", f"/api/v2/parseDagFile/{token_of(file)}").status

    assert [status("reader", f"/dags/{name}.py") for name in ("shown", "secret", "both", "missing")] == [
        403,
        404,
        403,
        404,
    ]
    assert [status("changer", f"/dags/{name}.py") for name in ("shown", "secret", "both", "missing")] == [
        201,
        404,
        201,
        404,
    ]
    assert [status("viewer", f"/dags/{name}.py") for name in ("shown", "secret", "missing")] == [403, 403, 403]
    assert [status("admin", f"/dags/{name}.py") for name in ("shown", "secret", "missing")] == [201, 201, 404]


def test_the_error_of_a_file_with_a_hidden_dag_has_no_text(target: AccountSite) -> None:
    def read(account: str) -> dict[str, str]:
        listed = target.request(account, "GET", "/api/v2/importErrors").json()["import_errors"]
        for one in listed:
            assert target.request(account, "GET", f"/api/v2/importErrors/{one['import_error_id']}").json() == one
        return {one["filename"]: one["stack_trace"] for one in listed}

    assert read("viewer")["/dags/both.py"] == "in secret_too"
    assert read("reader") == {
        "/dags/shown.py": "shown is broken",
        "/dags/both.py": "the file defines DAGs too that you may not see, so its errors are not shown to you",
    }


@pytest.mark.parametrize("declares", [True, False])
def test_a_large_body_is_read_only_for_an_account_that_may_send_it(target: AccountSite, declares: bool) -> None:
    """A body is parsed before the route checks the login."""

    def send(account: str | None, size: int) -> int:
        return ask_for_body(target, account, size, declares=declares)

    small, middle, most = limits.ANONYMOUS_BYTES_MAX, limits.READER_BYTES_MAX, limits.BODY_BYTES_MAX
    assert (send(None, small), send(None, small + 1)) == (200, 401)
    assert [send(account, middle) for account in ACCOUNTS] == [200] * 4
    assert {account: send(account, middle + 1) for account in ACCOUNTS} == {
        "admin": 200,
        "viewer": 413,
        "reader": 413,
        "changer": 200,
    }
    assert (send("admin", most), send("admin", most + 1), send(None, most + 1)) == (200, 413, 413 if declares else 401)


def ask_for_body(target: AccountSite, account: str | None, size: int, *, declares: bool) -> int:
    """The status of a request of which the application reads the whole body, and answers 200."""
    headers = [] if account is None else [(b"authorization", f"Bearer {target.tokens[account]}".encode())]
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/",
        "query_string": b"",
        "server": ("here", 80),
        "scheme": "http",
        "client": ("127.0.0.1", 1),
        "headers": [*headers, *([(b"content-length", str(size).encode())] if declares else [])],
        "app": SimpleNamespace(state=SimpleNamespace(context=target.context)),
    }
    statuses: list[int] = []
    sent = 0

    async def receive() -> dict[str, object]:
        nonlocal sent
        part = min(limits.ANONYMOUS_BYTES_MAX, size - sent)
        sent += part
        return {"type": "http.request", "body": b"x" * part, "more_body": sent < size}

    async def send(message: MutableMapping[str, Any]) -> None:
        if "status" in message:
            statuses.append(message["status"])

    async def application(scope: Any, receive: Any, send: Any) -> None:
        try:
            await Request(scope, receive).body()
            await Response()(scope, receive, send)
        except HTTPException as refusal:
            await Response(status_code=refusal.status_code)(scope, receive, send)

    asyncio.run(limits.BodyLimit(application)(scope, receive, send))
    return statuses[0]


@pytest.mark.parametrize(
    "path", ["/dags?dag_id_pattern=", "/dags/~/dagRuns?run_id_pattern=", "/eventLogs?event_pattern="]
)
def test_a_pattern_is_bounded(target: AccountSite, path: str) -> None:
    """Of too many texts SQLite made an error of the server."""
    assert target.request("viewer", "GET", f"/api/v2{path}{'%7C'.join(['a'] * ALTERNATIVES_MAX)}").status == 200
    many = target.request("viewer", "GET", f"/api/v2{path}{'%7C'.join(['a'] * (ALTERNATIVES_MAX + 1))}")
    assert (many.status, many.json()["detail"]) == (
        422,
        "a pattern has at most 100 texts with | between them, and this one has 101",
    )
    long = target.request("viewer", "GET", f"/api/v2{path}{'a' * (PATTERN_MAX + 1)}")
    assert (long.status, long.json()["detail"]) == (
        422,
        "a pattern has at most 2,000 characters, and this one has 2,001",
    )


@pytest.mark.pure
@pytest.mark.parametrize(
    ("value", "text", "expected"),
    [
        ("daily_sales", "sales", True),
        ("daily_sales", "SALES", True),
        ("daily_sales", "y_s", True),
        ("dailyXsales", "y_s", True),
        ("daily", "d%y", True),
        ("daily", "y%d", False),
        ("daily", "_____", True),
        ("daily", "______", False),
        ("daily", "%", True),
        ("", "_", False),
        ("a[b]c", "[b]", True),
        ("a*c", "*", True),
        ("abc", "*", False),
        ("abc", "a?c", False),
        ("abab", "ab%ab", True),
        ("aba", "ab%ba", False),
    ],
)
def test_a_pattern_in_memory_is_that_of_the_database(value: str, text: str, expected: bool) -> None:
    assert is_like(value, text) is expected
    with sqlite3.connect(":memory:") as db:
        assert bool(db.execute("SELECT ? LIKE ?", (value, f"%{text}%")).fetchone()[0]) is expected


def test_a_link_on_another_site_does_not_end_the_session(target: AccountSite) -> None:
    with target.context.database.write() as tx:
        account = account_changes.get_account(tx, "viewer")
        cookie = f"{COOKIE}={begin_session(tx, account, '127.0.0.1', NOW, target.context.authenticator.rules)}"

    def get(path: str, **headers: str) -> int:
        return target.client.request("GET", f"/api/v2{path}", None, {"Cookie": cookie, **headers}).status

    assert get("/auth/logout", **{"Sec-Fetch-Site": "cross-site"}) == 307
    assert get("/dags") == 200
    assert get("/auth/logout", **{"Sec-Fetch-Site": "same-origin"}) == 307
    assert get("/dags") == 401


@pytest.mark.pure
def test_many_waits_for_runs_look_less_often() -> None:
    assert [find_pause(0.5, waits) for waits in (1, 50, 100, 5000)] == [0.5, 0.5, 1.0, 50.0]
    assert find_pause(60.0, 5000) == 60.0


def test_one_account_cannot_take_all_event_streams(target: AccountSite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_hub, "STREAMS_MAX", 4)

    def authorization(account: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {target.tokens[account]}"}

    with ExitStack() as streams:
        for _ in range(2):
            assert streams.enter_context(target.client.stream(**authorization("viewer"))).next()[0] == "ready"
        refused = target.request("viewer", "GET", "/api/gnomon/v1/events")
        assert (refused.status, "account 'viewer' has 2 open streams" in refused.json()["detail"]) == (503, True)
        assert streams.enter_context(target.client.stream(**authorization("reader"))).next()[0] == "ready"
        assert target.request("reader", "GET", "/api/gnomon/v1/events").status == 503
        assert streams.enter_context(target.client.stream(**authorization("admin"))).next()[0] == "ready"


@pytest.mark.parametrize(
    ("slots", "method", "path", "body"),
    [
        (login_routes._SLOTS, "POST", "/auth/token", {"username": "viewer", "password": "correct horse"}),
        (timetables.PREVIEW_SLOTS, "POST", "/api/gnomon/v1/timetables/preview", {"schedule": {"cron": "0 6 * * *"}}),
        (
            timetables.PREVIEW_SLOTS,
            "POST",
            "/api/gnomon/v1/timetables/diff",
            {"before": {"cron": "0 6 * * *"}, "after": {"cron": "0 7 * * *"}},
        ),
        (dependencies._DAY_SLOTS, "GET", "/api/gnomon/v1/dependencies/day?dag_id=shown_dag", None),
    ],
)
def test_slow_requests_of_one_kind_cannot_take_all_threads(
    target: AccountSite, slots: RequestSlots, method: str, path: str, body: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_slots, "_PATIENCE_S", 0.1)
    with ExitStack() as taken:
        for _ in range(4):
            taken.enter_context(slots.take())
        refused = target.request("viewer", method, path, body)
        assert (
            refused.status,
            refused.headers["retry-after"],
            "try again in a second" in refused.json()["detail"],
        ) == (503, "1", True)
    assert target.request("viewer", method, path, body).status in (200, 401)


@pytest.mark.parametrize(
    ("path", "entity"),
    [
        ("/api/v2/dags/shown_dag/dagRuns", {"dag_run_id": "r"}),
        ("/api/v2/dags/~/dagRuns/~/taskInstances", {"task_id": "t", "dag_id": "shown_dag", "dag_run_id": "r"}),
    ],
)
def test_bulk_changes_of_runs_have_a_bound_and_cannot_take_all_threads(
    target: AccountSite, path: str, entity: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A body of 20 MiB names a million of them, each of which is looked up."""

    def send(*counts: int) -> Reply:
        actions = [
            {"action": "update", "action_on_non_existence": "skip", "entities": [entity] * count} for count in counts
        ]
        return target.request("changer", "PATCH", path, {"actions": actions})

    monkeypatch.setattr(bulk_changes, "ENTITIES_MAX", 20)
    assert send(10, 10).json()["update"] == {"success": [], "errors": []}
    refused = send(10, 11)
    assert (refused.status, refused.json()["detail"]) == (
        422,
        "a bulk change has at most 20 entities, and this one has 21; nothing was changed",
    )
    monkeypatch.setattr(request_slots, "_PATIENCE_S", 0.1)
    with ExitStack() as taken:
        for _ in range(4):
            taken.enter_context(bulk_changes.RUN_CHANGE_SLOTS.take())
        assert send(1).status == 503
    assert send(1).status == 200


def test_a_preview_waits_for_a_slot_and_not_more_of_them_than_may(
    target: AccountSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    slots = timetables.PREVIEW_SLOTS
    body = {"schedule": {"cron": "0 6 * * *"}}
    with ThreadPoolExecutor(1) as other, ExitStack() as taken:
        for _ in range(4):
            taken.enter_context(slots.take())
        waiting = other.submit(target.request, "viewer", "POST", "/api/gnomon/v1/timetables/preview", body)
        with pytest.raises(TimeoutError):
            waiting.result(0.3)
        monkeypatch.setattr(slots, "_may_wait", BoundedSemaphore(1))
        assert slots._may_wait.acquire(blocking=False)
        assert target.request("viewer", "POST", "/api/gnomon/v1/timetables/preview", body).status == 503
        taken.close()
        assert waiting.result(30).status == 200


@pytest.mark.pure
def test_an_attribute_that_is_named_again_costs_no_further_sort() -> None:
    """An address has room for thousands of names, and each sorted the whole list."""
    looked_at = []

    def look(entry: int) -> int:
        looked_at.append(entry)
        return -entry

    assert sort_entries([1, 3, 2], ["value", "-value"] * 1000, {"value": look}, "value") == [3, 2, 1]
    assert len(looked_at) < 20


def test_the_order_of_variables_does_not_tell_their_secrets(target: AccountSite) -> None:
    """With a Variable of one's own between the values, the order told each character of a masked value."""
    for key, value in (("api_secret", "m"), ("plain_a", "a"), ("plain_z", "z")):
        assert target.request("admin", "POST", "/api/v2/variables", {"key": key, "value": value}).status == 201
    shown = [
        one["value"] for one in target.request("admin", "GET", "/api/v2/variables?order_by=_val").json()["variables"]
    ]
    assert shown == sorted(shown) == ["***", "a", "z"]


def test_one_account_cannot_take_all_waits_for_runs_and_one_that_ends_makes_room(
    target: AccountSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dag_run_wait, "WAITS_MAX", 4)
    assert (
        target.request(
            "admin", "POST", "/api/v2/dags/shown_dag/dagRuns", {"logical_date": None, "dag_run_id": "waited_for"}
        ).status
        == 200
    )
    path = "/api/v2/dags/shown_dag/dagRuns/waited_for/wait?interval=1"

    def wait(account: str, opened: ExitStack) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", target.client.port, timeout=PATIENCE_S)
        opened.callback(connection.close)
        connection.request("GET", path, headers={"Authorization": f"Bearer {target.tokens[account]}"})
        answer = connection.getresponse()
        assert answer.status == 503 or b'"state"' in answer.readline()
        return answer.status

    with ExitStack() as opened:
        assert [wait("viewer", opened) for _ in range(3)] == [200, 200, 503]
        assert [wait("admin", opened) for _ in range(2)] == [200, 503]
    until = time.monotonic() + PATIENCE_S
    with ExitStack() as opened:
        while wait("viewer", opened) == 503:
            assert time.monotonic() < until
