"""`/api/gnomon/v1`: what deferred tasks wait for, the limits with their users, and the options with their sources."""

from __future__ import annotations

import importlib.metadata

import pytest
from tests.unit.api.served import Client, served
from tests.unit.api.test_own_installation import OneDag
from tests.unit.entry.cli.deployment import NOW, Deployment, spec_of

from gnomon.api.context import ApiContext
from gnomon.api.health import HealthSnapshot
from gnomon.model.deferral import Deferral
from gnomon.model.hitl import HITLRequest
from gnomon.model.instants import SECOND
from gnomon.model.records import EventRecord
from gnomon.model.sentences import quote, render
from gnomon.model.spec import TaskSpec
from gnomon.queries.report.activity import current_work, limit_use
from gnomon.queries.report.explanations import run_explanation
from gnomon.queries.report.explanations.engine_state_reading import build_limits
from gnomon.storage.store.dag_records import dag_runs, dags
from gnomon.storage.store.dag_records.event_log import log_event
from gnomon.storage.store.trigger_queue import triggerer_leases
from gnomon.testing import Play


def _trigger(api: Client, dag_id: str, run_id: str) -> None:
    api.send("POST", f"/dags/{dag_id}/dagRuns", {"logical_date": None, "dag_run_id": run_id})


@pytest.fixture
def deferred(api: Client, deployment: Deployment) -> Client:
    """Task `file` of DAG down waits for a trigger, `timer` for a time, `ask` for a person; a task of DAG up for a trigger."""
    deployment.add(spec_of("down", {"file": (), "timer": (), "ask": ()}), spec_of("up", {"other": ()}))
    wait = Deferral(
        classpath="x.FileTrigger",
        kwargs='{"path": "/data", "password": "very secret"}',
        next_method="done",
        timeout_s=60.0,
        queue="far",
    )
    deployment.plays["file"] = deployment.plays["other"] = Play(outcome="deferred", wait=wait)
    deployment.plays["timer"] = Play(
        outcome="deferred", wait=Deferral(classpath="x.Timer", next_method="done", due_at=NOW + 3600 * SECOND)
    )
    question = HITLRequest(subject="Deploy?", options=("yes",))
    deployment.plays["ask"] = Play(
        outcome="awaiting_input", wait=Deferral(classpath="TaskAwaitingInput", next_method="done", hitl=question)
    )
    deployment.start()
    for dag_id in ("down", "up"):
        _trigger(api, dag_id, "r")
    deployment.move()
    with deployment.db.write() as tx:
        triggerer_leases.register_triggerer(tx, "t1", "here", 10)
        triggerer_leases.beat_triggerer(
            tx,
            "t1",
            {
                "triggers.succeeded": 3,
                "triggers.blocked_main_thread": 2,
                "triggers.blocked_main_thread.x.Slow": 2,
                "triggers.blocked_now.x.Slow": 1,
            },
        )
        for dag_id in ("down", "up"):
            dag, run = dags.find_dag_row(tx, dag_id), dag_runs.find_stored_run(tx, dag_id, "r")
            assert dag is not None and run is not None
            log_event(
                tx,
                EventRecord(
                    NOW,
                    "trigger_blocked",
                    dag.dag_pk,
                    run.run_pk,
                    by="triggerer",
                    body=f"x.{dag_id} blocked the event loop:\nline 3",
                ),
            )
    return api


