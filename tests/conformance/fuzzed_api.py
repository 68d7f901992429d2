"""The API over a database that has something of every kind, for schemathesis: it takes ids from answers for the paths of later requests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.databases import create_schema
from tests.unit.api.served import Client, served
from tests.unit.entry.cli.deployment import HOURLY, NOW, Deployment, spec_of

from gnomon.api.access.accounts_policy import AccountsPolicy
from gnomon.api.context import ApiContext
from gnomon.api.health_reader import HealthReader
from gnomon.entry.cli.deployment.home import Home
from gnomon.ground.clock import VirtualClock
from gnomon.ground.config import load_config
from gnomon.model.accounts import Author, Role
from gnomon.model.assets import AliasKey, AssetDeclaration, AssetKey, AssetRefKey
from gnomon.model.attempts import XComItem, build_attempt_log_path
from gnomon.model.deferral import Deferral
from gnomon.model.hitl import HITLRequest
from gnomon.model.spec import ParamSpec, ParseFailure, TaskSpec
from gnomon.queries.accounts import account_changes
from gnomon.testing import Play

ORDERS = AssetKey("orders", "s3://shop/orders")
TOKEN_S = 365 * 86_400
QUESTION = HITLRequest(
    subject="Deploy?",
    body="It is Friday",
    options=("yes", "no"),
    params={"n": {"value": 3, "schema": {"type": "integer"}}},
)


@contextmanager
def fuzzed_api(folder: Path, url: str | None = None) -> Iterator[Client]:
    """A client of the API with the token of an administrator, which no operation revokes.

    Its database at this address, or a SQLite file below the folder, has DAGs, runs, task instances, XComs, questions, assets, backfills and the rest.
    """
    clock = VirtualClock(NOW)
    address = url or f"sqlite:///{folder / 'gnomon.db'}"
    home = Home(
        load_config(
            {"GNOMON__DATABASE__SQL_ALCHEMY_CONN": address, "GNOMON__DATABASE__SYNCHRONOUS": "NORMAL"}, folder / "home"
        ),
        clock,
        clock.advance,
    )
    create_schema(home.cfg.database_url)
    deployment = Deployment(home, clock)
    reader = HealthReader(home.cfg, clock)
    context: ApiContext
    policy = AccountsPolicy(lambda: context.authenticator, lambda _dag_id: ())
    context = ApiContext(
        home.cfg, clock, policy, reader.read_health, lambda seconds: home.sleep(seconds), deployment.db
    )
    try:
        with deployment.db.write() as tx:
            admin = account_changes.create_account(tx, Author("cli:root", NOW), "admin", Role.ADMIN, None)
        with served(context) as client:
            client.headers = {"Authorization": f"Bearer {context.authenticator.signer.sign(admin, NOW, TOKEN_S)}"}
            _fill(client, deployment)
            yield client
    finally:
        reader.close()
        deployment.close()


def _fill(api: Client, deployment: Deployment) -> None:
    orders, stock = (
        AssetDeclaration(name="orders", uri="s3://shop/orders", group="shop", extra={"team": "sales"}),
        AssetDeclaration(name="stock", uri="stock"),
    )
    tasks = (
        TaskSpec(task_id="write", outlets=(ORDERS, AliasKey("daily"))),
        TaskSpec(task_id="ask", upstream=("write",)),
        TaskSpec(task_id="only"),
    )
    deployment.add(
        spec_of(
            "etl",
            assets=(orders, stock),
            alias_groups={"daily": "feeds"},
            tasks=tasks,
            tags=("team-a", "daily"),
            params={"n": ParamSpec(default=1)},
        ),
        spec_of("report", asset_condition=AssetRefKey(name="orders"), assets=(orders,)),
        spec_of("hourly", timetable=HOURLY),
        failures=(ParseFailure(kind="syntax", message="SyntaxError: invalid syntax"),),
    )
    deployment.plays["write"] = Play(
        xcoms=(XComItem(key="return_value", value='{"n":1}'), XComItem(key="more", value='"text"'))
    )
    deployment.plays["only"] = Play(outcome="failed")
    deployment.plays["ask"] = Play(
        outcome="awaiting_input",
        wait=Deferral(classpath="TaskAwaitingInput", next_method="execute_complete", hitl=QUESTION),
    )
    deployment.start()
    for run_id in ("r", "s"):
        api.send("POST", "/dags/etl/dagRuns", {"logical_date": None, "dag_run_id": run_id, "conf": {"n": 2}})
    deployment.move(20)
    log = deployment.home.cfg.logs_folder / build_attempt_log_path("etl", "r", "write", -1, 1)
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("2026-03-01T09:00:00.250000Z WARNING  low\n" * 3)
    api.send(
        "POST",
        "/backfills",
        {"dag_id": "hourly", "from_date": "2026-02-01T00:00:00Z", "to_date": "2026-02-01T03:00:00Z"},
    )
    api.send("POST", "/assets/events", {"asset_id": 1, "extra": {"n": 1}})
    api.send("POST", "/pools", {"name": "small", "slots": 3}, 201)
    for key in ("k", "a/b"):
        api.send("POST", "/variables", {"key": key, "value": "1", "description": "d"}, 201)
    for connection_id in ("c", "d"):
        api.send(
            "POST",
            "/connections",
            {"connection_id": connection_id, "conn_type": "http", "host": "h", "password": "p", "extra": "{}"},
            201,
        )
    api.send(
        "PUT", "/dags/etl/dagRuns/r/taskInstances/write/state-store/page", {"value": {"n": 1}, "expires_at": None}, 204
    )
    api.send("PATCH", "/dags/etl/dagRuns/r", {"note": "seen"})
    deployment.move(20)
