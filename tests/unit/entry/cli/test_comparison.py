"""`gnomon simulate --compare A B`: a planted change of each kind is found, and said in words."""

from __future__ import annotations

import csv
import io
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.unit.entry.cli.conftest import Gnomon

HEAD = """
from datetime import datetime, UTC
from gnomon import DAG, After, Asset, task
start = datetime(2026, 1, 1, tzinfo=UTC)
"""
ORDERS = """
with DAG("orders", schedule="0 2 * * *", start_date=start):
    @task(pool="etl")
    def extract(): ...
    @task(pool="etl")
    def check(): ...
    @task(outlets=[Asset("orders")])
    def load(): ...
    [extract(), check()] >> load()
"""
REPORT = """
with DAG("report", schedule="30 2 * * *", start_date=start, depends_on=[After("orders")]):
    @task
    def build(): ...
    build()
"""
MAIL = """
with DAG("mail", schedule=[Asset("orders")], start_date=start):
    @task
    def send(): ...
    send()
"""
BIG = """
with DAG("big", schedule="55 1 * * *", start_date=start):
    @task(pool="etl", priority_weight=50)
    def copy(): ...
    copy()
"""
SHOP = HEAD + ORDERS + REPORT + MAIL
DAYS = ("--from", "2026-03-01T00:00+00:00", "--for", "2d", "--assume", "10m", "--pool", "etl=2")


@pytest.fixture
def sides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folders a and b with the same DAGs."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "shop.py").write_text(SHOP)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def compare(gnomon: Gnomon, *words: str, first: str = "a", second: str = "b") -> dict[str, Any]:
    code, out, err = gnomon("simulate", "--compare", first, second, *(words or DAYS), "-o", "json")
    assert (code, err) == (0, "")
    answer: dict[str, Any] = json.loads(out)
    return answer


def list_changes(answer: dict[str, Any]) -> list[tuple[str, str, float | None, str]]:
    """The differences of the first day."""
    return [
        (run["dag_id"], run["change"], run["shift_s"], run["why"])
        for run in answer["runs"]
        if run["run_after"][:10] == "2026-03-01"
    ]


def test_the_same_inputs_give_no_difference(gnomon: Gnomon, sides: Path) -> None:
    answer = compare(gnomon)
    assert (answer["runs_before"], answer["runs_after"]) == (6, 6)
    assert (answer["runs"], answer["dags"], answer["notes"], answer["violations"]) == ([], [], [], [])
    code, out, _ = gnomon("simulate", "--compare", "a", "b", *DAYS)
    assert code == 0 and out.startswith("nothing is different: both make the same 6 runs, at the same times\n")


def test_a_changed_cron_moves_runs_and_what_waits_for_them(gnomon: Gnomon, sides: Path) -> None:
    (sides / "b" / "shop.py").write_text(SHOP.replace('"0 2 * * *', '"45 2 * * *'))
    answer = compare(gnomon)
    due = "DAG orders is due at 2026-03-01T02:45:00.000000+00:00 instead of 2026-03-01T02:00:00.000000+00:00"
    assert list_changes(answer) == [
        ("mail", "ends later", 2700.0, due),
        ("orders", "moves", 2700.0, due),
        ("report", "ends later", 2100.0, due),
    ]
    by_dag = {dag["dag_id"]: dag for dag in answer["dags"]}
    assert (by_dag["orders"]["move"], by_dag["mail"]["later"], by_dag["mail"]["latest_s"]) == (2, 2, 2700.0)
    assert by_dag["orders"]["why"].startswith("the schedule of DAG orders is ")
    assert compare(gnomon, *DAYS, "--schedule", "orders=45 2 * * *", second="a")["runs"] == []


def test_a_scenario_file_with_another_schedule_has_other_runs(gnomon: Gnomon, sides: Path) -> None:
    (sides / "b.toml").write_text('dags = "a"\n[schedule]\nreport = "0 */12 * * *"\n')
    answer = compare(gnomon, second="b.toml")
    assert [(run["dag_id"], run["change"], run["run_after"][8:16]) for run in answer["runs"]] == [
        ("report", "appears", "01T00:00"),
        ("report", "vanishes", "01T02:30"),
        ("report", "appears", "01T12:00"),
        ("report", "appears", "02T00:00"),
        ("report", "vanishes", "02T02:30"),
        ("report", "appears", "02T12:00"),
    ]
    assert answer["runs"][1]["why"].startswith("the schedule of DAG report does not have this run")


def test_a_smaller_pool_is_named_with_who_holds_it(gnomon: Gnomon, sides: Path) -> None:
    (sides / "b.toml").write_text('dags = "b"\npool.etl = 1\n')
    (sides / "a.toml").write_text('dags = "a"\npool.etl = 2\n')
    answer = compare(gnomon, *DAYS[:-2], first="a.toml", second="b.toml")
    assert answer["notes"] == ["pool etl has 1 slot instead of 2"]
    changes = list_changes(answer)
    assert [change[:3] for change in changes] == [
        ("mail", "ends later", 600.0),
        ("orders", "ends later", 600.0),
    ]
    why = {change[3] for change in changes}
    assert len(why) == 1 and "waits 10 min longer for pool etl with 1 slot, which orders." in why.pop()
    back = compare(gnomon, *DAYS[:-2], first="b.toml", second="a.toml")
    assert [change[:3] for change in list_changes(back)] == [
        ("mail", "ends earlier", -600.0),
        ("orders", "ends earlier", -600.0),
    ]
    assert all("waits 10 min less for pool etl, whose 1 slot orders." in change[3] for change in list_changes(back))


