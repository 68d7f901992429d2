"""What lasts longer than a request ends with the login of the request, on both databases: streams of events and waits for runs."""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable, Iterator

import pytest
from tests.unit.api.served import Client, served
from tests.unit.entry.cli.deployment import NOW, Deployment, spec_of

from gnomon.api.access.accounts_policy import COOKIE, AccountsPolicy
from gnomon.api.context import ApiContext
from gnomon.api.health import HealthSnapshot
from gnomon.api.streams import change_watcher, event_hub
from gnomon.api.v2 import dag_run_wait
from gnomon.model.accounts import Author, Grant, GrantKind, Role
from gnomon.queries.accounts import account_changes, api_tokens, passwords
from gnomon.queries.accounts.sessions import begin_session, revoke_sessions
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records import dags

ROOT = Author("cli:root", NOW)
PASSWORD = "correct horse"


@pytest.fixture(autouse=True)
def _never_by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Logins are checked once an hour, so what ends a stream in these tests is the journal; it is looked at often, as no process wakes the server."""
    monkeypatch.setattr(change_watcher, "SWEEP_S", 0.02)
    monkeypatch.setattr(event_hub, "HEARTBEAT_S", 3600)
    monkeypatch.setattr(dag_run_wait, "INTERVAL_MIN_S", 0.02)
    monkeypatch.setattr(passwords, "MEMORY_KIB", 64)
    monkeypatch.setattr(passwords, "ROUNDS", 1)
    passwords._hasher.cache_clear()


class Site:
    """A server with the account eve, which sees the DAGs with the tag shown, and root, an administrator."""

    def __init__(self, client: Client, context: ApiContext, deployment: Deployment) -> None:
        self.client, self.context, self.deployment = client, context, deployment
        self.token = ""

    def write(self, change: Callable[[Transaction], object]) -> None:
        with self.context.database.write() as tx:
            change(tx)

    def log_in(self, name: str, how: str) -> dict[str, str]:
        """Headers of a request by a session, a signed token or an API token."""
        with self.context.database.write() as tx:
            account = account_changes.get_account(tx, name)
            if how == "session":
                secret = begin_session(
                    tx, account, "192.0.2.1", self.context.clock.now(), self.context.authenticator.rules
                )
                return {"Cookie": f"{COOKIE}={secret}", "Sec-Fetch-Site": "same-origin"}
            if how == "signed token":
                return {
                    "Authorization": f"Bearer {self.context.authenticator.signer.sign(account, self.context.clock.now(), 3600)}"
                }
            self.token = api_tokens.create_token(tx, ROOT, account, "ci", Role.VIEWER, None)
            return {"Authorization": f"Bearer {self.token}"}

    def pause(self, dag_id: str) -> None:
        with self.deployment.db.write() as tx:
            for paused in (True, False):
                dags.set_paused(tx, dag_id, paused, "me", self.deployment.clock.now())


@pytest.fixture
def site(deployment: Deployment) -> Iterator[Site]:
    home = deployment.home
    context: ApiContext

    policy = AccountsPolicy(lambda: context.authenticator, lambda dag_id: ("shown",) if dag_id == "open" else ())
    context = ApiContext(home.cfg, home.clock, policy, lambda: HealthSnapshot(NOW, ()), database=deployment.db)
    deployment.add(spec_of("open", tags=("shown",)), spec_of("hidden"))
    with context.database.write() as tx:
        account_changes.create_account(tx, ROOT, "root", Role.ADMIN, PASSWORD)
        account_changes.create_account(tx, ROOT, "eve", Role.NONE, PASSWORD)
        account_changes.add_grant(tx, ROOT, "eve", Grant(GrantKind.TAG, "shown", Role.VIEWER))
    with served(context) as client:
        yield Site(client, context, deployment)


def log_out(site: Site, headers: dict[str, str]) -> None:
    assert site.client.request("POST", "/auth/logout", None, headers).status == 303


def revoke(site: Site, headers: dict[str, str]) -> None:
    site.write(lambda tx: revoke_sessions(tx, ROOT, account_changes.get_account(tx, "eve")))


def revoke_token(site: Site, headers: dict[str, str]) -> None:
    site.write(lambda tx: api_tokens.revoke_token(tx, ROOT, site.token.split("_")[1]))


def reset(site: Site, headers: dict[str, str]) -> None:
    site.write(lambda tx: account_changes.reset_password(tx, ROOT, "eve", "another horse"))


def delete(site: Site, headers: dict[str, str]) -> None:
    site.write(lambda tx: account_changes.delete_account(tx, ROOT, "eve"))


def replace_account(site: Site, headers: dict[str, str]) -> None:
    """A moment later an administrator has the name, and what would be the next key."""
    delete(site, headers)
    site.write(lambda tx: account_changes.create_account(tx, ROOT, "eve", Role.ADMIN, PASSWORD))
    site.log_in("eve", "session")


def log_out_before_an_administrator(site: Site, headers: dict[str, str]) -> None:
    log_out(site, headers)
    site.log_in("root", "session")


ENDS = pytest.mark.parametrize(
    ("how", "end"),
    [
        ("session", log_out),
        ("session", revoke),
        ("session", reset),
        ("session", delete),
        ("session", replace_account),
        ("session", log_out_before_an_administrator),
        ("signed token", reset),
        ("signed token", delete),
        ("signed token", replace_account),
        ("API token", revoke_token),
        ("API token", delete),
        ("API token", replace_account),
    ],
)


@ENDS
def test_a_stream_ends_when_its_login_ends(site: Site, how: str, end: Callable[[Site, dict[str, str]], None]) -> None:
    headers = site.log_in("eve", how)
    with site.client.stream(**headers) as stream:
        assert stream.next()[0] == "ready"
        end(site, headers)
        with pytest.raises(EOFError):
            while True:
                kind, _, data = stream.next()
                assert (kind, data.get("dag_id")) == ("dag", "open"), "nothing of another login"
                site.pause("hidden")


@ENDS
def test_a_wait_for_a_run_ends_when_its_login_ends(
    site: Site, how: str, end: Callable[[Site, dict[str, str]], None]
) -> None:
    made = site.client.request(
        "POST", "/api/v2/dags/open/dagRuns", {"dag_run_id": "r", "logical_date": None}, site.log_in("root", "session")
    )
    assert made.status == 200, made
    headers = site.log_in("eve", how)
    connection = http.client.HTTPConnection("127.0.0.1", site.client.port, timeout=20)
    connection.request("GET", "/api/v2/dags/open/dagRuns/r/wait?interval=0.02", None, headers)
    answer = connection.getresponse()
    assert json.loads(answer.readline())["state"] in ("queued", "running")
    end(site, headers)
    lines = [json.loads(line) for line in answer]
    connection.close()
    assert lines[-1] == {"state": "refused", "detail": "the login is not valid any more"}


@pytest.mark.parametrize("how", ["session", "API token"])
def test_a_stream_shows_at_once_what_a_changed_role_permits(site: Site, how: str) -> None:
    headers = site.log_in("eve", how)
    with site.client.stream(**headers) as stream:
        stream.next()
        site.write(lambda tx: account_changes.remove_grant(tx, ROOT, "eve", GrantKind.TAG, "shown"))
        kind, _, data = stream.next()
        assert (kind, data["reason"]) == ("reset", "the roles of the account have changed")
        site.pause("open")
        site.write(lambda tx: account_changes.set_role(tx, ROOT, "eve", Role.VIEWER))
        assert stream.next()[0] == "reset", "nothing of the DAG that it did not see any more"
        site.pause("hidden")
        assert stream.next()[2]["dag_id"] == "hidden"
