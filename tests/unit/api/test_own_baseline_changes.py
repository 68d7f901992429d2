"""`/api/gnomon/v1`: baselines that are made, changed and deleted there, by whom, and how good predictions were."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from tests.stored_baselines import HOUR, MINUTE, write_baselines
from tests.unit.api.account_site import AccountSite, serve_accounts
from tests.unit.api.served import Client
from tests.unit.entry.cli.deployment import HOURLY, NOW, Deployment, spec_of

from gnomon.api.access.choose_policy import create_context
from gnomon.api.health_reader import HealthReader
from gnomon.model.accounts import Author, Grant, GrantKind, Role
from gnomon.model.baselines import BaselineForecast, BaselineLevel, BaselineRecord, PredictedRun
from gnomon.model.instants import SECOND
from gnomon.queries.accounts import account_changes
from gnomon.storage.store.alert_records import baseline_states, run_predictions
from gnomon.storage.store.dag_records.event_log import list_events
from gnomon.testing import Play

PATH = "/api/gnomon/v1/baselines"
BODY = {"name": "evening", "of": ["orders", "report.only"], "by": "20:00"}
CALENDAR = (
    '\n[calendars.work]\ncountry = "DE"\n\n[alerts.channels.ops]\ntype = "webhook"\nurl = "http://127.0.0.1:9/"\n'
)


def _fill(deployment: Deployment) -> None:
    deployment.add(*(spec_of(dag_id, timetable=HOURLY) for dag_id in ("orders", "report", "secret")))
    write_baselines(deployment.home.cfg.home, morning='of = ["orders"]\nby = "07:00"')
    file = deployment.home.cfg.home / "gnomon.toml"
    file.write_text(file.read_text() + CALENDAR)


@pytest.fixture
def stored(api: Client, deployment: Deployment) -> Client:
    """Three DAGs, and a baseline of gnomon.toml."""
    _fill(deployment)
    return api


def _send(client: Client, method: str, path: str, body: object, status: int) -> Any:
    reply = client.request(method, path, body)
    assert reply.status == status, (method, path, reply.status, reply.body)
    return reply.json() if reply.body else None


def test_one_is_made_changed_and_deleted_with_history_and_audit(stored: Client, deployment: Deployment) -> None:
    made = _send(stored, "POST", PATH, BODY, 201)
    assert (made["name"], made["by"], made["days"], made["timezone"]) == ("evening", "20:00", 0, "UTC")
    assert (made["is_stored"], made["is_changeable"], made["place"]) == (True, True, "gnomon baselines edit evening")
    assert [each["name"] for each in stored.own("/baselines")["baselines"]] == ["morning", "evening"]
    changes = {
        "by": "01:30",
        "days": 1,
        "margin": 900,
        "at_risk": 0.4,
        "weekdays": [4, 0],
        "calendar": "work",
        "owner": "ann",
        "to": ["ops"],
        "version": 1,
    }
    changed = _send(stored, "PATCH", f"{PATH}/evening", changes, 200)
    assert {name: changed[name] for name in changes if name != "version"} == {
        **{name: value for name, value in changes.items() if name != "version"},
        "weekdays": [0, 4],
    }
    assert changed["of"] == BODY["of"]
    assert _send(stored, "PATCH", f"{PATH}/evening", {"by": "02:30"}, 200)["days"] == 1
    versions = stored.own("/baselines/evening/history")["versions"]
    assert [(each["version"], each["by"]) for each in versions] == [(each, "api:anonymous") for each in (3, 2, 1)]
    assert [each["definition"]["by"] for each in versions] == ["02:30 +1 day", "01:30 +1 day", "20:00"]
    _send(stored, "DELETE", f"{PATH}/evening", None, 204)
    assert [each["name"] for each in stored.own("/baselines")["baselines"]] == ["morning"]
    stored.own("/baselines/evening/history", 404)
    with deployment.db.read() as tx:
        lines = [event for event in list_events(tx) if event.kind.startswith("baseline_")]
    assert [line.kind for line in reversed(lines)] == [
        "baseline_created",
        "baseline_changed",
        "baseline_changed",
        "baseline_deleted",
    ]
    second = json.loads(lines[1].body)
    assert (second["before"]["by"], second["after"]["by"]) == ("01:30 +1 day", "02:30 +1 day")
    assert "before" not in json.loads(lines[3].body) and "after" not in json.loads(lines[0].body)


def test_what_changes_nothing_is_no_version(stored: Client) -> None:
    _send(stored, "POST", PATH, BODY, 201)
    _send(stored, "PATCH", f"{PATH}/evening", {"by": "20:00"}, 200)
    assert len(stored.own("/baselines/evening/history")["versions"]) == 1


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"name": "a b"}, "baseline_name_is_unusable"),
    ({"of": []}, "baseline_promises_nothing"),
    ({"of": None}, "baseline_promises_nothing"),
    ({"of": ["nope"]}, "baseline_names_nothing"),
    ({"of": ["orders.nope"]}, "baseline_names_nothing"),
    ({"of": [f"d{number}" for number in range(201)]}, "baseline_names_too_much"),
    ({"by": "24:00"}, "baseline_time_is_wrong"),
    ({"by": None}, "baseline_time_is_wrong"),
    ({"by": "07:00 +1 day", "days": 2}, "baseline_time_is_wrong"),
    ({"days": 8}, "baseline_time_is_wrong"),
    ({"timezone": "Mars"}, "baseline_zone_is_unknown"),
    ({"margin": 86_400}, "baseline_margin_is_wrong"),
    ({"margin": -1}, "baseline_margin_is_wrong"),
    ({"at_risk": 1}, "baseline_share_is_wrong"),
    ({"weekdays": [7]}, "baseline_weekday_is_wrong"),
    ({"calendar": "wrok"}, "baseline_calendar_is_wrong"),
    ({"owner": "a\0"}, "baseline_owner_is_wrong"),
    ({"to": ["opps"]}, "baseline_channel_is_unknown"),
]


def test_a_wrong_field_is_refused_with_a_sentence_and_nothing_is_stored(stored: Client) -> None:
    for fields, code in WRONG:
        reply = stored.request("POST", PATH, {**BODY, **fields})
        assert (reply.status, reply.json().get("code")) == (400, code), (fields, reply.body)
    assert len(stored.own("/baselines")["baselines"]) == 1


def test_a_name_that_is_taken_a_file_and_an_old_version_are_conflicts(stored: Client) -> None:
    assert "gnomon.toml, line" in _send(stored, "POST", PATH, {**BODY, "name": "morning"}, 409)["detail"]
    _send(stored, "POST", PATH, BODY, 201)
    assert "gnomon baselines edit evening" in _send(stored, "POST", PATH, BODY, 409)["detail"]
    for method, body in (("PATCH", {"by": "08:00"}), ("DELETE", None)):
        detail = _send(stored, method, f"{PATH}/morning", body, 409)["detail"]
        assert "stands in gnomon.toml, line" in detail and "change or delete it there" in detail
    _send(stored, "PATCH", f"{PATH}/evening", {"by": "21:00"}, 200)
    detail = _send(stored, "PATCH", f"{PATH}/evening", {"by": "22:00", "version": 1}, 409)["detail"]
    assert "was changed by api:anonymous" in detail
    assert "morning, evening" in _send(stored, "DELETE", f"{PATH}/nope", None, 404)["detail"]
    assert stored.own("/baselines/morning/history") == {"versions": []}
    _send(stored, "PATCH", f"{PATH}/evening", {"owners": "x"}, 422)


def test_coming_due_times_go_with_it_and_what_was_met_stays_for_one_of_that_name(
    stored: Client, deployment: Deployment
) -> None:
    _send(stored, "POST", PATH, BODY, 201)
    with deployment.db.write() as tx:
        for due_at, level, ended_at in ((NOW - HOUR, BaselineLevel.MET, NOW - 2 * HOUR), (NOW + HOUR, "safe", None)):
            forecast = BaselineForecast(due_at=due_at, at=NOW, ended_at=ended_at, end_p50=NOW)
            baseline_states.put_state(tx, BaselineRecord("evening", due_at, BaselineLevel(level), NOW, forecast))
    assert len(stored.own("/baselines/evening")["due_times"]) == 2
    _send(stored, "DELETE", f"{PATH}/evening", None, 204)
    _send(stored, "POST", PATH, BODY, 201)
    assert [due["level"] for due in stored.own("/baselines/evening")["due_times"]] == ["met"]
    assert [each["definition"] is None for each in stored.own("/baselines/evening/history")["versions"]] == [
        False,
        True,
        False,
    ]


@pytest.fixture
def site(deployment: Deployment) -> Iterator[AccountSite]:
    """`owner` may change orders and sees report; `viewer` sees everything; `user` changes everything."""
    _fill(deployment)
    root = Author("cli:root", NOW)
    with deployment.db.write() as tx:
        for name, role in (("owner", Role.NONE), ("viewer", Role.VIEWER), ("user", Role.USER)):
            account_changes.create_account(tx, root, name, role, None)
        account_changes.add_grant(tx, root, "owner", Grant(GrantKind.DAG, "orders", Role.USER))
        account_changes.add_grant(tx, root, "owner", Grant(GrantKind.DAG, "report", Role.VIEWER))
    reader = HealthReader(deployment.home.cfg, deployment.clock)
    context = create_context(deployment.home.cfg, deployment.clock, "127.0.0.1", reader.read_health)
    with serve_accounts(AccountSite, context, ("owner", "viewer", "user")) as site:
        yield site
    reader.close()


def test_whoever_may_change_all_its_dags_may_change_it(site: AccountSite) -> None:
    def send(account: str, method: str, body: object = None, name: str = "") -> int:
        return site.request(account, method, f"{PATH}{name}", body).status

    assert send("viewer", "POST", BODY) == 403
    assert send("owner", "POST", BODY) == 403  # report is not his to change
    assert send("owner", "POST", {**BODY, "of": ["secret"]}) == 404
    assert send("owner", "POST", {**BODY, "name": "mine", "of": ["orders"]}) == 201
    assert send("user", "POST", BODY) == 201
    assert send("user", "POST", {**BODY, "name": "hidden", "of": ["secret"]}) == 201
    shown = {each["name"]: each["is_changeable"] for each in site.get("owner", PATH)["baselines"]}
    assert shown == {"morning": False, "mine": True, "evening": False}
    assert not any(each["is_changeable"] for each in site.get("viewer", PATH)["baselines"])
    assert send("owner", "PATCH", {"owner": "me"}, "/evening") == 403
    assert send("owner", "PATCH", {"of": ["orders", "report"]}, "/mine") == 403
    assert send("owner", "DELETE", None, "/hidden") == 404
    assert send("viewer", "DELETE", None, "/mine") == 403
    taken = site.request("owner", "POST", PATH, {**BODY, "name": "hidden", "of": ["orders"]})
    assert (taken.status, b"secret" in taken.body) == (409, False)
    assert send("owner", "DELETE", None, "/mine") == 204
    assert site.get("owner", "/api/gnomon/v1/baselineChoices") == {
        "calendars": ["work"],
        "channels": ["ops"],
        "timezone": "UTC",
    }
    assert site.request("viewer", "GET", "/api/gnomon/v1/baselineChoices").status == 403


def test_the_accuracy_of_each_dag_says_why_it_is_bad(api: Client, deployment: Deployment) -> None:
    assert api.own("/forecast/accuracy") == {"before": None, "start": None, "dags": [], "total_entries": 0}
    deployment.clock.advance(200)
    deployment.add(spec_of("a"), spec_of("b"), spec_of("c"))
    deployment.plays["only"] = Play(run_s=60)
    deployment.start()
    for number in range(3):
        at = deployment.clock.now()
        runs = [
            PredictedRun(
                dag_id=dag_id,
                run_id=f"r{number}",
                run_type="manual",
                run_after=at,
                end_p50=None if span_s is None else at + span_s * SECOND,
                end_p90=None if span_s is None else at + 90 * SECOND,
            )
            for dag_id, span_s in (("a", 70), ("b", 40), ("c", None))
        ]
        with deployment.db.write() as tx:
            run_predictions.put_predictions(tx, at, runs if number == 0 else [], runs)
        for dag_id in ("a", "b", "c")[: 3 if number else 2]:
            api.send("POST", f"/dags/{dag_id}/dagRuns", {"logical_date": None, "dag_run_id": f"r{number}"})
        deployment.move(100)
    found = api.own("/forecast/accuracy?dag_id=b&dag_id=c&dag_id=nope")
    assert [dag["dag_id"] for dag in found["dags"]] == ["b", "c"] and found["start"] is None
    b, c = found["dags"]
    assert (b["start"]["runs"], b["start"]["below_p50"], b["start"]["below_p90"], b["why"]) == (3, 0.0, 1.0, None)
    assert b["before"]["runs"] == 1 and 15 < b["start"]["error"] < 25
    assert (c["start"]["unpredicted"], c["before"], c["why"]["code"]) == (2, None, "history_is_short")
    whole = api.own("/forecast/accuracy?limit=1")
    assert (whole["start"]["runs"], len(whole["dags"]), whole["total_entries"]) == (6, 1, 3)
    assert [dag["dag_id"] for dag in api.own("/forecast/accuracy?limit=1&offset=1")["dags"]] == ["a"]


def test_the_accuracy_of_hidden_dags_is_hidden(site: AccountSite, deployment: Deployment) -> None:
    runs = [
        PredictedRun(dag_id=dag_id, run_id="r", run_type="manual", run_after=NOW, end_p50=NOW + MINUTE)
        for dag_id in ("orders", "secret")
    ]
    with deployment.db.write() as tx:
        run_predictions.put_predictions(tx, NOW, [], runs)
    deployment.start()
    for dag_id in ("orders", "secret"):
        reply = site.request(
            "user", "POST", f"/api/v2/dags/{dag_id}/dagRuns", {"logical_date": None, "dag_run_id": "r"}
        )
        assert reply.status == 200, reply
    deployment.move(30)
    path = "/api/gnomon/v1/forecast/accuracy"
    assert {dag["dag_id"] for dag in site.get("viewer", path)["dags"]} == {"orders", "secret"}
    seen = site.get("owner", path)
    assert ([dag["dag_id"] for dag in seen["dags"]], seen["start"]) == (["orders"], None)
    assert site.get("owner", f"{path}?dag_id=secret")["dags"] == []
