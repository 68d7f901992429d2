"""`gnomon tasks`."""

from __future__ import annotations

import json

import pytest
from tests.unit.entry.cli.conftest import Gnomon
from tests.unit.entry.cli.deployment import Deployment, spec_of

from gnomon.entry.cli.deployment.home import Home
from gnomon.model.mapping import Expansion, LiteralLength, XComLength
from gnomon.model.spec import TaskSpec
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.queries.report.listings.run_list import find_run
from gnomon.storage.store.state_stores import task_state_store
from gnomon.testing import Play

FIELDS = [
    "dag_id",
    "run_id",
    "task_id",
    "map_index",
    "state",
    "try_number",
    "start_date",
    "end_date",
    "reason",
    "rendered_map_index",
    "executor",
]


@pytest.fixture
def done(gnomon: Gnomon, deployment: Deployment) -> Deployment:
    """Run `r` of `a`: extract_1 and extract_2 succeeded, load failed, report could not run."""
    edges = {"extract_1": (), "extract_2": (), "load": ("extract_1", "extract_2"), "report": ("load",)}
    deployment.add(spec_of("a", edges))
    deployment.plays["load"] = Play(outcome="failed", reason="ValueError: no")
    deployment.start()
    gnomon("dags", "trigger", "a", "--run-id", "r")
    deployment.move()
    return deployment


def _rows(gnomon: Gnomon, *args: str) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = json.loads(gnomon("tasks", *args, "-o", "json").out)
    return rows


def _ids(rows: list[dict[str, object]]) -> list[object]:
    return [row["task_id"] for row in rows]


def test_states_has_exactly_the_fields_of_a_task_instance(gnomon: Gnomon, done: Deployment) -> None:
    rows = _rows(gnomon, "states", "a", "r")
    assert all(list(row) == FIELDS for row in rows)
    assert rows[2] == {
        "dag_id": "a",
        "run_id": "r",
        "task_id": "load",
        "map_index": -1,
        "state": "failed",
        "try_number": 1,
        "start_date": "2026-03-01T09:00:01.000000+00:00",
        "end_date": "2026-03-01T09:00:02.000000+00:00",
        "reason": "ValueError: no",
        "rendered_map_index": None,
        "executor": None,
    }
    assert (rows[3]["state"], rows[3]["try_number"], rows[3]["start_date"]) == ("upstream_failed", 0, None)