def test_a_slower_task_is_named_through_the_dags_that_wait_for_it(gnomon: Gnomon, sides: Path) -> None:
    (sides / "b.toml").write_text('dags = "b"\nset.orders.check = "+200%"\n')
    why = "orders.check takes longer: 30 min instead of 10 min"
    answer = compare(gnomon, second="b.toml")
    assert list_changes(answer) == [
        ("mail", "ends later", 1200.0, why),
        ("orders", "ends later", 1200.0, why),
        ("report", "ends later", 600.0, why),
    ]
    assert answer["assumptions"][-1].startswith("b.toml: 1 task takes a share of a duration that is not known")
    (earlier,) = (
        change for change in list_changes(compare(gnomon, first="b.toml", second="b")) if change[0] == "report"
    )
    assert earlier == ("report", "ends earlier", -600.0, "orders.check takes less: 10 min instead of 30 min")


def test_a_removed_and_a_new_task_are_named(gnomon: Gnomon, sides: Path) -> None:
    (sides / "b" / "shop.py").write_text(SHOP.replace("[extract(), check()] >> load()", "extract()\n    check()"))
    answer = compare(gnomon)
    orders = ("orders", "ends earlier", -600.0, "orders.load is gone: it took 10 min")
    assert orders in list_changes(answer)
    assert ("mail", "vanishes", None) in [change[:3] for change in list_changes(answer)]
    (dag,) = (dag for dag in answer["dags"] if dag["dag_id"] == "orders")
    assert dag["why"].startswith("1 task of DAG orders is gone (load); ")
    back = compare(gnomon, first="b", second="a")
    assert ("orders", "ends later", 600.0, "orders.load was not there: it adds 10 min") in list_changes(back)


def test_a_task_beside_the_key_path_is_named_without_a_run(gnomon: Gnomon, sides: Path) -> None:
    (sides / "b" / "shop.py").write_text(SHOP.replace("[extract(), check()]", "extract()"))
    code, out, _ = gnomon("simulate", "--compare", "a", "b", *DAYS)
    assert code == 0
    assert out.startswith("no run is different; 1 DAG is\n")
    assert "1 task of DAG orders is gone (check); 1 task of DAG orders has another pool, limit" in out


def test_a_dag_that_starves_another_in_a_pool_is_named(gnomon: Gnomon, sides: Path) -> None:
    (sides / "b" / "big.py").write_text(HEAD + BIG)
    (sides / "b.toml").write_text('dags = "b"\nset.big.copy = "2h"\n')
    answer = compare(gnomon, *DAYS[:-1], "etl=1", second="b.toml")
    changes = list_changes(answer)
    assert changes[0] == ("big", "appears", None, "DAG big is new")
    why = {change[0]: change[3] for change in changes[1:]}
    assert why.keys() == {"mail", "orders", "report"}
    assert all(
        "waits 1 h 55 min longer for pool etl with 1 slot, which big.copy holds" in text for text in why.values()
    )


def test_fewer_tasks_at_once_are_a_reason(gnomon: Gnomon, sides: Path) -> None:
    (sides / "b.toml").write_text('dags = "b"\nparallelism = 1\n')
    answer = compare(gnomon, second="b.toml")
    assert answer["notes"] == ["1 tasks run at once in all instead of 32"]
    (orders,) = (change for change in list_changes(answer) if change[0] == "orders")
    assert "waits 10 min longer, because 1 task runs at once in all, mostly orders." in orders[3]


def test_a_failure_is_another_state_and_what_waits_does_not_end(gnomon: Gnomon, sides: Path) -> None:
    (sides / "b.toml").write_text('dags = "b"\nfail = ["orders.check"]\n')
    changes = {change[0]: change for change in list_changes(compare(gnomon, second="b.toml"))}
    assert changes["orders"][1:] == ("other state", -600.0, "orders.check fails")
    assert changes["report"][1:3] == ("does not end", None)
    assert "orders" in changes["report"][3]
    assert changes["mail"][1] == "vanishes"
    back = {change[0]: change for change in list_changes(compare(gnomon, first="b.toml"))}
    assert back["report"][1] == "ends now"


def test_a_removed_dag_and_its_waiters_are_named(gnomon: Gnomon, sides: Path) -> None:
    (sides / "b" / "shop.py").write_text(HEAD + ORDERS + REPORT.replace(', depends_on=[After("orders")]', ""))
    answer = compare(gnomon)
    assert {dag["dag_id"]: dag["why"] for dag in answer["dags"]}["mail"] == "DAG mail is gone"
    assert [dag["dag_id"] for dag in compare(gnomon, *DAYS, "mail")["dags"]] == ["mail"]