def test_a_deferred_task_is_listed_with_its_trigger_and_masked_arguments(deferred: Client) -> None:
    found = deferred.own("/triggers?dag_id=down")
    waits = {one["task_id"]: one for one in found["waits"]}
    assert {task_id: one["kind"] for task_id, one in waits.items()} == {
        "file": "trigger",
        "timer": "timer",
        "ask": "question",
    }
    file = waits["file"]
    assert (file["classpath"], file["queue"], file["triggerer"], file["is_over"]) == (
        "x.FileTrigger",
        "far",
        None,
        False,
    )
    assert file["arguments"] == '{"path": "/data", "password": "***"}'
    assert (file["timeout_at"] is not None, waits["timer"]["due_at"], waits["ask"]["due_at"]) == (
        True,
        "2026-03-01T10:00:00Z",
        None,
    )
    (triggerer,) = found["triggerers"]
    assert (
        triggerer["alive"],
        triggerer["capacity"],
        triggerer["succeeded"],
        triggerer["blocks_by_class"],
        triggerer["blocked_now"],
    ) == (True, 10, 3, {"x.Slow": 2}, ["x.Slow"])
    (fault,) = found["faults"]
    assert (fault["classpath"], fault["dag_id"], fault["run_id"], fault["text"]) == (
        "x.down",
        "down",
        "r",
        "blocked the event loop:\nline 3",
    )


def test_the_deferred_tasks_are_read_page_by_page(deferred: Client) -> None:
    first = deferred.own("/triggers?limit=3")
    rest = deferred.own(f"/triggers?limit=3&after={first['next']}")
    assert (len(first["waits"]), len(rest["waits"]), rest["next"]) == (3, 1, None)
    deferred.own("/triggers?limit=0", 422)
    deferred.own("/triggers?dag_id=down_", 404)


def test_nothing_of_a_hidden_dag_is_told(deferred: Client, deployment: Deployment) -> None:
    home = deployment.home
    context = ApiContext(
        home.cfg,
        home.clock,
        OneDag(),
        lambda: HealthSnapshot(NOW, (), problems=(quote("DAG up is not planned"),)),
        lambda seconds: None,
        deployment.db,
    )
    with served(context) as guest:
        found = guest.own("/triggers")
        assert {one["dag_id"] for one in (*found["waits"], *found["faults"])} == {"down"}
        assert found["triggerers"] == []
        assert guest.own("/triggers?dag_id=up")["waits"] == guest.own("/triggers?dag_id=nothing")["waits"] == []
        limits = guest.own("/limits")
        assert {one["dag_id"] for one in limits["limits"]} == {"down"}
        assert (limits["live_attempts"], limits["workers"][0]["used"], limits["workers"][0]["host"]) == (None, None, "")
        assert guest.own("/services")["problems"] == []


def test_limits_of_hidden_dags_take_no_place_in_the_list(
    deferred: Client, deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limit_use, "LISTED_MAX", 1)
    for dag_id in ("down", "up"):
        with deployment.db.read() as tx:
            found = limit_use.read_limit_use(
                tx, build_limits(deployment.home.cfg), NOW, lambda one, dag_id=dag_id: one == dag_id
            )  # type: ignore[misc]
        assert [use.dag_id for use in found.limits] == [dag_id]


