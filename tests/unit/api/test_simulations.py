"""`/api/gnomon/v1/simulations`: what a scenario does to the coming day, who may ask, and what is refused."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace
from tests.stored_baselines import write_baselines
from tests.unit.api.account_site import AccountSite, serve_accounts
from tests.unit.api.served import Client, served
from tests.unit.entry.cli.deployment import HOURLY, NOW, Deployment, spec_of

from gnomon.api.access.choose_policy import create_context
from gnomon.api.access.hidden_names import HIDDEN
from gnomon.api.access.open_access import OpenAccess
from gnomon.api.context import ApiContext
from gnomon.api.health import HealthSnapshot
from gnomon.api.health_reader import HealthReader
from gnomon.api.own.simulations import LOST_S
from gnomon.entry.projection.simulation import Scenario
from gnomon.entry.projection.simulation import simulate as simulate_files
from gnomon.entry.projection.what_if.simulation_main import run_job
from gnomon.entry.simulate.year_simulation import SETTINGS
from gnomon.model.accounts import Author, Grant, GrantKind, Role
from gnomon.model.instants import iso
from gnomon.model.sentences import render
from gnomon.model.spec import TaskSpec
from gnomon.model.upstream_edges import DependencySpec
from gnomon.queries.accounts import account_changes
from gnomon.services.dagfiles.dependency_check import DependencyChecker
from gnomon.storage.store.admin import pools

OWN = "/api/gnomon/v1/simulations"
HOUR = 3_600_000_000


class ComputedAtOnce:
    """A process that has ended when it was started: the same code in this one, under the clock of the deployment."""

    def __init__(self, deployment: Deployment, simulation_id: str) -> None:
        reader, writer = os.pipe()
        try:
            run_job(deployment.home.cfg, deployment.db, deployment.clock, simulation_id, reader)
        finally:
            os.close(reader)
            os.close(writer)

    def wait(self) -> int:
        return 0

    def read_errors(self) -> str:
        return ""

    def kill(self) -> None:
        pass

    def close(self) -> None:
        pass


class Endless(ComputedAtOnce):
    """A process that computes until it is killed."""

    def __init__(self) -> None:
        self.killed = threading.Event()

    def wait(self) -> int:
        self.killed.wait()
        return -9

    def kill(self) -> None:
        self.killed.set()


def _create_context(deployment: Deployment) -> ApiContext:
    home = deployment.home
    return ApiContext(
        home.cfg, home.clock, OpenAccess(), lambda: HealthSnapshot(NOW, ()), lambda s: home.sleep(s), deployment.db
    )


def _put_in_pool(task: TaskSpec) -> TaskSpec:
    return replace(task, pool="etl")


def _fill(deployment: Deployment) -> None:
    """`orders` each hour, `report` after it, `early.other` before both; all in one pool, and paused `old`."""
    tasks = {"load": (), "check": ("load",)}
    specs = [
        spec_of("orders", tasks, timetable=HOURLY),
        spec_of("report", tasks, timetable=HOURLY, depends_on=(DependencySpec(dag_id="orders"),)),
        spec_of("early.other", tasks, timetable=HOURLY),
    ]
    deployment.add(*(replace(spec, tasks=tuple(map(_put_in_pool, spec.tasks))) for spec in specs[:2]))
    first = tuple(replace(_put_in_pool(task), effective_priority=10) for task in specs[2].tasks)
    deployment.add(replace(specs[2], tasks=first), file="/dags/other.py")
    deployment.add(spec_of("old", timetable=HOURLY), paused=True, file="/dags/old.py")
    with deployment.db.write() as tx:
        pools.set_pool(tx, "etl", 4)


@pytest.fixture
def api(deployment: Deployment) -> Iterator[Client]:
    """A server that computes each simulation at once."""
    _fill(deployment)
    context = _create_context(deployment)
    context.start_simulation = lambda simulation_id: ComputedAtOnce(deployment, simulation_id)
    with served(context) as client:
        yield client


def simulate(api: Client, status: int = 202, samples: int = 2, **scenario: object) -> Any:
    reply = api.request("POST", OWN, {"scenario": {"for": "3h", **scenario}, "samples": samples})
    assert reply.status == status, reply
    return reply.json()


def answer_of(api: Client, **scenario: object) -> Any:
    job = simulate(api, **scenario)
    assert (job["state"], job["error"]) == ("done", None), job
    return job["answer"]


def changes_of(answer: Any) -> dict[str, set[str]]:
    changes: dict[str, set[str]] = {}
    for run in answer["runs"]:
        changes.setdefault(run["dag_id"], set()).add(run["change"])
    return changes


def test_a_task_that_takes_longer_moves_the_end_of_what_waits_for_it(api: Client) -> None:
    job = simulate(api, set={"orders.load": "+900%"})
    answer = job["answer"]
    assert changes_of(answer) == {"orders": {"ends later"}, "report": {"ends later"}, "early.other": {""}}
    first = next(run for run in answer["runs"] if run["dag_id"] == "report")
    assert first["shift"] == 540.0 and "orders.load takes longer: 10 min instead of 1 min" in first["reasons"][0]
    assert first["after"]["end_p50"] > first["before"]["end_p50"]
    assert (job["samples_done"], job["samples"], job["seconds"], answer["samples"]) == (2, 2, 0.0, 2)
    assert (answer["at"], answer["until"]) == (iso(NOW), iso(NOW + 3 * HOUR))
    assert any("fewer than three successful tries" in text for text in answer["assumptions"])
    assert api.request("GET", f"{OWN}/{job['simulation_id']}").json() == job


def test_what_a_scenario_can_say_acts(api: Client) -> None:
    assert changes_of(answer_of(api, set={"orders": "20m..30m"}))["orders"] == {"ends later"}
    assert changes_of(answer_of(api, delay={"orders": "10m"}))["report"] == {"ends later"}
    assert changes_of(answer_of(api, pool={"etl": 1}))["orders"] == {"ends later"}
    assert "ends later" in changes_of(answer_of(api, parallelism=1))["orders"]
    failing = answer_of(api, fail=["orders.load"])
    assert changes_of(failing)["orders"] == {"other state"}
    assert failing["runs"][0]["after"]["failed_share"] == 1.0
    moved = answer_of(api, schedule={"early.other": "30 * * * *"})
    assert changes_of(moved)["early.other"] == {"moves"}
    assert any("the schedule of DAG early.other is" in note for note in moved["notes"])
    assert changes_of(answer_of(api, freeze=["early.other"]))["early.other"] == {"vanishes"}
    longer = answer_of(api, assume="5m", set={"report.check": "5m"})
    assert changes_of(longer) == {"orders": {""}, "report": {""}, "early.other": {""}}
    later = answer_of(api, **{"from": iso(NOW + HOUR), "for": "1h"}, set={"orders": "9m"})
    assert {run["after"]["run_after"] for run in later["runs"]} == {iso(NOW + HOUR)}


def test_pools_have_their_load_in_both_worlds(api: Client) -> None:
    (pool,) = answer_of(api, pool={"etl": 1})["pools"]
    assert (pool["pool"], pool["slots_before"], pool["slots_after"]) == ("etl", 4, 1)
    assert max(span["taken"] for span in pool["load_before"]) == 2
    assert not any(span["waiting"] for span in pool["load_before"])
    assert max(span["waiting"] for span in pool["load_after"]) == 1


def test_baselines_and_expectations_are_judged_in_both_worlds(api: Client, deployment: Deployment) -> None:
    write_baselines(deployment.home.cfg.home, morning='of = ["report"]\nby = "11:30"')
    answer = answer_of(api, set={"orders": "2h"}, expect=["report ends before 10:30"])
    (baseline,) = answer["baselines"]
    assert (baseline["name"], baseline["level_before"], baseline["level_after"]) == (
        "morning",
        "safe",
        "certain_breach",
    )
    assert (baseline["breach_before"], baseline["breach_after"]) == (0.0, 1.0)
    (expectation,) = answer["expectations"]
    assert expectation["broken_after"] == 1.0 and "report ends before 10:30" in expectation["why"]


def test_changes_of_a_paused_dag_and_broken_files_are_told(api: Client) -> None:
    notes = answer_of(api, set={"old": "1h"})["notes"]
    assert any("DAG old is paused" in note for note in notes)


@pytest.mark.parametrize(
    ("scenario", "message"),
    [
        ({"set": {"invoices.load": "1h"}}, "scenario.set.invoices.load names 'invoices.load', which is no DAG and no task"),
        ({"freeze": ["invoices"]}, "scenario.freeze[0] names 'invoices', which is no DAG"),
        ({"pool": {"elt": 1}}, "scenario.pool.elt names the pool 'elt', which is no known pool; the pools are default_pool, etl"),
        ({"length": {"orders.load": 3}}, "no task is mapped over what it returns"),
        ({"set": {"orders.load": "soon"}}, "scenario.set.orders.load 'soon' is not DAG.TASK=SPAN"),
        ({"schedule": {"orders": "at dawn"}}, "scenario.schedule.orders gives DAG 'orders' a schedule that cannot be read"),
        ({"expect": ["orders is nice"]}, "scenario.expect[0] 'orders is nice' is not 'report ends before 07:00'"),
        ({"expect": ["invoices ends before 07:00"]}, "scenario.expect[0] names 'invoices'"),
        ({"set": {"orders.load": "1h", "orders.load.duration": "2h"}}, "'orders.load' is changed twice"),
        ({"freeze": ["orders"], "set": {"orders": "1h"}}, "scenario.set.orders is about DAG orders, which scenario.freeze[0] leaves out"),
        ({"sets": {}}, "scenario: 'sets' is no key of a scenario"),
        ({"dags": "/etc"}, "scenario.dags is about a folder of DAG files"),
        ({"set": "1h"}, "scenario.set takes a table"),
        ({"fail": "orders"}, "scenario.fail takes a list"),
        ({"for": "36500d", "fail": ["orders"]}, "scenario.for '36500d' is not a span above zero and of at most 10 years"),
        ({"for": "32d", "fail": ["orders"]}, "scenario.for makes the simulation end at"),
        ({"from": "2001-01-01", "fail": ["orders"]}, "scenario.from is 2001-01-01"),
        ({"fail": ["orders"] * 1_001}, "scenario.fail[1000] is one change too many"),
        ({"assume": "2m"}, "the scenario changes nothing"),
        ({"set": {"\x00": "1h"}}, "scenario.set."),
        ({"set": {"a": {"b": {"c": "1h"}}}}, "scenario.set.a.b.c names 'a.b.c'"),
    ],
)  # fmt: skip
def test_a_scenario_that_cannot_be_is_refused_with_the_place(api: Client, scenario: Any, message: str) -> None:
    reply = api.request("POST", OWN, {"scenario": scenario})
    assert reply.status == 400, reply
    assert message in reply.json()["detail"]


def test_a_body_of_another_shape_is_refused(api: Client) -> None:
    for body in ({}, {"scenario": []}, {"scenario": {}, "samples": 0}, {"scenario": {}, "colour": 1}):
        assert api.request("POST", OWN, body).status == 422


def test_too_many_runs_and_circles_end_with_a_sentence(api: Client) -> None:
    job = simulate(api, **{"for": "30d"}, schedule={"orders": "* * * * * *"})
    assert job["state"] == "failed" and "of them of DAG orders, and 200,000 are the most" in job["error"]


def test_a_circle_of_waits_is_one_sentence_which_a_simulation_of_files_says_too(
    api: Client, deployment: Deployment
) -> None:
    specs = [
        spec_of(dag_id, timetable=HOURLY, depends_on=(DependencySpec(dag_id=other),))
        for dag_id, other in (("egg", "hen"), ("hen", "egg"))
    ]
    deployment.add(*specs, file="/dags/circle.py")
    DependencyChecker(deployment.db, deployment.clock).update_errors()
    job = simulate(api, set={"orders": "1h"})
    (shown,) = (text for text in job["answer"]["assumptions"] if "cycle" in text)
    assert shown.startswith("no run of DAG egg is planned: DAG 'egg' is in a cycle") and "egg -> hen -> egg" in shown
    assert "remove one of these dependencies" in shown
    scenario = Scenario([(spec, "circle.py") for spec in specs], NOW, NOW + HOUR, SETTINGS, 16)
    assert [text for text in map(render, simulate_files(scenario).assumptions) if "cycle" in text] == [shown]


def test_a_schedule_may_make_dependencies_possible_or_impossible(api: Client, deployment: Deployment) -> None:
    """As after an edit of the file."""
    waiting = spec_of("invoices", timetable=HOURLY, depends_on=(DependencySpec(dag_id="never"),))
    deployment.add(waiting, spec_of("never"), file="/dags/invoices.py")
    DependencyChecker(deployment.db, deployment.clock).update_errors()
    why = "no run of DAG invoices is planned"
    job = simulate(api, set={"orders": "1h"})
    assert sum(why in text for text in job["answer"]["assumptions"]) == 1
    runs = simulate(api, schedule={"never": "0 * * * *"})["answer"]["runs"]
    assert any((run["dag_id"], run["change"]) == ("invoices", "appears") for run in runs)


def test_an_unknown_simulation_is_a_404(api: Client) -> None:
    assert "there is no simulation 'x'" in api.own("/simulations/x", 404)["detail"]
    assert api.request("DELETE", f"{OWN}/x").status == 404


def test_a_simulation_that_runs_can_be_cancelled_and_more_than_may_run_are_refused(deployment: Deployment) -> None:
    _fill(deployment)
    context = _create_context(deployment)
    processes: dict[str, Endless] = {}
    context.start_simulation = lambda simulation_id: processes.setdefault(simulation_id, Endless())
    with served(context) as client:
        first, second = (simulate(client, set={"orders": "1h"}) for _ in range(2))
        assert (first["state"], first["answer"], context.simulation_count) == ("running", None, 2)
        refused = simulate(client, 429, set={"orders": "1h"})
        assert refused["detail"].startswith("2 simulations are computed already")
        cancelled = client.request("DELETE", f"{OWN}/{first['simulation_id']}").json()
        assert cancelled["state"] == "cancelled" and processes[first["simulation_id"]].killed.is_set()
        third = simulate(client, set={"orders": "1h"})
        deployment.clock.advance(LOST_S + 1)
        lost = client.own(f"/simulations/{second['simulation_id']}")
        assert (lost["state"], "the api-server that had this simulation computed has ended" in lost["error"]) == (
            "failed",
            True,
        )
        context.simulations.close(5.0)
        assert processes[third["simulation_id"]].killed.is_set()
        assert client.own(f"/simulations/{third['simulation_id']}")["state"] == "failed"


def test_a_process_that_ends_without_an_answer_is_told(deployment: Deployment) -> None:
    _fill(deployment)
    context = _create_context(deployment)

    class Broken(ComputedAtOnce):
        def __init__(self) -> None:
            pass

        def wait(self) -> int:
            return 1

        def read_errors(self) -> str:
            return "Traceback\nKeyError: 3"

    context.start_simulation = lambda _simulation_id: Broken()
    with served(context) as client:
        job = simulate(client, set={"orders": "1h"})
        ends_at = time.monotonic() + 60
        while context.simulations.count and time.monotonic() < ends_at:
            time.sleep(0.01)
        found = client.own(f"/simulations/{job['simulation_id']}")
    assert found["state"] == "failed" and "KeyError: 3" in found["error"]


def test_old_simulations_are_deleted_when_another_begins(api: Client, deployment: Deployment) -> None:
    first = simulate(api, set={"orders": "1h"})
    deployment.clock.advance(25 * 3600)
    simulate(api, set={"orders": "1h"})
    assert api.request("GET", f"{OWN}/{first['simulation_id']}").status == 404


@pytest.fixture
def site(deployment: Deployment) -> Iterator[AccountSite]:
    """Accounts: `user` and `other` may run everything, `viewer` only reads, `some` may run report and orders and sees nothing else."""
    _fill(deployment)
    root = Author("cli:root", NOW)
    with deployment.db.write() as tx:
        for name, role in (("user", Role.USER), ("other", Role.USER), ("viewer", Role.VIEWER), ("some", Role.NONE)):
            account_changes.create_account(tx, root, name, role, None)
        for dag_id in ("report", "orders"):
            account_changes.add_grant(tx, root, "some", Grant(GrantKind.DAG, dag_id, Role.USER))
    home = deployment.home
    context = create_context(home.cfg, home.clock, "127.0.0.1", HealthReader(home.cfg, home.clock).read_health)
    context.start_simulation = lambda simulation_id: ComputedAtOnce(deployment, simulation_id)
    with serve_accounts(AccountSite, context, ("user", "other", "viewer", "some")) as site:
        yield site


def test_who_may_run_dags_may_simulate_and_reads_his_own_alone(site: AccountSite) -> None:
    body = {"scenario": {"for": "3h", "pool": {"etl": 1}}, "samples": 1}
    assert site.request(None, "POST", OWN, body).status == 401
    assert site.request("viewer", "POST", OWN, body).status == 403
    job = site.request("user", "POST", OWN, body).json()
    assert len({run["dag_id"] for run in job["answer"]["runs"]}) == 3
    path = f"{OWN}/{job['simulation_id']}"
    assert site.get("user", path) == job
    for account in ("other", "some"):
        assert site.request(account, "GET", path).status == site.request(account, "DELETE", path).status == 404


def test_an_account_sees_only_its_dags(site: AccountSite) -> None:
    hidden = site.request("some", "POST", OWN, {"scenario": {"set": {"early.other.load": "1h"}}})
    assert hidden.status == 400 and "which is no DAG and no task of a DAG" in hidden.json()["detail"]
    job = site.request("some", "POST", OWN, {"scenario": {"for": "3h", "pool": {"etl": 1}}, "samples": 1}).json()
    answer = job["answer"]
    assert {run["dag_id"] for run in answer["runs"]} == {"orders", "report"} and answer["pools"] == []
    reasons = [reason for run in answer["runs"] for reason in run["reasons"]]
    assert any(HIDDEN in reason for reason in reasons), reasons
    assert "early" not in str(answer)
