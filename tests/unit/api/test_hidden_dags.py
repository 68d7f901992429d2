"""What an account learns of DAGs that are hidden from it: nothing, also where texts of visible DAGs name them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from tests.databases import create_schema
from tests.unit.api.account_site import AccountSite, serve_accounts
from tests.unit.api.api_document import read_document
from tests.unit.entry.cli.deployment import HOURLY, NOW, Deployment, spec_of

from gnomon.api.access.choose_policy import create_context
from gnomon.api.access.hidden_names import HIDDEN
from gnomon.api.health_reader import HealthReader
from gnomon.entry.cli.deployment.home import Home
from gnomon.ground.clock import VirtualClock
from gnomon.ground.config import load_config
from gnomon.model.accounts import Author, Grant, GrantKind, Role
from gnomon.model.assets import AssetDeclaration, AssetKey
from gnomon.model.records import EventRecord
from gnomon.model.spec import TaskSpec
from gnomon.model.upstream_edges import DependencySpec
from gnomon.queries.accounts import account_changes
from gnomon.storage.store.dag_records import dags
from gnomon.storage.store.dag_records.event_log import log_event

ROOT = Author("cli:root", NOW)
OWN = "/api/gnomon/v1"
GRANTS = {"reader": Role.VIEWER, "changer": Role.USER}
"""These accounts have this role on DAGs that begin with `shown`, and none on others."""
ORDERS = AssetKey("orders", "s3://orders")
BODIES = {
    "changed": {
        "before": {"waits for": ["secret_dag", 2026]},
        "after": 2026,
        "2026": 2026,
        "text": "secret_dag.only",
        "kept": [None, True, 2026.5],
    },
    "noted": "it waits for secret_dag and for 2026",
    "broken": '{"secret_dag": ',
    "kept": {"before": 1, "after": "shown_dag"},
}
"""By kind, what the audit log has about the visible DAG. One hidden DAG has a number as its id."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AccountSite]:
    """A server with a DAG that some accounts see, and two that only an administrator and a viewer of all DAGs see."""
    clock = VirtualClock(NOW)
    home = Home(load_config({}, tmp_path_factory.mktemp("home")), clock, clock.advance)
    create_schema(home.cfg.database_url)
    deployment = Deployment(home, clock)
    declared = (AssetDeclaration(name="orders", uri="s3://orders"),)
    tasks = (TaskSpec(task_id="only", outlets=(ORDERS,)),)
    deployment.add(spec_of("secret_dag", tasks=tasks, assets=declared, timetable=HOURLY), file="/dags/secret.py")
    deployment.add(spec_of("2026", timetable=HOURLY), file="/dags/number.py")
    after = (DependencySpec(dag_id="secret_dag"), DependencySpec(dag_id="2026"))
    deployment.add(
        spec_of("shown_dag", tasks=tasks, assets=declared, timetable=HOURLY, depends_on=after), file="/dags/shown.py"
    )
    with deployment.db.write() as tx:
        shown = dags.find_dag_row(tx, "shown_dag")
        assert shown is not None
        for kind, body in BODIES.items():
            log_event(
                tx,
                EventRecord(
                    NOW,
                    kind,
                    dag_pk=shown.dag_pk,
                    by="me",
                    body=body if isinstance(body, str) else json.dumps(body),
                    address="192.0.2.7",
                ),
            )
        for name, granted in GRANTS.items():
            account_changes.create_account(tx, ROOT, name, Role.NONE, None)
            account_changes.add_grant(tx, ROOT, name, Grant(GrantKind.DAG, "shown*", granted))
        for name, role in (("admin", Role.ADMIN), ("viewer", Role.VIEWER)):
            account_changes.create_account(tx, ROOT, name, role, None)
    reader = HealthReader(home.cfg, clock)
    context = create_context(home.cfg, clock, "127.0.0.1", reader.read_health)
    context.sleep = clock.advance  # no scheduler answers
    with serve_accounts(AccountSite, context, (*GRANTS, "admin", "viewer")) as site:
        yield site
    reader.close()
    deployment.close()


