"""Every operation that changes something leaves a line in the audit log: who, what, from where; or a reason says why it leaves none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.databases import BOTH, new_database
from tests.unit.api.served import Client, served
from tests.unit.entry.cli.deployment import HOURLY, NOW, Deployment, spec_of

from gnomon.api.access.open_access import OpenAccess
from gnomon.api.access.permissions import list_operations
from gnomon.api.context import ApiContext
from gnomon.api.health import HealthSnapshot
from gnomon.api.own.own_routers import OWN_ROUTERS
from gnomon.api.v2.routers import ROUTERS
from gnomon.entry.cli.deployment.home import Home
from gnomon.ground.clock import VirtualClock
from gnomon.ground.config import load_config
from gnomon.model.assets import AllOf, AssetDeclaration, AssetKey
from gnomon.model.attempts import Deferral, XComItem
from gnomon.model.hitl import HITLRequest
from gnomon.model.instants import SECOND, iso
from gnomon.model.quarantine import QuarantinedItem
from gnomon.model.spec import TaskSpec
from gnomon.model.upstream_edges import DependencySpec
from gnomon.queries.accounts import passwords
from gnomon.storage.store.coordination import quarantine
from gnomon.testing import Play

V2, OWN = "/api/v2", "/api/gnomon/v1"
RUN = "/dags/etl/dagRuns/r"
INSTANCE = f"{RUN}/taskInstances/one"
ORDERS = AssetKey("orders", "s3://orders")
QUESTION = HITLRequest(subject="Send it?", options=("yes", "no"))
HOUR = 3600 * SECOND


class Call(NamedTuple):
    """A request for the operation of a path with parameters, and the kinds of the lines that it must leave."""

    operation: str
    path: str
    body: object
    kinds: str
    texts: tuple[str, ...] = ()
    """What the lines must contain: the state before and after."""


def _v2(method: str, template: str, path: str, body: object, kinds: str, *texts: str) -> Call:
    return Call(f"{method} {V2}{template}", V2 + path, body, kinds, texts)


def _own(name: str, body: dict[str, Any], kinds: str, *texts: str, dag: str | None = None) -> Call:
    place = f"{OWN}/operations/{name}" if dag is None else f"{OWN}/dags/{dag}/operations/{name}"
    return Call(f"POST {place.replace(f'/dags/{dag}/', '/dags/{dag_id}/')}", place, body, kinds, texts)


_RUN = "/dags/{dag_id}/dagRuns/{dag_run_id}"
_TASK = f"{_RUN}/taskInstances/{{task_id}}"
_POOL = {"name": "p", "slots": 3}
_VARIABLE = {"key": "k", "value": "1"}
_CONNECTION = {"connection_id": "c", "conn_type": "http", "host": "old"}
_GIVEN = {"uri": None, "json": None, "fields": {"conn_type": "http"}}
_SPAN = {"dag_id": "hourly", "from_date": "2026-02-01T00:00:00Z", "to_date": "2026-02-01T02:00:00Z"}


def _bulk(action: str, *entities: object) -> dict[str, Any]:
    return {"actions": [{"action": action, "entities": list(entities)}]}


CALLS: list[Call] = [
    # DAGs
    _v2("PATCH", "/dags/{dag_id}", "/dags/etl", {"is_paused": True}, "dag_paused"),
    _v2("PATCH", "/dags", "/dags?dag_id_pattern=etl", {"is_paused": False}, "dag_unpaused"),
    _own("dags.set_paused", {"dag_ids": ["etl"], "paused": True}, "dag_paused"),
    _own("dags.set_paused", {"dag_ids": ["etl"], "paused": False}, "dag_unpaused"),
    _v2("POST", "/dags/{dag_id}/favorite", "/dags/etl/favorite", None, "favorite_added"),
    _v2("POST", "/dags/{dag_id}/unfavorite", "/dags/etl/unfavorite", None, "favorite_removed"),
    # runs and task instances
    _v2("POST", "/dags/{dag_id}/dagRuns", "/dags/etl/dagRuns", {"logical_date": None, "dag_run_id": "r", "note": "n"}, "note_set run_created", '"after": "n"'),
    _own("runs.trigger", {"run_id": "s"}, "run_created", dag="etl"),
    _own("runs.release", {"run_id": "scheduled__2026-03-01T10:00:00+00:00", "reason": "because"}, "released", "because", dag="down"),
    _v2("PATCH", _RUN, RUN, {"state": "failed", "note": "m"}, "marked note_set", "failed (before: success)", '"before": "n", "after": "m"'),
    _v2("POST", f"{_RUN}/clear", f"{RUN}/clear", {"dry_run": False}, "cleared", "one (before: success)"),
    _v2("PATCH", "/dags/{dag_id}/dagRuns", "/dags/etl/dagRuns", _bulk("update", {"dag_run_id": "r", "state": "failed"}), "marked", "failed (before: success)"),
    _v2("POST", "/dags/{dag_id}/clearDagRuns", "/dags/etl/clearDagRuns", {"dag_runs": [{"dag_run_id": "r"}], "dry_run": False}, "cleared", "before: success"),
    _own("runs.mark", {"run_id": "r", "state": "failed"}, "marked", "failed (before: success)", dag="etl"),
    _own("runs.clear", {"run_id": "r"}, "cleared", "one (before: success)", dag="etl"),
    _own("runs.clear_downstream", {"run_id": "r"}, "cleared", "one (before: success)", dag="etl"),
    _v2("PATCH", _TASK, INSTANCE, {"new_state": "failed"}, "marked", "failed: one (before: success)"),
    _v2("PATCH", f"{_TASK}/{{map_index}}", f"{INSTANCE}/-1", {"new_state": "success"}, "marked", "success: one (before: failed)"),
    _v2("PATCH", f"{_RUN}/taskInstances", f"{RUN}/taskInstances", _bulk("update", {"task_id": "one", "new_state": "failed"}), "marked", "before: success"),
    _v2("PATCH", f"{_RUN}/taskGroupInstances/{{group_id}}", f"{RUN}/taskGroupInstances/g", {"new_state": "failed"}, "marked", "failed: two (before: "),
    _v2("POST", "/dags/{dag_id}/clearTaskInstances", "/dags/etl/clearTaskInstances",
        {"dag_run_id": "r", "dry_run": False, "only_failed": False, "task_ids": ["one"]}, "cleared", "one (before: failed)"),
    _own("tasks.mark", {"run_id": "r", "state": "failed", "names": ["one"]}, "cleared marked", "failed: one (before: success)", "two (before: failed)", dag="etl"),
    _own("tasks.clear", {"run_id": "r", "names": ["one"]}, "cleared", "one (before: failed)", dag="etl"),
    _own("runs.trigger", {"run_id": "q"}, "run_created", dag="ask"),
    _v2("PATCH", f"{_TASK}/{{map_index}}/hitlDetails", "/dags/ask/dagRuns/q/taskInstances/ask/-1/hitlDetails", {"chosen_options": ["yes"]}, "answered", "yes"),
    _own("runs.trigger", {"run_id": "p"}, "run_created", dag="ask"),
    _own("questions.answer", {"run_id": "p", "task_id": "ask", "map_index": -1, "options": ["no"], "params": {}}, "answered", "no", dag="ask"),
    # XComs and stores of state
    _v2("POST", f"{_TASK}/xcomEntries", f"{INSTANCE}/xcomEntries", {"key": "x", "value": 1}, "xcom_set", "x"),
    _v2("PATCH", f"{_TASK}/xcomEntries/{{xcom_key}}", f"{INSTANCE}/xcomEntries/x", {"value": 2}, "xcom_set", "x"),
    _v2("DELETE", f"{_TASK}/xcomEntries/{{xcom_key}}", f"{INSTANCE}/xcomEntries/x", None, "xcom_deleted", "x"),
    _own("xcoms.set", {"run_id": "r", "task_id": "one", "map_index": -1, "text": "1"}, "xcom_set", dag="etl"),
    _own("xcoms.delete", {"run_id": "r", "task_id": "one", "map_index": -1}, "xcom_deleted", dag="etl"),
    _v2("PUT", f"{_TASK}/state-store/{{key:path}}", f"{INSTANCE}/state-store/k", {"value": 1}, "task_state_set", "k"),
    _v2("PATCH", f"{_TASK}/state-store/{{key:path}}", f"{INSTANCE}/state-store/k", {"value": 2}, "task_state_set", "k"),
    _v2("DELETE", f"{_TASK}/state-store/{{key:path}}", f"{INSTANCE}/state-store/k", None, "task_state_deleted", "k"),
    _v2("PUT", f"{_TASK}/state-store/{{key:path}}", f"{INSTANCE}/state-store/l", {"value": 1}, "task_state_set", "l"),
    _v2("DELETE", f"{_TASK}/state-store", f"{INSTANCE}/state-store", None, "task_state_deleted", "all keys"),
    _v2("PUT", "/assets/{asset_id}/state-store/{key:path}", "/assets/ASSET/state-store/k", {"value": 1}, "asset_state_set", "orders: k"),
    _v2("DELETE", "/assets/{asset_id}/state-store/{key:path}", "/assets/ASSET/state-store/k", None, "asset_state_deleted", "orders: k"),
    _v2("PUT", "/assets/{asset_id}/state-store/{key:path}", "/assets/ASSET/state-store/l", {"value": 1}, "asset_state_set", "orders: l"),
    _v2("DELETE", "/assets/{asset_id}/state-store", "/assets/ASSET/state-store", None, "asset_state_deleted", "orders: all keys"),
    _own("task_state.set", {"run_id": "r", "task_id": "one", "map_index": -1, "key": "k", "value": "1"}, "task_state_set", "k", dag="etl"),
    _own("task_state.clear", {"run_id": "r", "task_id": "one", "map_index": -1}, "task_state_deleted", "all keys", dag="etl"),
    _v2("PUT", f"{_TASK}/state-store/{{key:path}}", f"{INSTANCE}/state-store/k", {"value": 1, "expires_at": "SOON"}, "task_state_set", "k"),
    _own("task_state.clean", {}, "task_states_cleaned", "1 expired values"),
    _own("asset_state.set", {"name": "orders", "key": "k", "value": "1"}, "asset_state_set", "orders: k"),
    _own("asset_state.clear", {"name": "orders"}, "asset_state_deleted", "orders: all keys"),
    # assets
    _v2("POST", "/assets/events", "/assets/events", {"asset_id": "ASSET"}, "asset_event_added", "orders"),
    _v2("DELETE", "/assets/{asset_id}/queuedEvents", "/assets/ASSET/queuedEvents", None, "queued_events_deleted", "asset"),
    _v2("POST", "/assets/events", "/assets/events", {"asset_id": "ASSET"}, "asset_event_added", "orders"),
    _v2("DELETE", "/dags/{dag_id}/assets/{asset_id}/queuedEvents", "/dags/reads/assets/ASSET/queuedEvents", None, "queued_events_deleted", "asset"),
    _v2("POST", "/assets/events", "/assets/events", {"asset_id": "ASSET"}, "asset_event_added", "orders"),
    _v2("DELETE", "/dags/{dag_id}/assets/queuedEvents", "/dags/reads/assets/queuedEvents", None, "queued_events_deleted", "all assets"),
    _v2("POST", "/assets/{asset_id}/materialize", "/assets/ASSET/materialize", {"dag_run_id": "m"}, "run_created", "m"),
    _own("assets.materialize", {"asset": "orders"}, "run_created"),
    # backfills
    _v2("POST", "/backfills", "/backfills", _SPAN, "backfill_created", "2026-02-01"),
    _v2("PUT", "/backfills/{backfill_id}/pause", "/backfills/1/pause", None, "backfill_paused"),
    _v2("PUT", "/backfills/{backfill_id}/unpause", "/backfills/1/unpause", None, "backfill_unpaused"),
    _v2("POST", "/backfills/{backfill_id}/pause", "/backfills/1/pause", None, "backfill_paused"),
    _v2("POST", "/backfills/{backfill_id}/unpause", "/backfills/1/unpause", None, "backfill_unpaused"),
    _v2("PUT", "/backfills/{backfill_id}/cancel", "/backfills/1/cancel", None, "backfill_cancelled"),
    _own("backfills.create", {"from_at": NOW - 9 * HOUR, "to_at": NOW - 8 * HOUR}, "backfill_created", dag="hourly"),
    _v2("POST", "/backfills/{backfill_id}/cancel", "/backfills/2/cancel", None, "backfill_cancelled"),
    _own("backfills.create", {"from_at": NOW - 19 * HOUR, "to_at": NOW - 18 * HOUR}, "backfill_created", dag="hourly"),
    _own("backfills.switch", {"backfill_id": 3, "switch": "paused"}, "backfill_paused"),
    # baselines
    Call(f"POST {OWN}/baselines", f"{OWN}/baselines", {"name": "b", "of": ["hourly"], "by": "07:00"}, "baseline_created", ("07:00",)),
    Call(f"PATCH {OWN}/baselines/{{name}}", f"{OWN}/baselines/b", {"by": "08:00"}, "baseline_changed", ("07:00", "08:00")),
    Call(f"DELETE {OWN}/baselines/{{name}}", f"{OWN}/baselines/b", None, "baseline_deleted", ("08:00",)),
    _own("baselines.create", {"name": "c", "fields": {"of": ["hourly"], "by": "07:00"}}, "baseline_created", "07:00"),
    _own("baselines.edit", {"name": "c", "fields": {"owner": "ann"}}, "baseline_changed", "ann"),
    _own("baselines.delete", {"name": "c"}, "baseline_deleted", "07:00"),
    # pools, Variables, connections
    _v2("POST", "/pools", "/pools", _POOL, "pool_created", '"after": {"slots": 3'),
    _v2("PATCH", "/pools/{pool_name}", "/pools/p", {"slots": 4}, "pool_changed", '"before": {"slots": 3', '"after": {"slots": 4'),
    _v2("PATCH", "/pools", "/pools", _bulk("create", {"name": "o", "slots": 1}), "pool_created", '"o"'),
    _v2("DELETE", "/pools/{pool_name}", "/pools/p", None, "pool_deleted", '"before": {"slots": 4'),
    _own("pools.set", {"fields": [{"name": "n", "slots": 1, "description": "", "include_deferred": False}]}, "pool_created"),
    _own("pools.delete", {"name": "n"}, "pool_deleted"),
    _v2("POST", "/variables", "/variables", _VARIABLE, "variable_created"),
    _v2("PATCH", "/variables/{variable_key}", "/variables/k", {"key": "k", "value": "2"}, "variable_changed", "(changed)"),
    _v2("PATCH", "/variables", "/variables", _bulk("create", {"key": "l", "value": "1"}), "variable_created", '"l"'),
    _v2("DELETE", "/variables/{variable_key}", "/variables/k", None, "variable_deleted"),
    _own("variables.set", {"key": "m", "value": "1"}, "variable_created"),
    _own("variables.import", {"new_variables": [{"key": "n", "value": "1", "description": None}]}, "variable_created"),
    _own("variables.delete", {"key": "m"}, "variable_deleted"),
    _own("quarantine.retry", {"item": 1}, "quarantine_retried", "no json"),
    _own("quarantine.discard", {"item": 2}, "quarantine_discarded", "no json"),
    _v2("POST", "/connections", "/connections", _CONNECTION, "connection_created", '"host": "old"'),
    _v2("PATCH", "/connections/{connection_id}", "/connections/c", {**_CONNECTION, "host": "new"}, "connection_changed", '"old"', '"new"'),
    _v2("PATCH", "/connections", "/connections", _bulk("create", {**_CONNECTION, "connection_id": "d"}), "connection_created", '"d"'),
    _v2("DELETE", "/connections/{connection_id}", "/connections/c", None, "connection_deleted", '"before"'),
    _own("connections.add", {"conn_id": "e", "given": _GIVEN}, "connection_created"),
    _own("connections.set", {"conn_id": "e", "given": {**_GIVEN, "fields": {"conn_type": "http", "host": "h"}}}, "connection_changed"),
    _own("connections.delete", {"conn_id": "e"}, "connection_deleted"),
    _own("connections.import", {"new_connections": [{"conn_id": "f", "conn_type": "http"}]}, "connection_created"),
    # accounts and tokens
    _own("accounts.create", {"name": "ann", "role": "viewer", "password": "correct horse"}, "account_created", '"role": "viewer"'),
    _own("accounts.set_role", {"name": "ann", "role": "user"}, "account_role_changed", '"viewer"', '"user"'),
    _own("accounts.reset_password", {"name": "ann", "password": "another horse"}, "account_password_changed"),
    _own("accounts.grant", {"name": "ann", "kind": "dag", "pattern": "etl", "role": "operator"}, "account_grant_added", "etl"),
    _own("accounts.revoke", {"name": "ann", "kind": "dag", "pattern": "etl"}, "account_grant_removed", "etl"),
    _own("tokens.create", {"account": "ann", "name": "job", "role": "user"}, "token_created"),
    _own("tokens.revoke", {"token": "TOKEN"}, "token_revoked"),
    _own("accounts.delete", {"name": "ann"}, "account_deleted", '"before"'),
    # deletions
    _v2("DELETE", _RUN, RUN, None, "run_deleted", "r (before: "),
    _v2("DELETE", "/dags/{dag_id}", "/dags/gone", None, "dag_deleted", "gone"),
    _own("dags.delete", {}, "dag_deleted", "ask", dag="ask"),
]  # fmt: skip
SILENT = {
    f"POST {V2}/dags/{{dag_id}}/dagRuns/list": "reads",
    f"POST {V2}/dags/{{dag_id}}/dagRuns/{{dag_run_id}}/taskInstances/list": "reads",
    f"PATCH {V2}{_TASK}/dry_run": "reads: a preview",
    f"PATCH {V2}{_TASK}/{{map_index}}/dry_run": "reads: a preview",
    f"PATCH {V2}{_RUN}/taskGroupInstances/{{group_id}}/dry_run": "reads: a preview",
    f"POST {V2}/backfills/dry_run": "reads: a preview",
    f"POST {OWN}/dags/{{dag_id}}/operations/backfills.preview": "reads: a preview",
    f"POST {OWN}/timetables/preview": "reads: a preview",
    f"POST {OWN}/timetables/diff": "reads: a preview",
    f"POST {OWN}/timetables/days": "reads: a preview",
    f"POST {OWN}/dags/{{dag_id}}/runPreview": "reads: a preview",
    f"POST {OWN}/dags/{{dag_id}}/backfillPreview": "reads: a preview",
    f"POST {OWN}/operations/alerts.test": "changes nothing: the message that it sends names the user",
    f"POST {OWN}/simulations": "computes, and changes nothing",
    f"DELETE {OWN}/simulations/{{simulation_id}}": "ends one's own computation, and changes nothing",
    f"POST {V2}/connections/test": "tries a connection that is not stored",
    f"POST {V2}/connections/enqueue-test": "tries a connection that is not stored",
    f"POST {V2}/connections/defaults": "creates nothing: answers 501 or the connections that exist",
    f"POST {V2}/dags/{{dag_id}}/clearPartitions": "answers 501",
    f"DELETE {V2}{_TASK}": "answers 501",
    f"PUT {V2}/parseDagFile/{{file_token}}": "reads a file again, and changes nothing that a user can choose",
    f"POST {OWN}/dags/{{dag_id}}/operations/dags.read_again": "reads a file again, and changes nothing that a user can choose",
    f"POST {OWN}/operations/dags.read_all_again": "reads the files again, and changes nothing that a user can choose",
}
"""Operations that are no GET and leave no line, and why."""


@pytest.fixture(params=BOTH)
def deployment(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Deployment]:
    with new_database(request.param, tmp_path) as url, pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "MEMORY_KIB", 64)
        patch.setattr(passwords, "ROUNDS", 1)
        passwords._hasher.cache_clear()
        clock = VirtualClock(NOW)
        home = Home(
            load_config(
                {"GNOMON__DATABASE__SQL_ALCHEMY_CONN": url, "GNOMON__DATABASE__SYNCHRONOUS": "NORMAL"},
                tmp_path / "home",
            ),
            clock,
            clock.advance,
        )
        made = Deployment(home, clock)
        _add_dags(made)
        yield made
        made.close()
        passwords._hasher.cache_clear()


def _add_dags(made: Deployment) -> None:
    orders = (AssetDeclaration(name="orders", uri="s3://orders"),)
    tasks = (TaskSpec(task_id="one", outlets=(ORDERS,)), TaskSpec(task_id="two", upstream=("one",), group="g"))
    made.add(
        spec_of("etl", tasks=tasks, groups={"g": None}, assets=orders),
        spec_of("hourly", {"slow": ()}, timetable=HOURLY),
        spec_of("ask", {"ask": ()}),
        spec_of("gone"),
        spec_of("reads", asset_condition=AllOf((ORDERS, AssetKey("never", "never"))), assets=orders),
        spec_of("up", {"slow": ()}, timetable=HOURLY),
        spec_of("down", timetable=HOURLY, depends_on=(DependencySpec(dag_id="up"),)),
    )
    made.plays["slow"] = Play(run_s=1e6)
    made.plays["one"] = Play(run_s=1.0, xcoms=(XComItem(key="return_value", value="1"),))
    made.plays["ask"] = Play(
        outcome="awaiting_input",
        wait=Deferral(classpath="TaskAwaitingInput", next_method="execute_complete", hitl=QUESTION),
    )
    made.start()
    made.move(3620)  # the runs of 10:00
    with made.db.write() as tx:
        quarantine.add_items(
            tx,
            [
                QuarantinedItem(
                    kind="run_created", group_no=1, reason="no json", error_class="ValueError", at=NOW, body=b"{"
                )
                for _ in range(2)
            ],
        )


@pytest.fixture
def api(deployment: Deployment) -> Iterator[Client]:
    home = deployment.home
    context = ApiContext(
        home.cfg,
        home.clock,
        OpenAccess(),
        lambda: HealthSnapshot(NOW, ()),
        lambda seconds: home.sleep(seconds),
        deployment.db,
    )
    with served(context) as client:
        yield client


def _read_lines(api: Client, after: int) -> list[dict[str, Any]]:
    """The lines of users after this one, oldest first."""
    rows: list[dict[str, Any]] = api.get("/eventLogs?order_by=-event_log_id&limit=20")["event_logs"]
    return [row for row in reversed(rows) if row["event_log_id"] > after and row["owner"].startswith("api:")]


def test_every_operation_that_is_no_read_is_in_the_walk_or_has_a_reason() -> None:
    found = {
        f"{method} {prefix}{route.path}"
        for prefix, routers in ((V2, ROUTERS), (OWN, OWN_ROUTERS))
        for route in list_operations(routers)
        for method in route.methods
        if method not in ("GET", "HEAD")
    }
    walked = {call.operation for call in CALLS}
    assert not walked & set(SILENT)
    assert sorted(found - walked - set(SILENT)) == []
    assert sorted((walked | set(SILENT)) - found) == []


def test_each_change_leaves_a_line_with_its_user_and_address(api: Client, deployment: Deployment) -> None:
    asset_id = api.get("/assets?name_pattern=orders")["assets"][0]["id"]
    newest, token, faults = 0, "", []
    for call in CALLS:
        path = call.path.replace("ASSET", str(asset_id))
        body: Any = (
            {
                key: {"ASSET": asset_id, "TOKEN": token, "SOON": iso(deployment.clock.now() + 5 * SECOND)}.get(
                    str(value), value
                )
                for key, value in call.body.items()
            }
            if isinstance(call.body, dict)
            else None
        )
        reply = api.request(call.operation.split()[0], path, body)
        if reply.status >= 300:
            faults.append((call.operation, call.path, reply.status, reply.body))
        if call.operation.endswith("tokens.create"):
            token = api.own("/operations/tokens.list")[0]["token"]
        deployment.move(20)
        lines = _read_lines(api, newest)
        newest = max([newest, *(line["event_log_id"] for line in lines)])
        seen = " ".join(sorted(line["event"] for line in lines))
        text = " ".join(str(line["extra"]) for line in lines)
        if (seen, {(line["owner"], line["address"]) for line in lines}) != (
            call.kinds,
            {("api:anonymous", "127.0.0.1")},
        ):
            faults.append((call.operation, seen, [(line["owner"], line["address"]) for line in lines], text))
        faults += [(call.operation, wanted, text) for wanted in call.texts if wanted not in text]
    assert not faults, "\n".join(map(str, faults))
