"""`gnomon explain`: every reason why something is not running, in a sentence."""

from __future__ import annotations

import json

import pytest
from tests.unit.entry.cli.conftest import Gnomon
from tests.unit.entry.cli.deployment import HOURLY, NOW, Deployment, spec_of

from gnomon.model.ids import GROUPS
from gnomon.model.spec import ParseFailure, TaskSpec
from gnomon.storage.store.admin import pools
from gnomon.testing import Play

HOUR = 3_600_000_000


def why(gnomon: Gnomon, *names: str) -> str:
    code, out, err = gnomon("explain", *names)
    assert (code, err) == (0, "")
    return out


def trigger(gnomon: Gnomon, deployment: Deployment, dag_id: str = "a", run_id: str = "r") -> None:
    assert gnomon("dags", "trigger", dag_id, "--run-id", run_id).code == 0
    deployment.move()


def test_a_paused_dag(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a", timetable=HOURLY), paused=True)
    assert "DAG a is paused; unpause it with: gnomon dags unpause a" in why(gnomon, "a")


def test_no_scheduler(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a"))
    sentence = "no scheduler is alive; start one with: gnomon standalone, or gnomon scheduler"
    assert sentence in why(gnomon, "a")
    gnomon("dags", "trigger", "a", "--run-id", "r")
    assert sentence in why(gnomon, "a", "r") and sentence in why(gnomon, "a", "r", "only")
    deployment.start()
    assert sentence not in why(gnomon, "a")


def test_no_worker(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a"))
    deployment.start(worker=False)
    trigger(gnomon, deployment)
    assert why(gnomon, "a", "r", "only") == "no worker is alive; start one with: gnomon worker\n"
    assert why(gnomon, "a", "r") == "only: no worker is alive; start one with: gnomon worker\n"


def test_a_schedule_of_none(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a"))
    out = why(gnomon, "a")
    assert "its schedule is None: runs are created manually only" in out and "it has no runs yet" in out


def test_a_start_date_in_the_future(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a", timetable=HOURLY, start_at=NOW + HOUR))
    deployment.start()
    out = why(gnomon, "a")
    assert "its start_date 2026-03-01T10:00:00Z is in the future" in out
    assert "the next run is due at 2026-03-01T10:00:00Z" in out


def test_a_file_that_cannot_be_loaded(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a"))
    deployment.add(failures=(ParseFailure(kind="syntax", message="/dags/etl.py, line 3: invalid syntax."),))
    assert "its file /dags/etl.py cannot be loaded, so its last good version is used: /dags/etl.py, line 3" in why(
        gnomon, "a"
    )


def test_a_dag_that_left_its_file(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a"), spec_of("b"))
    deployment.add(spec_of("b"))
    assert "the DAG was deleted: no file defines it any more; its file was /dags/etl.py" in why(gnomon, "a")


@pytest.mark.parametrize("paused", [False, True])
def test_a_deleted_dag_has_one_story_and_its_run_waits_until_it_is_marked_or_the_file_returns(
    gnomon: Gnomon, deployment: Deployment, paused: bool
) -> None:
    dag = spec_of("a", {"x": (), "y": ("x",)}, timetable=HOURLY)
    deployment.add(dag, spec_of("b"))
    deployment.plays["x"] = Play(run_s=10)
    deployment.start()
    trigger(gnomon, deployment)
    if paused:
        assert gnomon("dags", "pause", "a").code == 0
    deployment.add(spec_of("b"))
    deployment.move(20)
    told = why(gnomon, "a")
    assert told.count("no file defines") == 1
    assert "in an unfinished run, tasks that run go on to their end and no further task starts" in told
    assert "gnomon runs mark a RUN_ID --state failed" in told
    for other in ("next run", "nothing starts", "is paused", "timetable"):
        assert other not in told
    assert "to go on, put the file back" in why(gnomon, "a", "r")
    assert "to go on, put the file back" in why(gnomon, "a", "r", "y")
    assert {
        row["task_id"]: row["state"] for row in json.loads(gnomon("tasks", "states", "a", "r", "-o", "json").out)
    } == {"x": "success", "y": "scheduled"}
    if paused:
        assert gnomon("runs", "mark", "a", "r", "--state", "failed").code == 0
        deployment.move(5)
        assert "failed" in why(gnomon, "a", "r").splitlines()[0]
    else:
        deployment.add(dag, spec_of("b"))
        deployment.move(30)
        assert "success" in why(gnomon, "a", "r").splitlines()[0]


def test_max_active_runs(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a", max_active_runs=1))
    deployment.plays["only"] = Play(run_s=1000)
    deployment.start()
    trigger(gnomon, deployment)
    trigger(gnomon, deployment, run_id="second")
    assert why(gnomon, "a", "second") == "queued: max_active_runs=1 is reached by 1 running run\n"
    assert why(gnomon, "a", "second", "only") == "its run is queued: max_active_runs=1 is reached by 1 running run\n"
    out = why(gnomon, "a")
    assert "run second is queued: gnomon explain a second" in out and "run r is running: gnomon explain a r" in out


@pytest.mark.parametrize(
    ("slots", "pool_slots", "said"),
    [
        (None, 1, "pool small does not exist; make it with: gnomon pools set small SLOTS"),
        (
            1,
            2,
            "it needs 2 slots and pool small has 1; it can never start. Give the pool more: gnomon pools set small 2",
        ),
        (
            0,
            1,
            "it needs 1 slot and pool small has 0; it can never start. Give the pool more: gnomon pools set small 1",
        ),
        (3, 2, "pool small has too few free slots: 2 of 3 slots are used and it needs 2"),
        (1, 1, "pool small is full: 1 of 1 slots are used and it needs 1"),
    ],
)
def test_pools(slots: int | None, pool_slots: int, said: str, gnomon: Gnomon, deployment: Deployment) -> None:
    tasks = tuple(TaskSpec(task_id=task_id, pool="small", pool_slots=pool_slots) for task_id in ("x", "y"))
    deployment.add(spec_of("a", tasks=tasks))
    deployment.plays["x"] = deployment.plays["y"] = Play(run_s=1000)
    if slots is not None:
        with deployment.db.write() as tx:
            pools.set_pool(tx, "small", slots)
    deployment.start()
    trigger(gnomon, deployment)
    assert why(gnomon, "a", "r", "y") == f"{said}\n"


def test_upstream_tasks_by_name_and_state(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a", {"x": (), "y": ("x",)}))
    deployment.plays["x"] = Play(run_s=1000)
    deployment.start()
    trigger(gnomon, deployment)
    assert "try 1 is running on worker worker-1" in why(gnomon, "a", "r", "x")
    out = why(gnomon, "a", "r", "y")
    assert (
        out.startswith("trigger rule all_success waits for all upstream tasks to succeed: of 1, 1 not done;")
        and "x (running)" in out
    )


def test_a_retry_at_its_time(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a", tasks=(TaskSpec(task_id="only", retries=1, retry_delay_s=600),)))
    deployment.plays["only"] = Play(outcome="failed", reason="OSError: away")
    deployment.start()
    trigger(gnomon, deployment)
    out = why(gnomon, "a", "r", "only")
    assert out.startswith("the next try is at 2026-03-01T09:1") and "the last one ended: OSError: away" in out


def test_what_has_ended_says_when_and_how(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a", {"x": (), "y": ("x",)}))
    deployment.plays["x"] = Play(outcome="failed", reason="ValueError: no")
    deployment.start()
    trigger(gnomon, deployment)
    assert why(gnomon, "a", "r", "x") == "it ended in state failed in try 1 at 2026-03-01T09:00:01Z: ValueError: no\n"
    assert why(gnomon, "a", "r", "y").startswith("it ended in state upstream_failed")
    out = why(gnomon, "a", "r")
    assert (
        out.startswith("run r ended in state failed at 2026-03-01T09:00:0")
        and "x: it ended in state failed in try 1" in out
    )
    assert "run r ended in state failed at" in why(gnomon, "a")


def test_a_run_of_a_paused_dag(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a"), paused=True)
    deployment.start()
    trigger(gnomon, deployment)
    assert why(gnomon, "a", "r") == "DAG a is paused; unpause it with: gnomon dags unpause a\n"
    assert "gnomon dags unpause a" in why(gnomon, "a", "r", "only")


def test_a_task_outside_its_dates_is_not_in_the_run(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a", tasks=(TaskSpec(task_id="old", end_at=NOW - 10 * HOUR), TaskSpec(task_id="x"))))
    deployment.start()
    gnomon("dags", "trigger", "a", "--run-id", "r", "--logical-date", "2026-03-01")
    deployment.move()
    assert "task old is not part of this run: its start_date and end_date exclude" in why(gnomon, "a", "r", "old")


def test_a_map_index_that_is_not_there(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a"))
    gnomon("dags", "trigger", "a", "--run-id", "r")
    assert "task only has no map index 3 in this run; it has -1" in why(gnomon, "a", "r", "only", "--map-index", "3")


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("zz",), "there is no DAG 'zz'"),
        (("a", "zz"), "there is no run 'zz' of DAG 'a'"),
        (("a", "r", "onli"), "did you mean 'only'?"),
    ],
)
def test_unknown_names_are_exit_code_1(
    names: tuple[str, ...], said: str, gnomon: Gnomon, deployment: Deployment
) -> None:
    deployment.add(spec_of("a"))
    gnomon("dags", "trigger", "a", "--run-id", "r")
    code, out, err = gnomon("explain", *names)
    assert (code, out) == (1, "") and said in err


def test_the_document_holds_the_sentences(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a"))
    found = json.loads(gnomon("explain", "a", "-o", "json").out)
    assert found == {"dag_id": "a", "run_id": None, "task_id": None, "sentences": why(gnomon, "a").splitlines()}


def test_the_answer_counts_what_other_dags_use(gnomon: Gnomon, deployment: Deployment) -> None:
    """The pool is full because of DAGs of other groups: all of them are read."""
    names = [f"dag_{number}" for number in range(GROUPS // 8)]
    deployment.add(*(spec_of(name, tasks=(TaskSpec(task_id="only", pool="small"),)) for name in names))
    deployment.plays["only"] = Play(run_s=1000)
    with deployment.db.write() as tx:
        pools.set_pool(tx, "small", len(names) - 1)
    deployment.start()
    for name in names:
        trigger(gnomon, deployment, dag_id=name)
    assert "pool small is full: 7 of 7 slots are used" in why(gnomon, names[-1], "r", "only")