def test_states_shows_the_executor_that_a_task_names(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(
        spec_of("a", tasks=(TaskSpec(task_id="x", executor="LocalExecutor"), TaskSpec(task_id="y", upstream=("x",))))
    )
    gnomon("dags", "trigger", "a", "--run-id", "r")
    assert [row["executor"] for row in _rows(gnomon, "states", "a", "r")] == ["LocalExecutor", None], (
        "also without a row"
    )
    deployment.start()
    deployment.move()
    assert [row["executor"] for row in _rows(gnomon, "states", "a", "r")] == ["LocalExecutor", None]
    assert "LocalExecutor" in gnomon("tasks", "states", "a", "r").out


def test_states_shows_task_instances_without_a_state_too(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a", {"x": (), "y": ("x",)}))
    gnomon("dags", "trigger", "a", "--run-id", "r")
    assert [
        (row["task_id"], row["map_index"], row["state"], row["try_number"]) for row in _rows(gnomon, "states", "a", "r")
    ] == [
        ("x", -1, None, 0),
        ("y", -1, None, 0),
    ]


def test_a_run_keeps_the_tasks_of_the_version_it_ran(gnomon: Gnomon, done: Deployment) -> None:
    done.add(spec_of("a", {"new": ()}), version="2")
    done.move()
    assert _ids(_rows(gnomon, "states", "a", "r")) == ["extract_1", "extract_2", "load", "report"]


@pytest.mark.parametrize(
    ("args", "chosen"),
    [
        (("load",), ["load"]),
        (("load", "--downstream"), ["load", "report"]),
        (("load", "--upstream"), ["extract_1", "extract_2", "load"]),
        (("--task-regex", "^extract"), ["extract_1", "extract_2"]),
        (("report", "-t", "_1$"), ["extract_1", "report"]),
        (("-t", ".", "--only-failed"), ["load", "report"]),
        (("extract_1", "--map-index", "-1"), ["extract_1"]),
    ],
)
def test_clear_takes_what_was_chosen(
    args: tuple[str, ...], chosen: list[str], gnomon: Gnomon, done: Deployment
) -> None:
    assert _ids(_rows(gnomon, "clear", "a", "r", *args, "--dry-run")) == chosen


def test_clear_runs_them_again(gnomon: Gnomon, done: Deployment) -> None:
    done.plays.clear()
    code, out, err = gnomon("tasks", "clear", "a", "r", "load", "--downstream")
    assert (code, err) == (0, "") and out.startswith("2 task instances cleared\n")
    done.move()
    assert [(row["state"], row["try_number"]) for row in _rows(gnomon, "states", "a", "r")] == [
        ("success", 1),
        ("success", 1),
        ("success", 2),
        ("success", 1),
    ]


def test_clear_shows_the_states_before_and_after(gnomon: Gnomon, done: Deployment) -> None:
    head, _, *lines = gnomon("tasks", "clear", "a", "r", "load", "--downstream").out.splitlines()[1:]
    assert head.split() == ["task_id", "previous_state", "state", "try_number"]
    assert [line.split() for line in lines] == [
        ["load", "failed", "running", "2"],
        ["report", "upstream_failed", "-", "0"],
    ]


def test_clear_shows_what_was_cleared_and_no_more(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a", {"x": (), "y": ("x",)}))
    deployment.plays["x"] = Play(run_s=1000)
    deployment.start()
    gnomon("dags", "trigger", "a", "--run-id", "r")
    deployment.move()
    code, out, _ = gnomon("tasks", "clear", "a", "r", "-t", ".")
    assert code == 0 and out.startswith("1 task instance cleared\n")
    assert out.splitlines()[-1].split()[:2] == ["x", "running"]


def test_clear_shows_the_states_as_they_are_while_nobody_has_answered(gnomon: Gnomon, done: Deployment) -> None:
    done.freeze()
    code, out, err = gnomon("tasks", "clear", "a", "r", "load")
    assert (
        code == 0
        and err.endswith("the scheduler will still apply it\n")
        and out.startswith("1 task instance will be cleared\n")
    )
    assert out.splitlines()[-1].split() == ["load", "failed", "1"]


def test_clear_of_nothing_says_so(gnomon: Gnomon, done: Deployment) -> None:
    assert gnomon("tasks", "clear", "a", "r", "extract_1", "--only-failed") == (0, "0 task instances cleared\n", "")


@pytest.mark.parametrize("state", ["success", "failed", "skipped"])
def test_mark_sets_the_state(state: str, gnomon: Gnomon, done: Deployment) -> None:
    code, out, err = gnomon("tasks", "mark", "a", "r", "report", "--state", state)
    assert (code, err) == (0, "") and out.startswith("1 task instance changed\n")
    assert out.splitlines()[-1].split() == ["report", "upstream_failed", state, "0"]
    row = _rows(gnomon, "states", "a", "r")[3]
    assert row["state"] == state and "marked" in str(row["reason"])


def test_mark_lets_what_failed_because_of_the_task_run_again_and_shows_it_first(
    gnomon: Gnomon, done: Deployment
) -> None:
    shown = _rows(gnomon, "mark", "a", "r", "load", "--state", "success", "--dry-run")
    assert [(row["task_id"], row["state"], row["becomes"]) for row in shown] == [
        ("load", "failed", "success"),
        ("report", "upstream_failed", "cleared"),
    ]
    assert _rows(gnomon, "states", "a", "r")[3]["state"] == "upstream_failed"
    changed = _rows(gnomon, "mark", "a", "r", "load", "--state", "success")
    assert [(row["task_id"], row["previous_state"]) for row in changed] == [
        ("load", "failed"),
        ("report", "upstream_failed"),
    ]
    done.move()
    assert [row["state"] for row in _rows(gnomon, "states", "a", "r")] == ["success"] * 4
    assert json.loads(gnomon("runs", "show", "a", "r", "-o", "json").out)["state"] == "success"


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (
            ("clear", "a", "r"),
            2,
            "a is read as DAG and r as RUN, and no TASK is named: write DAG RUN TASK..., or give --task-regex",
        ),
        (("clear", "a", "x", "--map-index", "3"), 2, "a is read as DAG and x as RUN, and no TASK is named"),
        (("mark", "a", "x", "--state", "success"), 2, "a is read as DAG and x as RUN, and no TASK is named"),
        (("clear", "a", "r", "-t", "("), 2, "is not a regular expression"),
        (("clear", "a", "r", "lod"), 1, "there is no task 'lod' in DAG 'a'; did you mean 'load'?"),
        (("clear", "a", "r", "-t", "zzz"), 1, "no task of DAG 'a' matches 'zzz'"),
        (("clear", "a", "r", "load", "--map-index", "3"), 1, "task 'load' has no map index 3 in run 'r'"),
        (("clear", "a", "nope", "load"), 1, "there is no run 'nope' of DAG 'a'"),
        (("mark", "a", "r", "load"), 2, "--state"),
        (("mark", "a", "r", "load", "--state", "running"), 2, "'running' is not one of"),
        (("logs", "a", "r", "lod"), 1, "there is no task 'lod' in DAG 'a'; did you mean 'load'?"),
        (("logs", "a", "r", "report"), 1, "it has not been started; `gnomon explain a r report` says why"),
        (("logs", "a", "r", "load", "--try", "2"), 1, "task 'load' has no try 2 in run 'r'; its tries are: 1"),
        (("logs", "a", "r", "load"), 1, "the log of task 'load', try 1, is not on this machine"),
    ],
)
def test_bad_input_is_a_sentence(args: tuple[str, ...], code: int, said: str, gnomon: Gnomon, done: Deployment) -> None:
    ended = gnomon("tasks", *args)
    assert (ended.code, ended.out) == (code, "") and said in " ".join(ended.err.split())


def test_logs_prints_the_log_of_the_last_try_or_the_one_named(gnomon: Gnomon, done: Deployment, home: Home) -> None:
    folder = home.cfg.logs_folder / "dag_id=a" / "run_id=r"
    folder.mkdir(parents=True)
    for seq in (1, 2):
        (folder / f"task_id=load.attempt={seq}.log").write_text(f"try {seq}: é\n")
    gnomon("tasks", "clear", "a", "r", "load")
    done.move()
    assert gnomon("tasks", "logs", "a", "r", "load") == (0, "try 2: é\n", "")
    assert gnomon("tasks", "logs", "a", "r", "load", "--try", "1") == (0, "try 1: é\n", "")


@pytest.fixture
def mapped(gnomon: Gnomon, deployment: Deployment) -> Deployment:
    """Run `r` of `m`: make gave 3 elements, load[0..2] ran, then x failed; in the group, first[0] failed."""
    tasks = (
        TaskSpec(task_id="make"),
        TaskSpec(task_id="load", upstream=("make",), expansion=Expansion(factors=(XComLength(task_id="make"),))),
        TaskSpec(task_id="join", upstream=("load",)),
        TaskSpec(task_id="first", group="g"),
        TaskSpec(task_id="second", upstream=("first",), group="g"),
    )
    groups = {"groups": {"g": None}, "group_expansions": {"g": Expansion(factors=(LiteralLength(length=2),))}}
    deployment.add(spec_of("m", tasks=tasks, **groups))
    deployment.plays["make"] = Play(return_length=3)
    deployment.plays["load"] = Play(rendered_map_index="a file")
    deployment.plays["first"] = Play(run_s=30.0)
    deployment.start()
    gnomon("dags", "trigger", "m", "--run-id", "r")
    deployment.move(10.0)
    return deployment


def _indices(rows: list[dict[str, object]]) -> list[tuple[object, object, object]]:
    return [(row["task_id"], row["map_index"], row["state"]) for row in rows]


def test_states_lists_every_map_index_also_those_without_a_state(gnomon: Gnomon, mapped: Deployment) -> None:
    assert _indices(_rows(gnomon, "states", "m", "r")) == [
        ("make", -1, "success"),
        ("load", 0, "success"),
        ("load", 1, "success"),
        ("load", 2, "success"),
        ("join", -1, "success"),
        ("first", 0, "running"),
        ("first", 1, "running"),
        ("second", 0, None),
        ("second", 1, None),
    ]
    assert (
        "rendered_map_index" in gnomon("tasks", "states", "m", "r").out
        and "a file" in gnomon("tasks", "states", "m", "r").out
    )


def test_one_map_index_is_cleared_and_marked(gnomon: Gnomon, mapped: Deployment) -> None:
    assert [
        (row["task_id"], row["map_index"]) for row in _rows(gnomon, "clear", "m", "r", "load", "--map-index", "1")
    ] == [("load", 1)]
    mapped.move(5.0)
    rows = {(row["task_id"], row["map_index"]): row for row in _rows(gnomon, "states", "m", "r")}
    assert [rows["load", i]["try_number"] for i in range(3)] == [1, 2, 1]
    gnomon("tasks", "mark", "m", "r", "second", "--map-index", "1", "--state", "skipped")
    rows = {(row["task_id"], row["map_index"]): row for row in _rows(gnomon, "states", "m", "r")}
    assert [rows["second", i]["state"] for i in range(2)] == [None, "skipped"]


def test_a_clear_of_the_task_that_gives_the_length_changes_the_indices(gnomon: Gnomon, mapped: Deployment) -> None:
    for length, states in ((1, ["success", "removed", "removed"]), (4, ["success"] * 4)):
        mapped.plays["make"] = Play(return_length=length)
        assert gnomon("tasks", "clear", "m", "r", "make", "--downstream").code == 0
        mapped.move(10.0)
        assert [
            state for task_id, _, state in _indices(_rows(gnomon, "states", "m", "r")) if task_id == "load"
        ] == states


def test_an_unknown_map_index_is_refused(gnomon: Gnomon, mapped: Deployment) -> None:
    code, _, err = gnomon("tasks", "clear", "m", "r", "load", "--map-index", "7")
    assert code == 1 and "map index 7" in err


def test_logs_of_a_mapped_task_need_a_map_index(gnomon: Gnomon, mapped: Deployment) -> None:
    code, _, err = gnomon("tasks", "logs", "m", "r", "load")
    assert code == 1 and "task 'load' is mapped and has a log for each map index in run 'r': add --map-index 0-2" in err


def test_explain_of_a_mapped_task(gnomon: Gnomon, mapped: Deployment) -> None:
    assert (
        gnomon("explain", "m", "r", "load").out
        == "task load is mapped and has the map indexes 0-2 in this run; ask for one of them with --map-index\n"
    )
    assert (
        gnomon("explain", "m", "r", "load", "--map-index", "9").out
        == "task load has no map index 9 in this run; it has 0-2\n"
    )
    assert "of 1, 1 not done; open: first[1] (running)" in gnomon("explain", "m", "r", "second", "--map-index", "1").out


def test_explain_of_a_task_that_waits_for_its_length(gnomon: Gnomon, mapped: Deployment) -> None:
    mapped.plays["make"] = Play(run_s=100.0)
    gnomon("dags", "trigger", "m", "--run-id", "s")
    mapped.move(5.0)
    assert (
        "load: trigger rule all_success waits for all upstream tasks to succeed: of 1, 1 not done; open: make (running)"
        in gnomon("explain", "m", "s").out
    )
    assert "first[0-1] (2 instances): try 1 is running on worker worker-1" in gnomon("explain", "m", "s").out


@pytest.mark.parametrize(
    ("names", "chosen"),
    [
        (("load[1]",), [("load", 1)]),
        (("load[2]", "load[0]"), [("load", 0), ("load", 2)]),
        (("load[1]", "load"), [("load", 0), ("load", 1), ("load", 2)]),
        (("load[1]", "second"), [("load", 1), ("second", 0), ("second", 1)]),
    ],
)
def test_a_name_with_an_index_selects_that_instance(
    names: tuple[str, ...], chosen: list[object], gnomon: Gnomon, mapped: Deployment
) -> None:
    rows = _rows(gnomon, "clear", "m", "r", *names, "--dry-run")
    assert [(row["task_id"], row["map_index"]) for row in rows] == chosen


def test_a_name_with_an_index_that_is_not_there_is_refused(gnomon: Gnomon, mapped: Deployment) -> None:
    code, _, err = gnomon("tasks", "clear", "m", "r", "load[7]", "load[1]")
    assert code == 1 and "task 'load' has no map index 7 in run 'r'" in err
    code, _, err = gnomon("tasks", "clear", "m", "r", "load[1]", "--map-index", "2")
    assert code == 2 and "load[1] has map index 1, and --map-index says 2; give one of them" in err


def test_logs_tell_an_index_that_is_not_there_from_an_instance_that_has_not_been_started(
    gnomon: Gnomon, mapped: Deployment
) -> None:
    assert "task 'load' has no map index 7 in run 'r'" in gnomon("tasks", "logs", "m", "r", "load[7]").err
    assert "task 'make' has no map index 0 in run 'r'" in gnomon("tasks", "logs", "m", "r", "make[0]").err
    waiting = gnomon("tasks", "logs", "m", "r", "second[1]").err
    assert (
        "task 'second[1]' has no log in run 'r': it has not been started; `gnomon explain m r 'second[1]'` says why"
        in waiting
    )


def test_a_map_index_that_no_instance_can_have_is_refused_with_a_sentence(gnomon: Gnomon, mapped: Deployment) -> None:
    number = "9" * 20
    assert f"there is no task 'load[{number}]'" in gnomon("tasks", "logs", "m", "r", f"load[{number}]").err
    code, _, err = gnomon("tasks", "logs", "m", "r", "load", "--map-index", number)
    assert code == 2 and "is not an integer from -1 to 2147483647" in err


@pytest.mark.parametrize("command", [("tasks", "logs", "m", "r"), ("explain", "m", "r")])
def test_explain_and_logs_take_the_name_of_an_instance(
    command: tuple[str, ...], gnomon: Gnomon, mapped: Deployment
) -> None:
    assert gnomon(*command, "load[1]") == gnomon(*command, "load", "--map-index", "1")
    code, _, err = gnomon(*command, "load[1]", "--map-index", "2")
    assert code == 2 and "load[1] has map index 1, and --map-index says 2; give one of them" in err


@pytest.mark.parametrize("index", [-1, 9])
def test_what_an_instance_kept_can_be_read_and_deleted_after_its_task_is_mapped_otherwise(
    index: int, gnomon: Gnomon, mapped: Deployment, home: Home
) -> None:
    with home.store() as db, db.write() as tx:
        run = find_run(tx, (dag := find_dag(tx, "m")), "r")
        task_state_store.set_task_state(
            tx, task_state_store.TaskStateScope(run.run_pk, dag.task_numbers["load"], index), "k", "5", 0, None
        )
    named = ("m", "r", "load", "--map-index", str(index))
    assert gnomon("state-store", "task", "get", *named, "k").out == "5\n"
    assert gnomon("state-store", "task", "clear", *named).out == "deleted 1 value\n"
    assert gnomon("state-store", "task", "get", *named, "k").code == 1
