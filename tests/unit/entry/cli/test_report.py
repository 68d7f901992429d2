"""`gnomon simulate --report`: what is in the page, its bounds, and names that would be HTML."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.unit.entry.cli.conftest import Gnomon
from tests.unit.entry.cli.test_simulate import DAY, SHOP

from gnomon.entry.cli.simulations import report_data
from gnomon.entry.cli.simulations.report_data import ReportSource, build_report
from gnomon.entry.cli.simulations.report_file import write_report
from gnomon.entry.projection.run_outcomes import RunOutcome
from gnomon.entry.projection.simulation import Scenario, SimulatedRuns
from gnomon.entry.simulate.year_simulation import SETTINGS
from gnomon.model.instants import SECOND, Instant
from gnomon.model.sentences import quote
from gnomon.model.states import DagRunState

START: Instant = 1_767_225_600 * SECOND
MINUTE = 60 * SECOND
HOSTILE = "</script><script>alert(1)</script><!--"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "dags").mkdir()
    (tmp_path / "dags" / "shop.py").write_text(SHOP)
    return tmp_path / "dags"


def read_data(file: Path) -> dict[str, Any]:
    (text,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', file.read_text(), re.DOTALL)
    data: dict[str, Any] = json.loads(text)
    return data


def run_of(dag_id: str, number: int, minutes: int = 5) -> RunOutcome:
    due = START + number * 10 * MINUTE
    ended_at = due + minutes * MINUTE
    return RunOutcome(dag_id, number, f"r{number}", "scheduled", due, DagRunState.SUCCESS, due, due, ended_at)


def source_of(runs: list[RunOutcome]) -> ReportSource:
    scenario = Scenario(dags=[], start=START, end=START + 86_400 * SECOND, settings=SETTINGS, worker_slots=1)
    return ReportSource(("dags",), scenario, SimulatedRuns(runs, 0, []), "UTC", [], [])


def test_the_page_has_runs_pools_baselines_and_assumptions(gnomon: Gnomon, folder: Path, tmp_path: Path) -> None:
    (folder / "shop.py").write_text(
        SHOP.replace("import DAG,", "import DAG, Baseline,").replace(
            'depends_on=[After("orders")]', 'depends_on=[After("orders")], baselines=Baseline("02:45")'
        )
    )
    file = tmp_path / "out.html"
    options = ("--set", "orders=45m", "--pool", "etl=2", "--expect", "report ends before 02:40")
    code, out, err = gnomon("simulate", "--dags", str(folder), *DAY, *options, "--report", str(file))
    assert code == 1 and f"the page is in {file}" in err and "orders" in out
    data = read_data(file)
    assert [dag["id"] for dag in data["dags"]] == ["orders", "report"]
    assert data["dags"][1]["bars"] == [[0, 9_000_000, 9_900_000, 9_960_000, 0, 1, "", None, None]]
    etl = data["pools"][0]
    assert (etl["name"], etl["limit"], etl["peak"], etl["points"]) == ("etl", 2, 2, [[7_200_000, 2], [9_900_000, 0]])
    assert [(line["name"], line["due"], line["met"]) for line in data["baselines"]] == [("report", 9_900_000, False)]
    assert [row[0] for row in data["rows"]] == ["orders", "report"] and data["total"] == 2
    assert len(data["violations"]) == 1 and any("假定" in chinese for _, chinese in data["notes"])


def test_differences_of_a_comparison_are_marked(gnomon: Gnomon, folder: Path, tmp_path: Path) -> None:
    scenario = tmp_path / "b.toml"
    scenario.write_text('dags = "dags"\n[set]\n"orders.check" = "45m"\n[schedule]\nreport = "30 4 * * *"\n')
    file = tmp_path / "out.html"
    code, _, _ = gnomon("simulate", "--compare", str(folder), str(scenario), *DAY, "--report", str(file))
    data = read_data(file)
    assert code == 0 and data["names"] == [str(folder), str(scenario)]
    bars = {dag["id"]: dag["bars"][0] for dag in data["dags"]}
    assert bars["orders"][6:] == ["ends later", 7_200_000, 7_260_000]
    assert bars["report"][1:4] == [16_200_000, 16_200_000, 16_260_000] and bars["report"][6] == "moves"
    assert [row[5] for row in data["rows"]] == ["ends later", "moves"]
    assert data["pools"][0]["before"] is not None and [dag_id for dag_id, _ in data["differences"]] == [
        "orders",
        "report",
    ]


def test_nothing_of_a_name_is_html(tmp_path: Path) -> None:
    source = replace(source_of([run_of(HOSTILE, 1)]), names=(HOSTILE,), notes=[quote(HOSTILE)])
    write_report(str(tmp_path / "out.html"), build_report(source))
    text = (tmp_path / "out.html").read_text()
    assert "alert(1)<" not in text and text.count("<script") == text.count("</script>") == 2
    data = read_data(tmp_path / "out.html")
    assert (data["names"], data["dags"][0]["id"], data["notes"]) == ([HOSTILE], HOSTILE, [[HOSTILE, HOSTILE]])


def test_the_page_is_one_file_that_names_no_address(tmp_path: Path) -> None:
    write_report(str(tmp_path / "out.html"), build_report(source_of([])))
    text = (tmp_path / "out.html").read_text()
    assert re.findall(r"https?:|src=|href=|@import|url\(", text) == []
    assert "default-src 'none'" in text


def test_of_many_runs_bars_are_merged_and_rows_are_left_out_with_a_sentence() -> None:
    runs = [run_of(dag_id, number) for dag_id in ("a", "b") for number in range(10_000)] + [run_of("c", 1)]
    data = build_report(source_of(runs))
    bars = {dag["id"]: dag["bars"] for dag in data["dags"]}
    assert sum(map(len, bars.values())) <= report_data.BARS_MAX and len(data["rows"]) == report_data.ROWS_MAX
    assert all(sum(bar[5] for bar in bars[dag_id]) == 10_000 for dag_id in ("a", "b"))
    assert bars["a"][0][1:4] == [0, 0, 1_500_000] and bars["a"][0][5] == 3
    assert [english for english, _ in data["notes"]] == [
        "bars with stripes stand for several runs that follow one another: 20,000 runs are drawn so, because they are many",
        "the table leaves 19,001 runs out",
    ]
    assert len(json.dumps(data)) < 2_000_000


def test_runs_at_once_lie_in_lanes() -> None:
    data = build_report(source_of([run_of("a", 0, 25), run_of("a", 1, 25), run_of("a", 2, 25), run_of("a", 3, 5)]))
    assert (data["dags"][0]["lanes"], [bar[0] for bar in data["dags"][0]["bars"]]) == (3, [0, 1, 2, 0])


def test_a_file_that_cannot_be_written_is_a_sentence(gnomon: Gnomon, folder: Path, tmp_path: Path) -> None:
    file = str(tmp_path / "missing" / "out.html")
    code, _, err = gnomon("simulate", "--dags", str(folder), *DAY, "--report", file)
    assert code == 1
    assert (
        err
        == f"gnomon: the page cannot be written to {file}: No such file or directory; name a file in a folder that exists\n"
    )
    code, _, err = gnomon(
        "simulate",
        "--dags",
        str(folder),
        *DAY,
        "--expect",
        "report ends before 05:00",
        "--find",
        "workers",
        "--report",
        file,
    )
    assert code == 1 and "--find answers with one value; leave --report out" in err
