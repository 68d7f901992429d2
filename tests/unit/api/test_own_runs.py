"""What `/api/gnomon/v1` tells of one run: conditions, tasks, logs by ranges."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest
from tests.unit.api.served import Client
from tests.unit.entry.cli.deployment import HOURLY, Deployment, spec_of

from gnomon.api.access.hidden_names import HIDDEN
from gnomon.api.own.explanations import build_condition
from gnomon.model.attempts import build_attempt_log_path
from gnomon.model.deferral import Deferral
from gnomon.model.hitl import HITLRequest
from gnomon.model.sentences import say
from gnomon.model.spec import TaskSpec
from gnomon.model.upstream_edges import DependencySpec
from gnomon.model.wait_conditions import ReleaseAct, ReleaseTarget, WaitCondition
from gnomon.storage.store.admin import pools
from gnomon.testing import Play

RUN = "/dags/a/dagRuns/r"
LOG = f"{RUN}/taskInstances/first/logs/1"


@pytest.fixture
def starved(api: Client, deployment: Deployment) -> Client:
    """DAG a: `first` needs a slot of a pool without slots, `last` waits for it."""
    tasks = (TaskSpec(task_id="first", pool="small"), TaskSpec(task_id="last", upstream=("first",)))
    deployment.add(spec_of("a", tasks=tasks))
    with deployment.db.write() as tx:
        pools.set_pool(tx, "small", 0)
    deployment.start()
    api.send("POST", "/dags/a/dagRuns", {"logical_date": None, "dag_run_id": "r"})
    deployment.move()
    return api


def flatten(conditions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [one for condition in conditions for one in (condition, *flatten(condition["children"]))]


def unmet(client: Client, path: str) -> list[dict[str, Any]]:
    answer = client.own(f"{path}/explain")
    return [one for one in flatten(answer["conditions"]) if not one["met"]]


def test_a_task_without_a_slot_has_the_pool_as_its_condition_and_the_act_that_releases_it(
    starved: Client, deployment: Deployment
) -> None:
    (pool,) = unmet(starved, f"{RUN}/taskInstances/first")
    assert (pool["kind"], pool["release"]["act"], pool["release"]["pool"], pool["release"]["slots"]) == (
        "pool_size",
        "set_pool",
        "small",
        1,
    )
    assert pool["text"] in starved.own(f"{RUN}/taskInstances/first/explain")["sentences"]
    starved.send("PATCH", "/pools/small?update_mask=slots", {"slots": pool["release"]["slots"]})
    deployment.move(30)
    assert starved.own(f"{RUN}/taskInstances/first/explain")["state"] == "success"


def test_a_task_behind_another_has_its_conditions_below_the_trigger_rule(starved: Client) -> None:
    kinds = [one["kind"] for one in unmet(starved, f"{RUN}/taskInstances/last")]
    assert kinds == ["trigger_rule", "upstream_task", "pool_size"]
    first, last = unmet(starved, RUN)
    assert (first["kind"], first["release"]["act"], last["kind"], last["release"]) == ("task", "set_pool", "task", None)


def test_a_pause_is_a_condition_of_the_dag_its_runs_and_its_tasks(starved: Client) -> None:
    starved.send("PATCH", "/dags/a", {"is_paused": True})
    for path in ("/dags/a", RUN, f"{RUN}/taskInstances/first"):
        paused = next(one for one in unmet(starved, path) if one["kind"] == "dag_active")
        assert (paused["release"]["act"], paused["release"]["dag_id"]) == ("unpause_dag", "a"), path


def test_a_queued_run_names_the_limit_that_holds_it(api: Client, deployment: Deployment) -> None:
    deployment.add(spec_of("a", max_active_runs=1))
    deployment.plays["only"] = Play(run_s=1e6)
    deployment.start()
    for run_id in ("r", "second"):
        api.send("POST", "/dags/a/dagRuns", {"logical_date": None, "dag_run_id": run_id})
    deployment.move()
    (limit,) = unmet(api, "/dags/a/dagRuns/second")
    assert (limit["kind"], limit["release"]["option"]) == ("max_active_runs", "max_active_runs")
    assert limit["since"] is not None
    (attempt,) = unmet(api, f"{RUN}/taskInstances/only")
    assert (attempt["kind"], attempt["release"]["act"]) == ("attempt", "mark_task")


def test_what_failed_is_a_condition_that_a_clear_releases(api: Client, deployment: Deployment) -> None:
    deployment.add(spec_of("a", {"first": (), "last": ("first",)}))
    deployment.plays["first"] = Play(outcome="failed")
    deployment.start()
    api.send("POST", "/dags/a/dagRuns", {"logical_date": None, "dag_run_id": "r"})
    deployment.move(30)
    run, task = unmet(api, RUN)
    assert (run["kind"], run["release"]["act"], task["release"]["act"], task["release"]["task_id"]) == (
        "outcome",
        "clear_run",
        "clear_task",
        "first",
    )
    outcome, cause = unmet(api, f"{RUN}/taskInstances/last")
    assert (outcome["kind"], cause["release"]["task_id"]) == ("outcome", "first")


def test_the_tasks_of_a_run_come_in_columns(starved: Client) -> None:
    found = starved.own(f"{RUN}/tasks")
    assert [(task["task_id"], task["pool"], task["counts"]) for task in found["tasks"]] == [
        ("first", "small", {"scheduled": 1}),
        ("last", "default_pool", {"none": 1}),
    ]
    assert [
        (found["tasks"][task]["task_id"], index, found["states"][state])
        for task, index, state, *_ in found["instances"]
    ] == [
        ("first", -1, "scheduled"),
        ("last", -1, None),
    ]
    assert found["total"] == 2


@pytest.fixture
def logged(api: Client, deployment: Deployment) -> Client:
    """DAG a with an ended task `first` whose log has 1,000 lines."""
    return _make_logged(api, deployment)


@pytest.fixture(scope="module")
def read_logged(read_api: Client, read_deployment: Deployment) -> Client:
    """The same for all tests that only read."""
    return _make_logged(read_api, read_deployment)


def _make_logged(api: Client, deployment: Deployment) -> Client:
    deployment.add(spec_of("a", {"first": ()}))
    deployment.start()
    api.send("POST", "/dags/a/dagRuns", {"logical_date": None, "dag_run_id": "r"})
    deployment.move(30)
    path = deployment.home.cfg.logs_folder / build_attempt_log_path("a", "r", "first", -1, 1)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"line {number}\n" for number in range(1000)))
    return api


def test_a_log_is_read_by_ranges_and_searched(read_logged: Client) -> None:
    tail = read_logged.own(f"{LOG}/lines?first=-2&count=10")
    assert ([line["text"] for line in tail["lines"]], tail["total"], tail["is_counted"], tail["is_over"]) == (
        ["line 998", "line 999"],
        1000,
        True,
        True,
    )
    assert [line["number"] for line in read_logged.own(f"{LOG}/lines?at=3&at=500")["lines"]] == [3, 500]
    assert read_logged.own(f"{LOG}/search?text=LINE%2099&first=500") == {
        "numbers": list(range(990, 1000)),
        "next_line": None,
    }
    reply = read_logged.request("GET", f"/api/gnomon/v1{LOG}/file")
    assert (reply.status, reply.body.count(b"\n"), reply.headers["content-disposition"]) == (
        200,
        1000,
        'attachment; filename="task.log"',
    )


def test_single_lines_of_a_log_have_a_bound_for_all_together(logged: Client, deployment: Deployment) -> None:
    """200 lines of a megabyte each would take a gigabyte for each request."""
    path = deployment.home.cfg.logs_folder / build_attempt_log_path("a", "r", "first", -1, 1)
    path.write_text("short\n" + "x" * 1_000_000 + "\nlast\n")
    lines = logged.own(f"{LOG}/lines?line_bytes=1000000&at=0&{'&'.join(['at=1'] * 199)}")["lines"]
    assert [(line["number"], len(line["text"])) for line in lines] == [
        (0, 5),
        (1, 1_000_000),
        (1, 1_000_000),
        (1, 1_000_000),
    ]
    assert [line["text"] for line in logged.own(f"{LOG}/lines?at=2&at=7&at=0")["lines"]] == ["last", "short"]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        (f"{LOG}/lines?count=1001", 422),
        (f"{LOG}/lines?line_bytes=1000001", 422),
        (f"{LOG}/search", 422),
        (f"{LOG}/search?text=x&level=loud", 422),
        (f"{LOG}/lines?source=7", 404),
        (f"{RUN}/taskInstances/first/logs/9/lines", 404),
        (f"{RUN}/taskInstances/nothing/logs/1/lines", 404),
        (f"{RUN}/taskInstances/first/logs/-1/lines", 422),
        ("/dags/~/dagRuns/r/taskInstances/first/logs/1/lines", 400),
        ("/dags/~/dagRuns/r/tasks", 400),
        ("/dags/a/dagRuns/x/tasks", 404),
        (f"{LOG}/lines?{'&'.join(['at=1'] * 201)}", 422),
    ],
)
def test_what_is_wrong_is_refused(read_logged: Client, path: str, status: int) -> None:
    assert read_logged.own(path, status)["detail"]


def test_a_deferred_task_shows_its_trigger_and_since_when(api: Client, deployment: Deployment) -> None:
    deployment.add(spec_of("a", {"asks": (), "waits": ()}))
    question = HITLRequest(subject="Deploy?", options=("yes",))
    deployment.plays["asks"] = Play(
        outcome="awaiting_input",
        wait=Deferral(classpath="TaskAwaitingInput", next_method="execute_complete", hitl=question),
    )
    deployment.plays["waits"] = Play(
        outcome="deferred",
        wait=Deferral(classpath="mine.Trigger", kwargs='{"password": "x"}', next_method="go_on", timeout_s=60.0),
    )
    deployment.start()
    api.send("POST", "/dags/a/dagRuns", {"logical_date": None, "dag_run_id": "r"})
    deployment.move()
    found = api.own(f"{RUN}/taskInstances/waits/deferral")
    assert (found["classpath"], found["kind"], found["next_method"], found["triggerer"]) == (
        "mine.Trigger",
        "trigger",
        "go_on",
        None,
    )
    assert "password" not in str(found)
    assert found["fails_at"] > found["since"]
    assert "no triggerer is alive" in found["notes"][0]
    (trigger, service) = unmet(api, f"{RUN}/taskInstances/waits")
    assert (trigger["kind"], service["release"]["service"]) == ("trigger", "triggerer")
    assert api.own(f"{RUN}/taskInstances/asks/deferral")["kind"] == "question"
    (answer,) = unmet(api, f"{RUN}/taskInstances/asks")
    assert answer["release"]["act"] == "answer"
    api.own("/dags/a/dagRuns/r/taskInstances/nothing/deferral", 404)


def test_a_run_that_waits_for_another_dag_has_its_slots_as_conditions(api: Client, deployment: Deployment) -> None:
    deployment.add(spec_of("billing", timetable=HOURLY), file="/dags/billing.py", paused=True)
    deployment.add(spec_of("report", timetable=HOURLY, depends_on=(DependencySpec(dag_id="billing"),)))
    deployment.start()
    deployment.move(600)
    run = next(run for run in api.get("/dags/report/dagRuns")["dag_runs"] if run["state"] == "queued")
    wait, slot = unmet(api, f"/dags/report/dagRuns/{quote(run['dag_run_id'], safe='')}")
    assert (wait["kind"], wait["release"]["act"], wait["release"]["upstream_dag_id"]) == (
        "upstream_dag",
        "release_run",
        "billing",
    )
    assert (slot["kind"], slot["release"]["act"], slot["release"]["dag_id"]) == (
        "upstream_slot",
        "unpause_dag",
        "billing",
    )
    assert wait["since"] is not None


def test_an_act_on_a_hidden_dag_is_not_told() -> None:
    inner = WaitCondition(
        "upstream_slot",
        False,
        say("dag_is_paused", dag="secret"),
        release=ReleaseTarget(ReleaseAct.UNPAUSE_DAG, "secret"),
    )
    outer = WaitCondition(
        "upstream_dag",
        False,
        say("edge_waits", waiting=say("dag", dag="a"), upstream=say("dag", dag="secret"), chosen=None),
        release=ReleaseTarget(ReleaseAct.RELEASE_RUN, "a", "r", upstream_dag_id="secret"),
        children=(inner,),
    )
    shown = build_condition(outer, {"a"}, lambda text: text.replace("secret", HIDDEN))
    assert "secret" not in shown.model_dump_json()
    assert (shown.release, shown.children[0].release) == (None, None)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("timetable_type=NullTimetable", ["never"]),
        ("timetable_type_not=NullTimetable", ["hourly"]),
        ("timetable_type=Nothing", []),
        ("run_id_not_pattern=NEV", ["hourly"]),
        ("dag_id_not_pattern=hour|x", ["never"]),
        ("dag_id_pattern=r&run_id_pattern=r", ["hourly", "never"]),
    ],
)
def test_runs_are_listed_by_timetable_and_by_what_they_are_not(
    api: Client, deployment: Deployment, query: str, expected: list[str]
) -> None:
    deployment.add(spec_of("hourly", timetable=HOURLY), spec_of("never"))
    for dag_id in ("hourly", "never"):
        api.send("POST", f"/dags/{dag_id}/dagRuns", {"logical_date": None, "dag_run_id": f"{dag_id}_r"})
    assert [run["dag_id"] for run in api.own(f"/dags/~/dagRuns?{query}")["dag_runs"]] == expected


def test_the_list_of_runs_tells_which_are_late_and_chooses_them_or_the_others(
    starved: Client, deployment: Deployment
) -> None:
    deployment.freeze()
    starved.send("POST", "/dags/a/dagRuns", {"logical_date": None, "dag_run_id": "late"})
    queued_at = starved.get("/dags/a/dagRuns/late")["run_after"]

    def read(query: str) -> list[tuple[str, bool]]:
        return [
            (run["dag_run_id"], run["late_since"] is not None)
            for run in starved.own(f"/dags/~/dagRuns?order_by=dag_run_id&{query}")["dag_runs"]
        ]

    assert (read("late=true"), read("late=false")) == ([], [("late", False), ("r", False)])
    deployment.clock.advance(11)
    assert (read("late=true"), read("late=false"), read("")) == (
        [("late", True)],
        [("r", False)],
        [("late", True), ("r", False)],
    )
    assert starved.own("/dags/~/dagRuns?late=true")["dag_runs"][0]["late_since"][:19] == queued_at[:19]
