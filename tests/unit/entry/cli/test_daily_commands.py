"""`gnomon runs list` of all DAGs, `runs wait`, `grid`, `top`, `xcom`, and the commands about files."""

from __future__ import annotations

import json

import pytest
from tests.unit.entry.cli.conftest import Gnomon
from tests.unit.entry.cli.deployment import Deployment, spec_of

from gnomon.entry.cli import dags_files
from gnomon.model.alerts import AlertRuleSpec
from gnomon.model.attempts import XComItem
from gnomon.testing import Play


@pytest.fixture
def two(gnomon: Gnomon, deployment: Deployment) -> Deployment:
    """Run `bad` of `a` failed, run `good` of `b` succeeded two minutes later, run `now` of `b` runs."""
    deployment.add(spec_of("a", {"x": (), "y": ("x",)}), spec_of("b", {"x": ()}))
    deployment.plays["y"] = Play(outcome="failed", reason="ValueError: no")
    deployment.plays["x"] = Play(run_s=1.0, xcoms=(XComItem(key="return_value", value="[1,2]"),))
    deployment.start()
    gnomon("dags", "trigger", "a", "--run-id", "bad")
    deployment.move(120)
    gnomon("dags", "trigger", "b", "--run-id", "good")
    deployment.move()
    deployment.plays["x"] = Play(run_s=30)
    gnomon("dags", "trigger", "b", "--run-id", "now")
    deployment.move()
    return deployment


def _ids(gnomon: Gnomon, *args: str) -> list[str]:
    return [row["run_id"] for row in json.loads(gnomon("runs", "list", *args, "-o", "json").out)]


@pytest.mark.parametrize(
    ("args", "ids"),
    [
        ((), ["now", "good", "bad"]),
        (("--state", "failed"), ["bad"]),
        (("--state", "running"), ["now"]),
        (("--state", "success"), ["good"]),
        (("--since", "100s"), ["now", "good"]),
        (("--since", "2h"), ["now", "good", "bad"]),
        (("--state", "failed", "--since", "100s"), []),
        (("--limit", "1"), ["now"]),
        (("b",), ["now", "good"]),
        (("b", "--limit", "1"), ["now"]),
        (("a", "--since", "100s"), []),
    ],
)
def test_runs_of_all_dags_by_state_and_time(
    args: tuple[str, ...], ids: list[str], gnomon: Gnomon, two: Deployment
) -> None:
    assert _ids(gnomon, *args) == ids


def test_a_limit_that_cuts_says_so(gnomon: Gnomon, two: Deployment) -> None:
    ended = gnomon("runs", "list", "--limit", "2")
    assert ended.err == "more than 2 runs; --limit 4 shows more\n" and ended.out.splitlines()[0].startswith("dag_id")
    assert gnomon("runs", "list", "--state", "queued").out == "no queued runs\n"


@pytest.mark.parametrize(
    ("args", "code", "out", "said"),
    [
        (("b", "good"), 0, "success\n", ""),
        (("a", "bad"), 1, "failed\n", ""),
        (("a", "bda"), 2, "", "did you mean 'bad'?"),
        (("b", "now", "--timeout", "2s"), 3, "", "is running after 2 s"),
        (("b", "now", "--timeout", "soon"), 2, "", "write 30s, 5m"),
        (("b", "now"), 0, "success\n", ""),
    ],
)
def test_wait_tells_the_state_by_its_exit_code(
    args: tuple[str, ...], code: int, out: str, said: str, gnomon: Gnomon, two: Deployment
) -> None:
    ended = gnomon("runs", "wait", *args)
    assert (ended.code, ended.out) == (code, out) and said in ended.err


def test_grid_has_a_column_a_run_and_the_reason_of_a_failure(gnomon: Gnomon, two: Deployment) -> None:
    lines = gnomon("grid", "a").out.splitlines()
    assert lines[0] == "a  1 run, due 2026-03-01 09:00 UTC"
    assert lines[3:6] == ["run  F", "x    s", "y    F"]
    assert any(line.startswith("failed bad: task y failed") for line in lines)
    document = json.loads(gnomon("grid", "b", "-o", "json").out)
    assert [(run["run_id"], run["tasks"]) for run in document["runs"]] == [
        ("good", {"x": {"success": 1}}),
        ("now", {"x": {"running": 1}}),
    ]


