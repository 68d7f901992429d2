"""`gnomon simulate SCENARIO.toml`: the same changes as options, each with the line on which it is wrong."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.unit.entry.cli.conftest import Gnomon

SHOP = """
from datetime import datetime, UTC
from gnomon import DAG, After, task

with DAG("orders", schedule="0 2 * * *", start_date=datetime(2026, 1, 1, tzinfo=UTC), catchup=True):
    @task(pool="etl")
    def extract(): ...
    @task(pool="etl")
    def check(): ...
    @task
    def each(x): ...
    each.expand(x=[extract(), check()][0])

with DAG("report", schedule="30 2 * * *", start_date=datetime(2026, 1, 1, tzinfo=UTC), depends_on=[After("orders")]):
    @task
    def build(): ...
    build()
"""
WHOLE = """
dags = "dags"
from = 2026-03-01T00:00:00Z
for = "1d"
assume = "2m"
parallelism = 8
skip_broken = true
fail = ["orders.check"]
freeze = ["report"]
expect = ["orders starts after 01:00"]

[set]
orders.extract = "45m"      # a name with dots may be quoted or not
"orders.each" = 30

[length]
orders.extract = 3

[pool]
etl = 1

[delay]
orders.check = "1h"

[schedule]
orders = "0 3 * * *"
"""
OPTIONS = (
    *("--from", "2026-03-01T00:00:00+00:00", "--for", "1d", "--assume", "2m", "--parallelism", "8", "--skip-broken"),
    *("--fail", "orders.check", "--freeze", "report", "--expect", "orders starts after 01:00"),
    *("--set", "orders.extract=45m", "--set", "orders.each=30", "--length", "orders.extract=3", "--pool", "etl=1"),
    *("--delay", "orders.check=1h", "--schedule", "orders=0 3 * * *"),
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "dags").mkdir()
    (tmp_path / "dags" / "shop.py").write_text(SHOP)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def simulate(gnomon: Gnomon, *words: str) -> dict[str, Any]:
    code, out, err = gnomon("simulate", *words, "-o", "json")
    assert (code, err) == (0, "")
    answer: dict[str, Any] = json.loads(out)
    return answer


def test_a_file_says_what_options_say(gnomon: Gnomon, folder: Path) -> None:
    (folder / "dags" / "broken.py").write_text("from gnomon import DAG\nDAG(")
    (folder / "night.toml").write_text(WHOLE)
    by_file = simulate(gnomon, "night.toml", "--tasks")
    assert by_file == simulate(gnomon, "--dags", "dags", *OPTIONS, "--tasks")
    spans = {task["task"]: (task["started_at"][11:16], task["duration_s"]) for task in by_file["tasks"]}
    assert spans["extract"] == ("03:00", 2700.0)
    assert spans["each[2]"][1] == 30.0
    assert {task["task"]: task["state"] for task in by_file["tasks"]}["check"] == "failed"
    assert spans["check"] == ("03:45", 3720.0)
    assert "1 file cannot be loaded and is left out (broken.py)" in by_file["assumptions"]


def test_a_folder_is_named_from_the_folder_of_the_file(gnomon: Gnomon, folder: Path) -> None:
    (folder / "plans").mkdir()
    (folder / "plans" / "a.toml").write_text('dags = "../dags"\nfrom = 2026-03-01\n')
    assert len(simulate(gnomon, "plans/a.toml")["runs"]) == 2
    assert [run["dag_id"] for run in simulate(gnomon, "plans/a.toml", "report")["runs"]] == ["report"]


def test_a_share_is_of_what_a_task_takes_otherwise(gnomon: Gnomon, folder: Path) -> None:
    day = ("--dags", "dags", "--from", "2026-03-01", "--tasks")
    answer = simulate(
        gnomon, *day, "--set", "orders=10m", "--set", "orders.extract=+50%", "--set", "report.duration=-50%"
    )
    took = {task["task"]: task["duration_s"] for task in answer["tasks"]}
    assert took == {"extract": 900.0, "check": 600.0, "each[0]": 600.0, "build": 30.0}
    assert any(
        text.startswith("1 task takes a share of a duration that is not known and assumed to be 1 min (report.build)")
        for text in answer["assumptions"]
    )


def test_what_comes_late_moves_what_waits_for_it(gnomon: Gnomon, folder: Path) -> None:
    day = ("--dags", "dags", "--from", "2026-03-01T00:00+00:00", "--set", "orders=10m")
    usual = {run["dag_id"]: run["ended_at"][11:16] for run in simulate(gnomon, *day)["runs"]}
    late = {run["dag_id"]: run["ended_at"][11:16] for run in simulate(gnomon, *day, "--delay", "orders=1h")["runs"]}
    assert usual == {"orders": "02:20", "report": "02:31"}
    assert late == {"orders": "03:20", "report": "03:21"}  # each only for the tasks that begin the run
    assert late == {
        run["dag_id"]: run["ended_at"][11:16]
        for run in simulate(gnomon, *day, "--delay", "orders.extract.arrival=1h")["runs"]
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('dags = "dags"\nhorizon = "7d"\n', "a.toml, line 2: 'horizon' is no key of a scenario; the keys are assume, "),
        ('dags = "dags"\n[set]\n\norders.extract = "soon"\n', "a.toml, line 4: set.orders.extract = 'soon' is not DAG"),
        ('dags = "dags"\n[pool]\netl = 1.5\n', "a.toml, line 3: pool.etl = '1.5' is not NAME=SLOTS, for example etl=4"),
        ('dags = "dags"\n[pool]\netl = true\n', "a.toml, line 3: pool.etl = 'True' is not NAME=SLOTS"),
        ('dags = "dags"\n[pool]\nelt = 1\n', "a.toml, line 3: pool.elt = names the pool 'elt', which is no known pool"),
        ('dags = "dags"\nset = "5m"\n', 'a.toml, line 2: set = takes a table; write "load.copy" = "10m" under [set]'),
        ('dags = "dags"\nfail = "orders"\n', 'a.toml, line 2: fail = takes a list; write fail = ["DAG.TASK or DAG"]'),
        ('dags = "dags"\nfail = ["orders", "orders"]\n', "'orders' is changed twice, by a.toml, line 2: fail ="),
        ('dags = "dags"\nfail = [7]\n', "a.toml, line 2: fail = '7' is not DAG.TASK or DAG"),
        ('dags = "dags"\nfail = [\n  "orders.load",\n]\n', "a.toml, line 2: fail = names 'orders.load'"),
        (
            'dags = "dags"\nfor = "100y"\n',
            "a.toml, line 2: for = '100y' is not a span above zero and of at most 10 years",
        ),
        (
            'dags = "dags"\nfor = "1d"\nfor = "2d"\n',
            "Cannot overwrite a value (at line 3, column 11); the line is 'for",
        ),
        (
            'dags = "dags"\n[set]\norders.extract = 1\n"orders.extract" = 2\n',
            "'orders.extract' is changed twice, by a.toml, line 3: set.orders.extract = and by a.toml, line 4",
        ),
        (
            'dags = "dags"\n[set]\norders = \n',
            "the scenario file a.toml is no TOML: Invalid value (at line 3, column 10)",
        ),
        (
            "for = '1d'\n",
            "the simulation has no DAGs: this home has no DAG folder; name a folder or a revision with --dags",
        ),
        ('dags = "nowhere"\n', "nowhere is not a folder"),
        ('dags = "dags"\nexpect = ["orders is early"]\n', "a.toml, line 2: expect = 'orders is early' is not 'report"),
        (
            'dags = "dags"\nexpect = ["invoices ends before 07:00"]\n',
            "a.toml, line 2: expect = names 'invoices', which is no DAG and no task of a DAG",
        ),
        ('dags = "dags"\nskip_broken = 1\n', "a.toml, line 2: skip_broken = '1' is not true or false"),
        ('dags = "dags"\n[set.orders]\ncheck = []\n', "a.toml, line 3: set.orders.check = '[]' is not DAG.TASK=SPAN"),
        ('dags = "dags"\nset = { orders = "soon" }\n', "a.toml, line 2: set.orders = 'soon' is not DAG.TASK=SPAN"),
    ],
)
def test_a_key_that_does_not_act_is_refused_with_its_line(
    gnomon: Gnomon, folder: Path, text: str, message: str
) -> None:
    (folder / "a.toml").write_text(text)
    code, out, err = gnomon("simulate", "a.toml")
    assert (code, out) == (1, "")
    assert message in err


def test_what_file_and_option_change_is_refused_by_name(gnomon: Gnomon, folder: Path) -> None:
    (folder / "a.toml").write_text('dags = "dags"\nfor = "1d"\npool.etl = 2\n')
    for words, message in (
        (("--pool", "etl=3"), "'etl' is changed twice, by a.toml, line 3: pool.etl = and by --pool etl=3; keep one of"),
        (("--for", "2d"), "'for' is changed twice, by a.toml, line 2: for = and by --for 2d; keep one of the two"),
        (("--dags", "dags"), "'dags' is changed twice, by a.toml, line 1: dags = and by --dags dags; keep one of"),
    ):
        code, _, err = gnomon("simulate", "a.toml", *words)
        assert code == 1 and message in err


def test_files_that_are_no_text_or_too_large_are_refused(gnomon: Gnomon, folder: Path) -> None:
    (folder / "a.toml").write_bytes(b"dags = '\xff'")
    assert "a.toml cannot be read: it is not UTF-8" in gnomon("simulate", "a.toml").err
    (folder / "a.toml").write_text("#" * 1_000_001)
    assert "a.toml has more than 1000000 bytes" in gnomon("simulate", "a.toml").err
    (folder / "a.toml").write_text("a = " + "[" * 5000)
    assert "a.toml is no TOML" in gnomon("simulate", "a.toml").err


def test_dags_of_a_revision_are_read_without_a_checkout(gnomon: Gnomon, folder: Path) -> None:
    git = ("git", "-c", "user.email=a@example.com", "-c", "user.name=a")
    for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "one"), ("tag", "one")):
        subprocess.run([*git, *words], cwd=folder, check=True)
    (folder / "dags" / "shop.py").write_text(SHOP.replace("30 2 * * *", "30 4 * * *"))
    day = ("--from", "2026-03-01T00:00+00:00", "report")
    assert simulate(gnomon, "--dags", "one:dags", *day)["runs"][0]["run_after"][11:16] == "02:30"
    assert simulate(gnomon, "--dags", "one:./dags", *day)["runs"][0]["run_after"][11:16] == "02:30"
    assert simulate(gnomon, "--dags", "dags", *day)["runs"][0]["run_after"][11:16] == "04:30"
    for source, message in (
        ("two:dags", "'two' is no revision of the Git repository of "),
        ("--all:dags", "'--all' is no revision of the Git repository of "),
        ("one:jobs", "the revision 'one' has no folder 'jobs'; name it from the root of the repository"),
        ("one:dags/shop.py", "the revision 'one' has no folder 'dags/shop.py'"),
    ):
        code, _, err = gnomon("simulate", "--dags", source)
        assert code == 1 and message in err
    (folder / "dags" / "shop.py").write_text("from gnomon import DAG\nDAG(")
    subprocess.run([*git, "commit", "-qam", "two"], cwd=folder, check=True)
    assert "HEAD:dags/shop.py" in gnomon("simulate", "--dags", "HEAD:dags").err


def test_a_revision_outside_of_a_repository_is_refused(
    gnomon: Gnomon, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(folder.parent))
    code, _, err = gnomon("simulate", "--dags", "main:dags")
    assert code == 1 and "cannot be read: fatal: not a git repository" in err


DOCUMENTED = """
from datetime import datetime, UTC
from gnomon import DAG, task

