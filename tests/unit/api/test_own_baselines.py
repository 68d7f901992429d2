"""`/api/gnomon/v1`: baselines with their key paths, and the newest forecast; what an account sees of them that does not see all DAGs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.stored_baselines import HOUR, MINUTE, put_forecast, put_risk, write_baselines
from tests.unit.api.account_site import AccountSite, serve_accounts
from tests.unit.api.served import Client
from tests.unit.entry.cli.deployment import HOURLY, NOW, Deployment, spec_of

from gnomon.api.access.choose_policy import create_context
from gnomon.api.access.hidden_names import HIDDEN
from gnomon.api.health_reader import HealthReader
from gnomon.model.accounts import Author, Grant, GrantKind, Role
from gnomon.model.baselines import FRESH_LEAST_S
from gnomon.model.instants import iso, to_datetime
from gnomon.queries.accounts import account_changes
from gnomon.storage.store.cross_dag import dag_edges
from gnomon.storage.store.dag_records import dags
from gnomon.testing import Play

OWN = "/api/gnomon/v1"
STEPS = (("orders", "o1", "load[2]"), ("team.secret", "s1", "mix"), ("report", "r1", "print"))
RUNS = (("orders", "o1", -5, 20), ("team.secret", "s1", 30, 55), ("report", "r1", 60, 110))
DEPLOYED = ("orders", "report", "team", "team.secret")


def _show(at: int) -> str:
    return to_datetime(at).isoformat().replace("+00:00", "Z")


def _fill(deployment: Deployment) -> None:
    deployment.add(*(spec_of(dag_id) for dag_id in DEPLOYED))
    write_baselines(
        deployment.home.cfg.home,
        morning='of = ["report"]\nby = "11:00"\nmargin = "15m"\nowner = "ann"\nweekdays = ["mon"]',
        idle='of = ["orders.only"]\nby = "06:30 +1 day"',
        closed='of = ["orders", "team.secret"]\nby = "07:00"',
    )
    with deployment.db.write() as tx:
        put_risk(tx, "morning", NOW, STEPS)
        put_forecast(tx, NOW, RUNS, faults=("baseline 'x' names nothing",))


@pytest.fixture
def stored(api: Client, deployment: Deployment) -> Client:
    """Three baselines, one of them with predictions, and a forecast."""
    _fill(deployment)
    return api


def test_the_list_has_each_baseline_with_the_due_time_that_matters_now(stored: Client) -> None:
    found = stored.own("/baselines")
    morning, idle, _ = found["baselines"]
    assert [each["name"] for each in found["baselines"]] == ["morning", "idle", "closed"]
    assert {name: morning[name] for name in ("of", "by", "days", "timezone", "weekdays", "margin", "owner")} == {
        "of": ["report"],
        "by": "11:00",
        "days": 0,
        "timezone": "UTC",
        "weekdays": [0],
        "margin": 900.0,
        "owner": "ann",
    }
    assert (morning["level"], morning["breach"], morning["slack"]) == ("at_risk", 0.34, -900.0)
    assert morning["due_at"] == _show(NOW + 2 * HOUR)
    assert morning["end_p50"] == _show(NOW + 110 * MINUTE)
    assert (morning["since"], morning["predicted_at"]) == (_show(NOW - HOUR), _show(NOW - MINUTE))
    assert morning["sentence"]["code"] == "baseline_is_at_risk"
    assert "late in 34% of the futures" in morning["sentence"]["text"]
    assert (idle["level"], idle["due_at"], idle["days"]) == (None, None, 1)
    assert idle["sentence"]["code"] == "baseline_is_without_a_schedule"
    assert found["faults"] == ["baseline 'x' names nothing"]


def test_a_baseline_has_its_key_path_its_due_times_and_the_predictions_of_the_next_one(stored: Client) -> None:
    found = stored.own("/baselines/morning")
    assert [(step["dag_id"], step["task_id"], step["map_index"]) for step in found["key_path"]] == [
        ("orders", "load", 2),
        ("team.secret", "mix", -1),
        ("report", "print", -1),
    ]
    assert found["key_path"][0]["task"] == "load[2]"
    assert (found["key_path"][0]["trouble"], found["key_path"][1]["waited"]) == ("slow", 300.0)
    assert (found["costly"]["code"], found["costly_step"], found["samples"]) == ("key_step_costs", 0, 50)
    assert found["acts"] == [{"verb": "explain", "names": ["orders", "o1", "load[2]"], "options": []}]
    assert [(due["level"], due["ended_at"] is None) for due in found["due_times"]] == [
        ("at_risk", True),
        ("met", False),
        ("broken", False),
    ]
    assert [(each["level"], each["breach"]) for each in found["predictions"]] == [
        ("safe", 0.02),
        ("safe", 0.1),
        ("at_risk", 0.34),
    ]
    assert "assumed to take 1 min (report.print)" in found["assumptions"][0]


def test_a_baseline_without_a_prediction_has_no_path(stored: Client) -> None:
    found = stored.own("/baselines/idle")
    assert (found["key_path"], found["due_times"], found["acts"], found["costly"]) == ([], [], [], None)


def test_an_unknown_baseline_is_refused_with_the_names_of_the_others(stored: Client) -> None:
    assert "morning, idle, closed" in stored.own("/baselines/evening", 404)["detail"]


def test_the_forecast_has_the_runs_by_their_start_a_page_or_a_dag_at_a_time(stored: Client) -> None:
    found = stored.own("/forecast")
    assert [run["run_id"] for run in found["runs"]] == ["o1", "s1", "r1"]
    assert (found["at"], found["samples"], found["total_entries"]) == (iso(NOW - MINUTE), 50, 3)
    assert found["runs"][0] == {
        "dag_id": "orders",
        "run_id": "o1",
        "run_type": "scheduled",
        "run_after": iso(NOW - 5 * MINUTE),
        "start_p50": iso(NOW - 5 * MINUTE),
        "end_p50": iso(NOW + 20 * MINUTE),
        "end_p90": iso(NOW + 30 * MINUTE),
        "failed_share": 0.0,
    }
    page = stored.own("/forecast?limit=1&offset=1")
    assert ([run["run_id"] for run in page["runs"]], page["total_entries"]) == (["s1"], 3)
    page = stored.own("/forecast?dag_id=report&dag_id=orders")
    assert ([run["run_id"] for run in page["runs"]], page["total_entries"]) == (["o1", "r1"], 2)


def test_without_a_forecast_the_refusal_says_what_makes_one(api: Client) -> None:
    detail = api.own("/forecast", 404)["detail"]
    assert "baseline" in detail and "[forecast] always = true" in detail
    assert api.own("/baselines") == {"baselines": [], "faults": []}


def test_a_prediction_that_no_monitor_renews_is_called_old(stored: Client, deployment: Deployment) -> None:
    fresh = {each["name"]: each["is_stale"] for each in stored.own("/baselines")["baselines"]}
    assert not any(fresh.values())
    deployment.clock.advance(FRESH_LEAST_S + 1)
    old = {each["name"]: each for each in stored.own("/baselines")["baselines"]}
    assert all(each["is_stale"] for each in old.values())
    sentences = [each["sentence"]["text"] for each in old.values() if each["level"] is not None]
    assert sentences
    for sentence in sentences:
        assert sentence.startswith("the newest prediction is of ") and "no monitor judges baselines now" in sentence
        assert "it said: baseline" in sentence


def test_a_newer_forecast_is_seen_at_once(stored: Client, deployment: Deployment) -> None:
    assert stored.own("/forecast")["total_entries"] == 3
    with deployment.db.write() as tx:
        put_forecast(tx, NOW + MINUTE, RUNS[:1])
    assert stored.own("/forecast")["total_entries"] == 1


def test_the_list_of_dags_has_the_predicted_end_of_a_running_run(api: Client, deployment: Deployment) -> None:
    deployment.add(spec_of("report", {"long": ()}), spec_of("orders"))
    deployment.plays["long"] = Play(run_s=7_200.0)
    deployment.start()
    for dag_id in ("report", "orders"):
        api.send("POST", f"/dags/{dag_id}/dagRuns", {"logical_date": None, "dag_run_id": "r"})
    deployment.move(30)
    now = deployment.clock.now()
    with deployment.db.write() as tx:
        put_forecast(tx, now, (("report", "r", -3, 20), ("report", "later", 10, 30), ("orders", "r", -3, 9)))
    ends = {dag["dag_id"]: dag["predicted_end"] for dag in api.own("/dags")["dags"]}
    assert ends == {"orders": None, "report": iso(now + 20 * MINUTE)}


@pytest.fixture
def site(deployment: Deployment) -> Iterator[AccountSite]:
    """The same with two accounts: `reader` sees orders, report and team, and not team.secret."""
    _fill(deployment)
    root = Author("cli:root", NOW)
    with deployment.db.write() as tx:
        account_changes.create_account(tx, root, "reader", Role.NONE, None)
        for dag_id in ("orders", "report", "team"):
            account_changes.add_grant(tx, root, "reader", Grant(GrantKind.DAG, dag_id, Role.VIEWER))
        account_changes.create_account(tx, root, "viewer", Role.VIEWER, None)
    reader = HealthReader(deployment.home.cfg, deployment.clock)
    context = create_context(deployment.home.cfg, deployment.clock, "127.0.0.1", reader.read_health)
    with serve_accounts(AccountSite, context, ("reader", "viewer")) as site:
        yield site
    reader.close()


def _names(found: Any) -> list[str]:
    return [each["name"] for each in found["baselines"]]


def test_an_account_sees_the_baselines_of_its_dags_without_hidden_ones_in_key_path_and_forecast(
    site: AccountSite,
) -> None:
    assert _names(site.get("viewer", f"{OWN}/baselines")) == ["morning", "idle", "closed"]
    listed = site.get("reader", f"{OWN}/baselines")
    assert (_names(listed), listed["faults"]) == (["morning", "idle"], [])
    reply = site.request("reader", "GET", f"{OWN}/baselines/closed")
    assert (reply.status, b"closed, " in reply.body) == (404, False)
    shown = site.get("reader", f"{OWN}/baselines/morning")
    hidden = shown["key_path"][1]
    assert (hidden["dag_id"], hidden["run_id"], hidden["task"], hidden["task_id"]) == (HIDDEN, None, None, None)
    assert [step["dag_id"] for step in shown["key_path"]] == ["orders", HIDDEN, "report"]
    forecast = site.get("reader", f"{OWN}/forecast")
    assert ([run["dag_id"] for run in forecast["runs"]], forecast["total_entries"]) == (["orders", "report"], 2)
    assert "secret" not in str(forecast) + str(shown) + str(listed)


def test_a_baseline_over_a_dag_whose_runs_cannot_be_planned_says_why(api: Client, deployment: Deployment) -> None:
    deployment.add(spec_of("report", timetable=HOURLY))
    write_baselines(deployment.home.cfg.home, morning='of = ["report"]\nby = "11:00"')
    with deployment.db.write() as tx:
        row = dags.find_dag_row(tx, "report")
        assert row is not None
        dag_edges.set_dependency_errors(tx, {row.dag_pk: "it waits for itself"})
    (morning,) = api.own("/baselines")["baselines"]
    assert morning["sentence"]["text"].endswith("no run of DAG report is planned: it waits for itself")
