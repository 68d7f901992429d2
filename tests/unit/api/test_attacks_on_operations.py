"""What an account that sees some DAGs only learns of others, and of secrets: from operations of the command line, errors, and the health page."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator

import pytest
from tests.databases import create_schema
from tests.patience import PATIENCE_S
from tests.unit.api.account_site import AccountSite, serve_accounts
from tests.unit.entry.cli.deployment import HOURLY, NOW, Deployment, spec_of

from gnomon.api.access.accounts_policy import COOKIE
from gnomon.api.access.choose_policy import create_context
from gnomon.api.access.hidden_names import HIDDEN
from gnomon.api.health import HealthSnapshot, WorkCounts
from gnomon.changes.operations import run_operations
from gnomon.entry.cli.deployment.home import Home
from gnomon.entry.cli.main import main
from gnomon.ground.clock import VirtualClock
from gnomon.ground.config import load_config
from gnomon.model.accounts import Author, Grant, GrantKind, Role
from gnomon.model.assets import AssetDeclaration, AssetKey
from gnomon.model.backfills import BackfillRecord
from gnomon.model.sentences import quote
from gnomon.model.spec import ParseFailure, TaskSpec
from gnomon.model.upstream_edges import DependencySpec
from gnomon.queries.accounts import account_changes
from gnomon.queries.accounts.sessions import begin_session
from gnomon.queries.report.listings.import_problems import HIDDEN_TEXT
from gnomon.storage.store.admin.connections import StoredConnection, set_connection
from gnomon.storage.store.dag_records import dag_runs, dags
from gnomon.storage.store.dag_records.backfills import create_backfill
from gnomon.storage.store.dag_records.xcom_values import write_xcom

ROOT = Author("cli:root", NOW)
OWN = "/api/gnomon/v1"
SECRET = "c0rrect-h0rse-battery"
LINE = "key = 'a line of the hidden DAG'"
ACCOUNTS = {
    "admin": Role.ADMIN,
    "viewer": Role.VIEWER,
    "reader": Role.NONE,
    "changer": Role.NONE,
    "stranger": Role.NONE,
}
"""`reader` and `changer` have the role viewer and user on DAGs that begin with `team_a`, `stranger` sees no DAG that exists."""


class WaitingSite(AccountSite):
    """A server with runs that wait for a hidden DAG."""

    @property
    def clock(self) -> VirtualClock:
        """The clock of the server."""
        assert isinstance(self.context.clock, VirtualClock)
        return self.context.clock


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WaitingSite]:
    clock = VirtualClock(NOW)
    home = Home(load_config({}, tmp_path_factory.mktemp("home")), clock, clock.advance)
    create_schema(home.cfg.database_url)
    deployment = Deployment(home, clock)
    asset = AssetDeclaration(name="orders", uri="s3://orders", extra={"password": SECRET, "place": SECRET})
    deployment.add(spec_of("team_b_daily", timetable=HOURLY), file="/dags/b.py", paused=True)
    deployment.add(spec_of("Team_b_weekly"), file="/dags/c.py")
    deployment.add(
        spec_of(
            "team_a_report",
            tasks=(TaskSpec(task_id="only", returns_dag_result=True, outlets=(AssetKey("orders", "s3://orders"),)),),
            assets=(asset,),
        ),
        spec_of("team_a_runs", timetable=HOURLY, depends_on=(DependencySpec(dag_id="team_b_daily"),)),
        file="/dags/a.py",
    )
    deployment.add(
        spec_of("team_a_shared"),
        spec_of("team_b_shared"),
        file="/dags/both.py",
        failures=(ParseFailure(kind="dag", message="team_b_shared is broken", traceback=LINE),),
    )
    deployment.start()
    assert main(("dags", "trigger", "team_a_report", "--run-id", "r"), obj=home) == 0
    deployment.move(3700)
    deployment.db.bind_key()
    with deployment.db.write() as tx:
        for name, role in ACCOUNTS.items():
            account_changes.create_account(tx, ROOT, name, role, None)
        for name, pattern, role in (
            ("reader", "[Tt]eam_a*", Role.VIEWER),
            ("changer", "team_a*", Role.USER),
            ("stranger", "absent*", Role.VIEWER),
        ):
            account_changes.add_grant(tx, ROOT, name, Grant(GrantKind.DAG, pattern, role))
        runs = dags.find_dag_row(tx, "team_a_runs")
        assert runs is not None
        made = create_backfill(
            tx, BackfillRecord(0, runs.dag_pk, runs.group_no, NOW - 9, NOW, "failed", 2, False, {}, NOW, "me")
        )
        tx.run(
            "backfill_runs.set_error",
            backfill_pk=made.backfill_pk,
            error="the slots of team_b_daily are not known",
            believed_slots=0,
        )
        report = dag_runs.find_stored_run(tx, "team_a_report", "r")
        assert report is not None
        write_xcom(tx, report.run_pk, 0, -1, "return_value", json.dumps({"of": f"key {SECRET}"}))
        set_connection(tx, StoredConnection("warehouse", "postgres", password=SECRET))
    context = create_context(
        home.cfg,
        clock,
        "127.0.0.1",
        lambda: HealthSnapshot(NOW, (), WorkCounts(dags=6_543), (quote("DAG team_b_daily is not planned"),)),
    )
    with serve_accounts(WaitingSite, context, ACCOUNTS) as site:
        yield site
    deployment.close()


RUN = "scheduled__2026-03-01T09%3A00%3A00%2B00%3A00"


@pytest.mark.parametrize(
    "path",
    [
        "/dags/team_a_runs/operations/runs.list",
        "/operations/runs.list_all",
        f"/dags/team_a_runs/operations/runs.show?run_id={RUN}",
        f"/dags/team_a_runs/operations/runs.progress?run_id={RUN}",
        f"/dags/team_a_runs/operations/logs.of_run?run_id={RUN}",
        "/dags/team_a_runs/operations/backfills.list",
        "/operations/backfills.list_all",
        "/operations/backfills.show?backfill_id=1",
        "/operations/backfills.progress?backfill_id=1",
    ],
)
def test_why_a_run_waits_or_a_backfill_failed_names_no_hidden_dag(site: WaitingSite, path: str) -> None:
    assert "team_b_daily" in json.dumps(site.get("viewer", OWN + path))
    found = json.dumps(site.get("reader", OWN + path))
    assert ("team_b" in found, HIDDEN in found) == (False, True)


def test_an_error_suggests_no_hidden_dag(site: WaitingSite) -> None:
    """A grant may match an id that no DAG has: the role does not refuse it, and the nearest names may be those of hidden DAGs."""

    def ask(account: str) -> list[str]:
        named = {"dag_id": "team_a_daily", "dag_run_id": "r"}
        bodies = ({**named, "state": "failed"}, {**named, "task_id": "only", "new_state": "failed"})
        paths = ("/api/v2/dags/~/dagRuns", "/api/v2/dags/~/dagRuns/~/taskInstances")
        found = [
            site.request(account, "PATCH", path, {"actions": [{"action": "update", "entities": [body]}]}).body.decode()
            for path, body in zip(paths, bodies, strict=True)
        ]
        return [*found, site.request(account, "GET", "/api/v2/dags/team_a_daily").body.decode()]

    def ask_schedule(account: str) -> str:
        return site.request(account, "GET", f"{OWN}/operations/timetables.show?target=Team_a_weekly").body.decode()

    assert ["team_b_daily" in text for text in ask("admin")] == [True, True, True]
    assert [("team_b" in text.lower(), "there is no DAG 'team_a_daily'" in text) for text in ask("changer")] == [
        (False, True)
    ] * 3
    assert ("Team_b_weekly" in ask_schedule("admin"), "team_b" in ask_schedule("reader").lower()) == (True, False)
    assert "there is no DAG 'Team_a_weekly'" in ask_schedule("reader")


def test_the_errors_of_a_file_with_a_hidden_dag_have_no_text(site: WaitingSite) -> None:
    path = f"{OWN}/operations/dags.errors?with_warnings=true"
    assert LINE in json.dumps(site.get("viewer", path))
    assert [(row["file"], row["message"], row["traceback"]) for row in site.get("reader", path)] == [
        ("/dags/both.py", HIDDEN_TEXT, "")
    ]


@pytest.mark.parametrize(
    "path",
    [
        "/operations/assets.show?asset=orders",
        "/operations/assets.events?asset=orders",
        "/dags/team_a_report/operations/runs.show?run_id=r",
    ],
)
@pytest.mark.parametrize("account", ["reader", "admin"])
def test_secrets_are_masked_in_extras_and_results(site: WaitingSite, account: str, path: str) -> None:
    (asset_id,) = [one["id"] for one in site.get("admin", "/api/v2/assets")["assets"] if one["name"] == "orders"]
    event = {"asset_id": asset_id, "extra": {"said": f"the key {SECRET}"}}
    assert site.request("changer", "POST", "/api/v2/assets/events", event).status == 200
    found = json.dumps(site.get(account, OWN + path))
    assert (SECRET in found, "***" in found) == (False, True)


def test_a_list_of_all_runs_is_searched_up_to_a_bound(site: WaitingSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """An account that sees no run had the api-server read the whole history into memory."""
    path = f"{OWN}/operations/runs.list_all?limit=1"
    assert site.get("stranger", path) == []
    monkeypatch.setattr(run_operations, "RUNS_MAX", 2)
    refused = site.request("stranger", "GET", path)
    assert (refused.status, "only 0 of the 2 newest such runs" in refused.json()["detail"]) == (400, True)
    assert len(site.get("viewer", path)) == len(site.get("reader", path)) == 1


def begin(site: WaitingSite, account: str) -> dict[str, str]:
    """The headers of a browser that is logged in."""
    with site.context.database.write() as tx:
        secret = begin_session(
            tx,
            account_changes.get_account(tx, account),
            "127.0.0.1",
            site.clock.now(),
            site.context.authenticator.rules,
        )
    return {"Cookie": f"{COOKIE}={secret}"}


def test_the_health_page_shows_work_and_problems_to_accounts_that_see_all_dags(site: WaitingSite) -> None:
    def show(account: str) -> tuple[bool, bool, bool]:
        text = site.client.request("GET", "/services/plain", None, begin(site, account)).body.decode()
        return account in text, "team_b_daily" in text, "6,543" in text

    assert [show(account) for account in ("viewer", "reader", "stranger")] == [
        (True, True, True),
        (True, False, False),
        (True, False, False),
    ]


def test_a_wait_for_a_run_does_not_change_the_secret_of_a_session(site: WaitingSite) -> None:
    """The browser of the wait cannot get the new secret: a minute later its session ended, as if the secret had been stolen."""
    cookie = begin(site, "viewer")
    connection = http.client.HTTPConnection("127.0.0.1", site.client.port, timeout=PATIENCE_S)
    connection.request("GET", f"/api/v2/dags/team_a_runs/dagRuns/{RUN}/wait?interval=0.5", headers=cookie)
    answer = connection.getresponse()
    assert json.loads(answer.readline()) == {"state": "queued"}
    site.clock.advance(3601)
    assert [json.loads(answer.readline()) for _ in range(2)] == [{"state": "queued"}] * 2
    reply = site.client.request("GET", "/api/v2/dags", None, cookie)
    assert (reply.status, COOKIE in reply.headers.get("set-cookie", "")) == (200, True)
    site.clock.advance(10 * 86_400)
    assert json.loads(answer.read().splitlines()[-1]) == {
        "state": "refused",
        "detail": "the login is not valid any more",
    }
    connection.close()