def read_bodies(site: AccountSite, account: str, source: str) -> dict[str, str]:
    """The texts of the audit log by kind, as one of two operations answers them; each row must be found by its number too."""
    if source == "audit.list":
        return {row["event"]: row["details"] for row in site.get(account, f"{OWN}/operations/audit.list?dag=shown_dag")}
    rows = site.get(account, "/api/v2/eventLogs?dag_id=shown_dag")["event_logs"]
    for row in rows:
        assert site.get(account, f"/api/v2/eventLogs/{row['event_log_id']}") == row
    return {row["event"]: row["extra"] for row in rows}


@pytest.mark.parametrize("source", ["eventLogs", "audit.list"])
def test_the_audit_log_names_no_hidden_dag(site: AccountSite, source: str) -> None:
    for account in ("viewer", "admin"):
        full = read_bodies(site, account, source)
        assert {kind: full[kind] for kind in BODIES} == {
            kind: body if isinstance(body, str) else json.dumps(body) for kind, body in BODIES.items()
        }
    found = read_bodies(site, "reader", source)
    assert json.loads(found["changed"]) == {
        "before": {"waits for": [HIDDEN, 2026]},
        "after": 2026,
        HIDDEN: 2026,
        "text": f"{HIDDEN}.only",
        "kept": [None, True, 2026.5],
    }
    assert found["noted"] == f"it waits for {HIDDEN} and for {HIDDEN}"
    assert found["broken"] == f'{{"{HIDDEN}": '
    assert found["kept"] == json.dumps(BODIES["kept"])


def test_the_audit_log_of_a_dag_names_no_hidden_dag_and_keeps_numbers(site: AccountSite) -> None:
    """A hidden DAG whose id is a number once replaced the numbers of the JSON text, which was no JSON then."""
    rows = {row["event"]: row for row in site.get("reader", f"{OWN}/dags/shown_dag/audit")["rows"]}
    assert (rows["changed"]["before"], rows["changed"]["after"]) == ({"waits for": [HIDDEN, 2026]}, 2026)
    assert json.loads(rows["changed"]["text"]) == {HIDDEN: 2026, "text": f"{HIDDEN}.only", "kept": [None, True, 2026.5]}
    assert rows["noted"]["text"] == f"it waits for {HIDDEN} and for {HIDDEN}"
    full = {row["event"]: row for row in site.get("viewer", f"{OWN}/dags/shown_dag/audit")["rows"]}
    assert full["changed"]["before"] == {"waits for": ["secret_dag", 2026]}


def test_only_an_administrator_sees_from_where_a_dag_was_changed(site: AccountSite) -> None:
    seen = {
        account: {
            row["from"] for row in site.get(account, f"{OWN}/dags/shown_dag/audit")["rows"] if row["event"] in BODIES
        }
        for account in ("admin", "viewer", "reader")
    }
    assert seen == {"admin": {"192.0.2.7"}, "viewer": {None}, "reader": {None}}


def test_the_audit_log_is_not_ordered_by_texts_that_name_hidden_dags(site: AccountSite) -> None:
    """With rows of its own between them, an account could find a hidden name letter by letter."""
    path = "/api/v2/eventLogs?dag_id=shown_dag&order_by="
    assert site.get("viewer", f"{path}extra")["total_entries"] >= len(BODIES)
    for order in ("extra", "-extra"):
        refused = site.request("reader", "GET", path + order)
        assert (refused.status, "order by another field" in refused.json()["detail"]) == (403, True)
    assert site.get("reader", f"{path}-when")["total_entries"] >= len(BODIES)


def test_the_structure_of_a_dag_names_no_hidden_dag(site: AccountSite) -> None:
    def list_outside(account: str) -> list[tuple[str, str]]:
        return sorted(
            (node["kind"], node["name"]) for node in site.get(account, f"{OWN}/dags/shown_dag/structure")["outside"]
        )

    assert list_outside("viewer") == [("asset", "orders"), ("dag", "2026"), ("dag", "secret_dag")]
    assert list_outside("reader") == [("asset", "orders")]


def test_an_asset_that_hidden_dags_write_too_is_materialized_by_the_visible_dag(site: AccountSite) -> None:
    (asset_id,) = [one["id"] for one in site.get("viewer", "/api/v2/assets")["assets"] if one["name"] == "orders"]
    path = f"/api/v2/assets/{asset_id}/materialize"
    refused = site.request("admin", "POST", path, {})
    assert (refused.status, "secret_dag, shown_dag" in refused.json()["detail"]) == (409, True)
    assert (
        site.request("reader", "POST", path, {})
        .json()["detail"]
        .startswith("account 'reader' has the role viewer on DAG 'shown_dag'")
    )
    created = site.request("changer", "POST", path, {})
    assert (created.status, created.json()["dag_id"]) == (200, "shown_dag")