def test_grid_says_what_it_cannot_do(gnomon: Gnomon, two: Deployment) -> None:
    assert (
        "stdout is no terminal that can be redrawn; `gnomon grid a` prints the grid once"
        in gnomon("grid", "a", "--watch").err
    )
    assert gnomon("grid", "a", "--watch", "-o", "json").code == 2


def test_top_shows_what_runs_and_what_waits_and_for_what(gnomon: Gnomon, two: Deployment) -> None:
    gnomon("dags", "pause", "a")
    gnomon("dags", "trigger", "a", "--run-id", "held")
    out = gnomon("top", "--once").out
    assert "runs: 1 running  1 queued" in out and "alive: 1 scheduler, 1 worker" in out
    assert "b  x  now" in out and "a  held  queued" in out and "paused" in out
    work = json.loads(gnomon("top", "-o", "json").out)
    assert [(row["dag_id"], row["task"], row["state"]) for row in work["running"]] == [("b", "x", "running")]
    assert [row["run_id"] for row in work["waiting"]] == ["held"]
    assert "`gnomon top --once` prints one picture" in gnomon("top").err


def test_top_names_a_run_that_takes_longer_than_those_before(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a"))
    deployment.start()
    for number in range(6):
        gnomon("dags", "trigger", "a", "--run-id", f"r{number}")
        deployment.move()
    deployment.plays["only"] = Play(run_s=100)
    gnomon("dags", "trigger", "a", "--run-id", "slow")
    deployment.move(60)
    late = json.loads(gnomon("top", "-o", "json").out)["late"]
    assert [row["run_id"] for row in late] == ["slow"]
    assert late[0]["why"] in {f"it has run for {span}; 95 of 100 runs take at most 1 s" for span in ("59 s", "1 min")}


def test_xcoms_are_listed_set_and_deleted(gnomon: Gnomon, two: Deployment) -> None:
    assert json.loads(gnomon("xcom", "list", "b", "good", "-o", "json").out) == [
        {"task_id": "x", "map_index": -1, "key": "return_value", "value": [1, 2]}
    ]
    assert gnomon("xcom", "set", "b", "good", "x", '{"ü": 1}', "-k", "mine") == (0, "set XCom 'mine' of x\n", "")
    assert gnomon("xcom", "get", "b", "good", "x", "-k", "mine").out == '{"ü": 1}\n'
    assert gnomon("xcom", "delete", "b", "good", "x", "-k", "mine").code == 0
    code, out, err = gnomon("xcom", "get", "b", "good", "x", "-k", "mine")
    assert (code, out) == (1, "") and "has no XCom 'mine'" in err


def test_the_list_of_xcoms_describes_what_json_has_no_form_for(gnomon: Gnomon, deployment: Deployment) -> None:
    stored = {
        "__classname__": "orders.Order",
        "__version__": 0,
        "__data__": {"number": 5, "day": {"__type": "date", "__value": "2026-03-01"}},
    }
    deployment.plays["x"] = Play(run_s=1.0, xcoms=(XComItem(key="return_value", value=json.dumps([stored])),))
    deployment.add(spec_of("b", {"x": ()}))
    deployment.start()
    assert gnomon("dags", "trigger", "b", "--run-id", "r").code == 0
    deployment.move(20)
    assert '["orders.Order@version=0(number=5, day=2026-03-01)"]' in gnomon("xcom", "list", "b", "r").out
    assert json.loads(gnomon("xcom", "get", "b", "r", "x").out) == [stored]
    code, _, err = gnomon("xcom", "set", "b", "r", "x", json.dumps([stored]))
    assert (
        code != 0
        and "VALUE[0] has the key '__classname__', which marks an object of a class: only tasks store objects" in err
    )


def test_xcoms_show_no_secrets_of_connections_and_variables_unless_they_are_asked_for(
    gnomon: Gnomon, two: Deployment
) -> None:
    assert (
        gnomon(
            "connections",
            "add",
            "db",
            "--conn-type",
            "http",
            "--conn-password",
            "hunter2-and-more",
            "--conn-extra",
            '{"api_key": "extra-key-9"}',
        ).code
        == 0
    )
    assert gnomon("variables", "set", "my_token", "token-of-variable").code == 0
    value = {
        "a": "as hunter2-and-more",
        "password": "other",
        "hunter2-and-more": [[[[[[["extra-key-9"]]]]]]],
        "v": "token-of-variable",
    }
    assert gnomon("xcom", "set", "b", "good", "x", json.dumps(value), "-k", "mine").code == 0
    masked = {"a": "as ***", "password": "***", "***": [[[[[[["***"]]]]]]], "v": "***"}
    assert json.loads(gnomon("xcom", "get", "b", "good", "x", "-k", "mine").out) == masked
    assert (
        json.loads(gnomon("xcom", "get", "b", "good", "x", "-k", "mine", "--show-secrets", "-o", "json").out) == value
    )
    assert [
        row["value"]
        for row in json.loads(gnomon("xcom", "list", "b", "good", "x", "-o", "json").out)
        if row["key"] == "mine"
    ] == [masked]
    assert "hunter2" not in gnomon("xcom", "list", "b", "good").out
    assert "hunter2" in gnomon("xcom", "list", "b", "good", "--show-secrets").out


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (("set", "b", "now", "x", "5"), 1, "is running: when it starts its XComs are deleted"),
        (("set", "b", "good", "x", "text"), 2, "is not valid JSON"),
        (("set", "b", "good", "x", "NaN"), 2, "not valid JSON"),
        (("delete", "b", "good", "x", "-k", "none"), 1, "has no XCom 'none'"),
        (("get", "b", "good", "xx"), 1, "there is no task 'xx'"),
        (("list", "b", "god"), 1, "did you mean 'good'?"),
    ],
)
def test_an_xcom_that_cannot_be_changed_is_left(
    args: tuple[str, ...], code: int, said: str, gnomon: Gnomon, two: Deployment
) -> None:
    ended = gnomon("xcom", *args)
    assert ended.code == code and said in ended.err
    assert json.loads(gnomon("xcom", "get", "b", "good", "x").out) == [1, 2]