def test_only_the_waits_that_are_listed_are_explained(
    api: Client, deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that were queued first, with the reasons that all would have."""
    deployment.plays["t"] = Play(run_s=1e6)
    deployment.add(spec_of("narrow", {"t": ()}, max_active_runs=1))
    deployment.start()
    for number in range(4):
        _trigger(api, "narrow", f"r{number}")
        deployment.move(1)
    deployment.move(5)

    def read() -> list[tuple[str, list[str]]]:
        with deployment.db.read() as tx:
            found = current_work.read_current_work(
                tx, build_limits(deployment.home.cfg), deployment.clock.now(), current_work.DagFacts()
            )
        return [(one.run_id, list(map(render, one.reasons))) for one in found.waiting]

    every = read()
    assert [run_id for run_id, _ in every] == ["r1", "r2", "r3"]
    assert all("max_active_runs=1" in reasons[0] for _, reasons in every)
    monkeypatch.setattr(current_work, "_LISTED_MAX", 2)
    explained: list[int] = []
    of_run = run_explanation.list_waits
    monkeypatch.setattr(
        run_explanation,
        "list_waits",
        lambda state, run_pk, *given, **named: explained.append(run_pk) or of_run(state, run_pk, *given, **named),
    )
    assert read() == every[:2]
    assert len(explained) <= 3, "the running one and two that wait"


def test_runs_of_hidden_dags_take_no_place_in_the_current_work(
    api: Client, deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(current_work, "RUNS_MAX", 1)
    deployment.add(spec_of("a"), spec_of("b"))
    for dag_id in ("a", "b"):
        api.send("POST", f"/dags/{dag_id}/dagRuns", {"logical_date": None})
    for dag_id in ("a", "b"):
        with deployment.db.read() as tx:
            found = current_work.read_current_work(
                tx, build_limits(deployment.home.cfg), NOW, current_work.DagFacts(), dag_ids={dag_id}
            )
        assert [run.dag_id for run in found.waiting] == [dag_id]


def test_a_limit_names_who_holds_it_and_who_waits(api: Client, deployment: Deployment) -> None:
    tasks = (TaskSpec(task_id="a", max_active_tis_per_dag=1), TaskSpec(task_id="b"))
    deployment.add(spec_of("narrow", tasks=tasks, max_active_runs=2, max_active_tasks=1))
    deployment.plays["a"] = deployment.plays["b"] = Play(run_s=1e6)
    deployment.start()
    for run_id in ("r0", "r1", "r2"):
        _trigger(api, "narrow", run_id)
    deployment.move()
    found = api.own("/limits")
    by_name = {(one["name"], one["run_id"]): one for one in found["limits"]}
    runs = by_name["max_active_runs=2", None]
    assert (
        [one["run_id"] for one in runs["holders"]],
        [one["run_id"] for one in runs["waiters"]],
        runs["waiting"],
    ) == (["r0", "r1"], ["r2"], 1)
    task = by_name["max_active_tis_per_dag=1 of task a", None]
    assert (task["used"], [(one["run_id"], one["task_id"]) for one in task["holders"]], task["waiting"]) == (
        1,
        [("r0", "a")],
        1,
    )
    of_run = by_name["max_active_tasks=1 of the run", "r0"]
    assert ([one["task_id"] for one in of_run["holders"]], [one["task_id"] for one in of_run["waiters"]]) == (
        ["a"],
        ["b"],
    )
    assert found["limits"][0]["waiting"] > 0
    (worker,) = found["workers"]
    assert worker["host"]
    assert (worker["worker"], worker["used"], found["live_attempts"], found["complete"]) == ("worker-1", 2, 2, True)


def test_without_accounts_everybody_may_do_everything_and_has_no_password(api: Client) -> None:
    me = api.request("GET", "/auth/me").json()
    assert (me["account"], me["has_accounts"], me["has_password"], "delete account" in me["may"]) == (
        "anonymous",
        False,
        False,
        True,
    )
    assert api.request("GET", "/auth/tokens").json()["detail"] == "there are no accounts: [api] auth is none"
    assert api.request("GET", "/auth/me", None, {"Origin": "https://evil.example"}).status == 403


def test_an_option_has_its_value_its_default_and_its_source(api: Client) -> None:
    options = {(one["section"], one["name"]): one for one in api.own("/options")["options"]}
    database = options["database", "sql_alchemy_conn"]
    assert database["source"] == "GNOMON__DATABASE__SQL_ALCHEMY_CONN"
    assert options["core", "parallelism"]["source"] == "default"
    assert options["core", "parallelism"]["value"] == options["core", "parallelism"]["default"]
    assert any(not one["acts"] and one["description"] for one in options.values())


def test_services_have_their_groups_figures_and_parts(api: Client, deployment: Deployment) -> None:
    deployment.writes_figures = True
    deployment.start()
    found = api.own("/services")
    scheduler = next(one for one in found["services"] if one["service"] == "scheduler")
    assert scheduler["groups"] == 64
    assert scheduler["version"] == importlib.metadata.version("gnomon")
    assert scheduler["figures"]["gnomon_process_resident_memory_bytes"] > 0
    assert (found["parts"], found["problems"]) == ([], [])