def test_a_hidden_dag_is_answered_as_one_that_does_not_exist(site: AccountSite) -> None:
    """Each operation, with every parameter and field that may name a DAG: the answer differs in the name at most."""
    document = read_document()
    tried, found, different = 0, 0, []
    for path, methods in document["paths"].items():
        if not path.startswith("/api/") or path.endswith(LEFT_OUT):
            continue
        for method, operation in methods.items():
            answers = [
                ask_about(site, document, method.upper(), path, operation, dag_id)
                for dag_id in ("secret_dag", "absent_dag")
            ]
            status, text = answers[0]
            if answers[0] != answers[1] or (status >= 500 and status not in (501, 503)):
                different.append((method, path, *answers))
            tried += 1
            found += status == 404 and "DAG" in text
    assert different == []
    assert (tried > 200, found > 80) == (True, True), (tried, found)


LEFT_OUT = ("/auth/logout", "/auth/login", "/materialize")
"""The session ends, and a run is created each time: neither has the id of a DAG."""
KNOWN = {
    "dag_id": "DAG",
    "dag": "DAG",
    "dag_ids": ["DAG"],
    "source_dag_id": "DAG",
    "upstream": "DAG",
    "run_id": "r",
    "dag_run_id": "r",
    "task_id": "only",
    "map_index": -1,
    "asset": "orders",
    "asset_id": 1,
    "from_date": "2026-02-01T00:00:00Z",
    "to_date": "2026-02-01T03:00:00Z",
    "logical_date": None,
    "action": "update",
}


def ask_about(
    site: AccountSite,
    document: Any,
    method: str,
    path: str,
    operation: Any,
    dag_id: str,
    known: Any = None,
    account: str = "changer",
) -> tuple[int, str]:
    """The status and the text of an answer, in which the DAG has the same name whichever it is. `known`: values beside those of KNOWN."""
    query = []
    values = KNOWN | (known or {})
    for parameter in operation.get("parameters", ()):
        if parameter["in"] == "path":
            path = path.replace(f"{{{parameter['name']}}}", str(values.get(parameter["name"], 1)))
        elif parameter["in"] == "query" and (parameter.get("required") or parameter["name"] in KNOWN):
            value = build_value(document, parameter["schema"], parameter["name"])
            query += [(parameter["name"], one) for one in (value if isinstance(value, list) else [value])]
    written = operation.get("requestBody", {}).get("content", {}).get("application/json")
    body = (
        None
        if written is None
        else json.dumps(build_value(document, written["schema"], "")).replace('"DAG"', f'"{dag_id}"').encode()
    )
    place = f"{path}?{urlencode(query)}".replace("DAG", dag_id)
    reply = site.request(account, method, place, body)
    return reply.status, re.sub(
        r"20\d\d-\d\d-[\dT:.+Z-]+", "TIME", re.sub(r'"id":\d+', "ID", reply.body.decode().replace(dag_id, "DAG"))
    )


def build_value(document: Any, schema: Any, name: str) -> Any:
    """A value that meets the schema, with its required fields and those of KNOWN."""
    if name in KNOWN:
        return KNOWN[name]
    if "$ref" in schema:
        return build_value(document, document["components"]["schemas"][schema["$ref"].rpartition("/")[2]], name)
    for choice in schema.get("anyOf", schema.get("oneOf", schema.get("allOf", ()))):
        return build_value(document, choice, name)
    if "enum" in schema or "const" in schema:
        return schema["const"] if "const" in schema else schema["enum"][0]
    if schema.get("type") == "object":
        needed = schema.get("required", ())
        return {
            key: build_value(document, one, key)
            for key, one in schema.get("properties", {}).items()
            if key in needed or key in KNOWN
        }
    if schema.get("type") == "array":
        return [build_value(document, schema["items"], "")]
    if schema.get("format") == "date-time":
        return "2026-02-01T00:00:00Z"
    return {"string": "x", "integer": 1, "number": 1, "boolean": True}.get(schema.get("type", ""))