def test_reserialize_marks_the_files_and_waits_for_the_processor(
    gnomon: Gnomon, two: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dags_files, "WAIT_S", 16.0)
    assert gnomon("dags", "reserialize", "--no-wait") == (0, "1 file will be read again\n", "")
    code, _, err = gnomon("dags", "reserialize", "a")
    assert code == 1 and "is a DAG processor alive?" in err and "1 of 1 file not read" in err
    assert gnomon("dags", "reserialize", "c").code == 1


def test_tasks_run_runs_a_finished_task_again(gnomon: Gnomon, two: Deployment) -> None:
    two.plays["y"] = Play(run_s=2.0)
    code, _, err = gnomon("tasks", "run", "a", "bad", "y")
    assert code == 0 and "--- y is success after try 2" in err
    two.plays["y"] = Play(outcome="failed", reason="ValueError: again")
    assert gnomon("tasks", "run", "a", "bad", "y").code == 1
    assert "there is no task 'z'" in gnomon("tasks", "run", "a", "bad", "z").err


def test_rules_of_dag_files_are_listed_beside_those_of_the_toml(gnomon: Gnomon, two: Deployment) -> None:
    two.add(spec_of("ruled", alerts=(AlertRuleSpec(when="failure", to=("opps",)),)), file="/dags/ruled.py")
    (row,) = json.loads(gnomon("alerts", "rules", "-o", "json").out)
    assert (row["rule"], row["when"], row["dags"], row["to"], row["place"]) == (
        "dag:ruled:1",
        "failure",
        "ruled",
        "opps (no such channel)",
        "/dags/ruled.py",
    )