def make(dag_id, task_id, **arguments):
    with DAG(dag_id, schedule="0 2 * * *", start_date=datetime(2026, 1, 1, tzinfo=UTC)):
        task(task_id=task_id, **arguments)(lambda: None)()

make("orders", "check")
make("old_report", "build")
make("report", "build")
make("load", "copy", pool="etl")
make("source", "arrival")
"""


def test_the_documented_file_is_a_scenario(gnomon: Gnomon, folder: Path) -> None:
    page = Path(__file__).parents[4] / "docs" / "how-to" / "simulate-days.md"
    (folder / "night.toml").write_text(page.read_text().partition("```toml\n")[2].partition("```")[0])
    (folder / "dags" / "shop.py").write_text(DOCUMENTED)
    code, out, _ = gnomon("simulate", "night.toml", "-o", "json")
    runs = {run["dag_id"]: run for run in json.loads(out)["runs"] if run["run_after"][:10] == "2026-12-02"}
    assert code == 1  # the report starts at two, and not after
    assert runs.keys() == {"orders", "report", "load", "source"}
    assert (runs["load"]["started_at"][11:16], runs["load"]["duration_s"]) == ("03:00", 90.0)
    assert (runs["source"]["duration_s"], runs["report"]["duration_s"]) == (3660.0, 300.0)