def test_revisions_are_compared_without_a_checkout(gnomon: Gnomon, sides: Path) -> None:
    git = ("git", "-c", "user.email=a@example.com", "-c", "user.name=a")
    for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "one")):
        subprocess.run([*git, *words], cwd=sides, check=True)
    (sides / "a" / "shop.py").write_text(SHOP.replace("30 2 * * *", "0 5 * * *"))
    (moved, _) = compare(gnomon, first="HEAD:a", second="a")["runs"]
    assert (moved["dag_id"], moved["change"], moved["shift_s"]) == ("report", "moves", 9000.0)


def test_an_expectation_that_only_the_second_breaks_is_the_exit_code(gnomon: Gnomon, sides: Path) -> None:
    (sides / "b.toml").write_text('dags = "b"\nset.report.build = "40m"\n')
    expected = ("--expect", "report ends before 03:00", "--expect", "orders ends before 02:15")
    code, out, err = gnomon("simulate", "--compare", "a", "b.toml", *DAYS, *expected, "-o", "json")
    answer = json.loads(out)
    assert (code, err) == (1, "gnomon: 2 violations of expectations\n")
    assert all(text.startswith("'report ends before 03:00'") for text in answer["violations"])
    assert all(text.startswith("'orders ends before 02:15'") for text in answer["violations_before"])
    code, out, _ = gnomon("simulate", "--compare", "b.toml", "a", *DAYS, *expected)
    assert code == 0 and "it ends at 2026-03-01T02:20:00Z, because " in out and "(so it was in b.toml)" in out


def test_an_expectation_about_a_new_dag_is_of_the_second_only(gnomon: Gnomon, sides: Path) -> None:
    (sides / "b" / "big.py").write_text(HEAD + BIG)
    code, _, err = gnomon("simulate", "--compare", "a", "b", *DAYS, "--expect", "big ends before 02:00")
    assert (code, err) == (1, "gnomon: 2 violations of expectations\n")
    code, _, err = gnomon("simulate", "--compare", "b", "a", *DAYS, "--expect", "big ends before 02:00")
    assert code == 1 and "names 'big', which is no DAG" in err


def test_csv_markdown_and_table_have_the_records_of_json(gnomon: Gnomon, sides: Path) -> None:
    (sides / "b.toml").write_text('dags = "b"\nset.orders.check = "30m"\n')
    answer = compare(gnomon, second="b.toml")
    words = ("simulate", "--compare", "a", "b.toml", *DAYS)
    code, out, err = gnomon(*words, "-o", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert code == 0 and err.startswith("6 runs are different: 6 ends later\n")
    assert [row["why"] for row in rows] == [run["why"] for run in answer["runs"]]
    assert list(rows[0]) == list(answer["runs"][0])
    markdown = gnomon(*words, "-o", "markdown").out
    assert markdown.startswith(
        "**6 runs are different: 6 ends later**\n\n| dag\\_id |" if "\\_id" in markdown else "**6"
    )
    assert (
        markdown.count("orders.check takes longer: 30 min instead of 10 min") == 3 + 3
    )  # a row for the runs of each DAG
    table = gnomon(*words).out
    assert table.count("orders.check takes longer: 30 min instead of 10 min") == 3 + 3
    whole = gnomon("simulate", "--dags", "a", *DAYS, "-o", "markdown").out
    assert whole.startswith("**6 runs, 10 attempts of tasks in all**\n\n| dag_id | run_after |")


def test_names_in_markdown_mean_nothing_there(gnomon: Gnomon, sides: Path) -> None:
    (sides / "a" / "shop.py").write_text(SHOP.replace('"report"', '"my_daily_report"'))
    out = gnomon("simulate", "--dags", "a", *DAYS, "-o", "markdown").out
    assert "| my\\_daily\\_report | " in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--compare", "a", "b", "--pool", "elt=2"), "--pool elt=2 names the pool 'elt'"),
        (("--compare", "a", "b", "--dags", "a"), "'dags' is changed twice, by --compare a and by --dags a"),
        (("--compare", "a", "nowhere"), "nowhere is not a folder"),
        (("--compare", "a", "b", "--tasks"), "--compare is about runs, and --tasks lists task instances"),
        (("--compare", "a", "b", "c.toml"), "'c.toml' is a second scenario file"),
        (("--compare", "a", "b", "invoices"), "the command line names 'invoices', which is no DAG"),
        (("--compare", "a", "c.toml"), "a is simulated from 2026-03-01T09"),
    ],
)
def test_a_comparison_of_nothing_is_refused(gnomon: Gnomon, sides: Path, words: tuple[str, ...], message: str) -> None:
    (sides / "c.toml").write_text('dags = "b"\nfrom = 2026-03-01\nfor = "3d"\n')
    code, out, err = gnomon("simulate", *words)
    assert (code, out) == (1, "")
    assert message in err, err
