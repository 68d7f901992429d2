"""`gnomon dependencies`."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from tests.unit.entry.cli.conftest import Gnomon
from tests.unit.entry.cli.deployment import HOURLY, Deployment, spec_of

from gnomon.entry.cli.deployment.home import Home
from gnomon.model.upstream_edges import DependencySpec
from gnomon.rules.timetables.registry import reference
from gnomon.storage.store.cross_dag import dag_edges
from gnomon.timetables import DiscreteHours

MORNING = reference(DiscreteHours([3, 6, 8]))
PREVIEW = ("dependencies", "preview")
GRAPH = ("dependencies", "graph")
FILE = """
from gnomon import DAG, After
from gnomon.operators import EmptyOperator
from gnomon.timetables import DiscreteHours, Hourly

with DAG("loads", schedule=DiscreteHours([3, 6, 8], timezone="UTC")):
    EmptyOperator(task_id="load")
with DAG("report", schedule=Hourly(timezone="UTC"), depends_on=After("loads")):
    EmptyOperator(task_id="report", depends_on=After("elsewhere", task_id="done"))
"""
ELSEWHERE = """
from datetime import datetime, timedelta
from airflow.timetables.base import DagRunInfo, DataInterval, Timetable
from gnomon import DAG
from gnomon.operators import EmptyOperator

class Nightly(Timetable):
    def next_dagrun_info(self, *, last_automated_data_interval, restriction):
        start = restriction.earliest if last_automated_data_interval is None else last_automated_data_interval.end
        end = start.replace(hour=1, minute=0, second=0, microsecond=0)
        return DagRunInfo.interval(start, end if end > start else end + timedelta(days=1))
    def infer_manual_data_interval(self, *, run_after):
        return DataInterval.exact(run_after)

with DAG("elsewhere", schedule=Nightly(), start_date=datetime(2026, 1, 1)):
    EmptyOperator(task_id="done")
"""


@pytest.fixture
def stored(deployment: Deployment) -> Deployment:
    deployment.add(
        spec_of("loads", timetable=MORNING),
        spec_of("report", timetable=HOURLY, depends_on=(DependencySpec(dag_id="loads"),)),
        spec_of("lost", timetable=HOURLY, depends_on=(DependencySpec(dag_id="laods"),)),
        spec_of("by_hand", depends_on=(DependencySpec(dag_id="loads"),)),
    )
    return deployment


def test_preview_of_a_stored_dag_shows_today_by_its_clocks(gnomon: Gnomon, stored: Deployment) -> None:
    code, out, err = gnomon(*PREVIEW, "report")
    assert (code, err) == (0, "")
    assert out.splitlines()[:3] == [
        "report on Sun 2026-03-01, in the time zone UTC",
        "",
        "report waits for loads (at 03:00, 06:00, 08:00; the database)",
    ]
    assert "09:00 to 23:00 (15)  08:00      rule two, carried   (07:00, 08:00]" in out
    assert max(map(len, out.splitlines())) <= 100


def test_preview_as_json_has_every_run_with_its_slots(gnomon: Gnomon, stored: Deployment) -> None:
    told = json.loads(gnomon(*PREVIEW, "report", "--day", "2026-03-02", "-o", "json").out)
    assert {name: told[name] for name in ("dag_id", "day", "timezone", "from", "until")} == {
        "dag_id": "report",
        "day": "2026-03-02",
        "timezone": "UTC",
        "from": "2026-03-02T00:00:00.000000+00:00",
        "until": "2026-03-03T00:00:00.000000+00:00",
    }
    (one,) = told["dependencies"]
    assert (one["task_id"], one["after"]["dag_id"], one["after"]["take"], one["found_in"]) == (
        None,
        "loads",
        "all",
        "the database",
    )
    assert len(one["runs"]) == 24
    assert one["runs"][7] == {
        "run_after": "2026-03-02T07:00:00.000000+00:00",
        "waits_for": ["2026-03-02T06:00:00.000000+00:00"],
        "rule": "carried",
        "window_start": "2026-03-02T05:00:00.000001+00:00",
        "window_end": "2026-03-02T06:00:00.000001+00:00",
    }
    assert [slot[11:16] for slot in one["upstream_slots"]] == ["03:00", "06:00", "08:00"]


def test_preview_as_svg_is_a_picture(gnomon: Gnomon, stored: Deployment) -> None:
    code, out, _ = gnomon(*PREVIEW, "report", "-o", "svg")
    assert code == 0
    assert ET.fromstring(out).tag == "{http://www.w3.org/2000/svg}svg"


def test_an_upstream_that_is_nowhere_is_named_and_the_exit_code_is_1(gnomon: Gnomon, stored: Deployment) -> None:
    code, out, err = gnomon(*PREVIEW, "lost")
    assert code == 1
    assert "there is no DAG 'laods': neither the file nor the database nor the DAGs folder has it" in out
    assert err.startswith("gnomon: some waits cannot be shown: there is no DAG 'laods'")
    code, out, err = gnomon(*PREVIEW, "lost", "-o", "svg")
    assert (code, out) == (1, "")
    assert "there is nothing to draw for DAG 'lost' on 2026-03-01: there is no DAG 'laods'" in err


def test_a_dag_that_waits_for_nobody_and_one_without_a_schedule_say_so(gnomon: Gnomon, stored: Deployment) -> None:
    assert gnomon(*PREVIEW, "loads").out.splitlines()[1:] == ["this DAG waits for no other DAG"]
    assert json.loads(gnomon(*PREVIEW, "loads", "-o", "json").out)["dependencies"] == []
    assert "no runs that wait: it has no schedule" in gnomon(*PREVIEW, "by_hand").out
    assert "it waits for no other DAG" in gnomon(*PREVIEW, "loads", "-o", "svg").err


def test_an_upstream_without_slots_is_an_error(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("manual"), spec_of("waits", timetable=HOURLY, depends_on=(DependencySpec(dag_id="manual"),)))
    assert gnomon(*PREVIEW, "waits") == (
        1,
        "waits on Sun 2026-03-01, in the time zone UTC\n\nwaits waits for manual (None; the database)\n"
        "DAG 'manual' has no slots to wait for: it has no schedule\n",
        "gnomon: some waits cannot be shown: DAG 'manual' has no slots to wait for: it has no schedule\n",
    )


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("nothing",), "there is no DAG 'nothing'"),
        (("reprot",), "did you mean 'report'?"),
        (("report", "--dag-id", "loads"), "--dag-id can be given only with a file; 'report' is a DAG id"),
        (("report", "--day", "0001-01-01"), "choose a day in the years 1900 to 9000"),
        (("/nowhere/x.py",), "there is no file /nowhere/x.py"),
    ],
)
def test_mistakes_are_answered_in_words(words: tuple[str, ...], told: str, gnomon: Gnomon, stored: Deployment) -> None:
    code, out, err = gnomon(*PREVIEW, *words)
    assert (code, out) == (1, "")
    assert told in err


def test_a_day_that_is_none_is_wrong_usage(gnomon: Gnomon, stored: Deployment) -> None:
    assert gnomon(*PREVIEW, "report", "--day", "tomorrow").code == 2


def test_a_file_is_shown_without_a_database_with_upstreams_of_the_dags_folder_and_timetables_of_authors(
    empty_home: Home, tmp_path: Path, gnomon: Gnomon
) -> None:
    folder = Path(empty_home.cfg.dags_folder)
    folder.mkdir(parents=True)
    (folder / "elsewhere.py").write_text(ELSEWHERE)
    file = tmp_path / "report.py"
    file.write_text(FILE)
    code, out, err = gnomon(*PREVIEW, str(file), "--dag-id", "report", "-o", "json")
    assert (code, err) == (0, "")
    first, second = json.loads(out)["dependencies"]
    assert (first["found_in"], len(first["runs"]), first["runs"][0]["rule"]) == ("the same file", 24, "forward")
    assert (second["found_in"], second["task_id"], second["after"]["task_id"]) == ("the DAGs folder", "report", "done")
    assert {slot for run in second["runs"] for slot in run["waits_for"]} == {"2026-03-01T01:00:00.000000+00:00"}
    assert "choose one with --dag-id: loads, report" in gnomon(*PREVIEW, str(file)).err


def test_a_timetable_that_fails_is_named_and_the_others_are_shown(empty_home: Home, gnomon: Gnomon) -> None:
    folder = Path(empty_home.cfg.dags_folder)
    folder.mkdir(parents=True)
    (folder / "elsewhere.py").write_text(
        ELSEWHERE.replace("start = restriction", "raise ValueError('no nights'); start = restriction")
    )
    (folder / "report.py").write_text(FILE)
    code, out, err = gnomon(*PREVIEW, "report")
    assert code == 1
    assert "rule two, carried" in out
    assert "report.report waits for elsewhere.done: " in err
    assert "no nights" in err


def test_graph_names_every_dependency_and_what_is_wrong(gnomon: Gnomon, stored: Deployment) -> None:
    with stored.db.write() as tx:
        dag_pk = next(row.dag_pk for row in dag_edges.list_edges(tx) if row.dag_id == "report")
        dag_edges.set_dependency_errors(tx, {dag_pk: "it is in a circle"}, stored.clock.now())
    code, out, err = gnomon(*GRAPH)
    assert code == 0
    assert [line.split()[:2] for line in out.splitlines()[2:]] == [
        ["by_hand", "loads"],
        ["lost", "laods"],
        ["report", "loads"],
    ]
    assert err.splitlines() == [
        "report: it is in a circle",
        "lost: there is no DAG laods; runs wait until a file defines it",
    ]
    rows = json.loads(gnomon(*GRAPH, "-o", "json").out)
    assert [(row["dag_id"], row["upstream_dag_id"], row["unknown"], row["error"]) for row in rows] == [
        ("by_hand", "loads", False, None),
        ("lost", "laods", True, None),
        ("report", "loads", False, "it is in a circle"),
    ]


def test_graph_as_dot_leads_from_what_is_waited_for_to_what_waits(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(
        spec_of('a"b', timetable=HOURLY, depends_on=(DependencySpec(dag_id="up", task_id="t", previous=2, take="any"),))
    )
    assert gnomon(*GRAPH, "-o", "dot").out.splitlines()[1:] == [
        '  rankdir=LR; node [shape=box, fontname="sans-serif"];',
        '  "up" [style=dashed];',
        '  "up" -> "a\\"b" [label="t, 2 periods before, any one of them"];',
        "}",
    ]


def test_graph_as_svg_has_a_name_and_a_line_for_each(gnomon: Gnomon, stored: Deployment) -> None:
    document = ET.fromstring(gnomon(*GRAPH, "-o", "svg").out)
    texts = [text.text for text in document.iter("{http://www.w3.org/2000/svg}text")]
    assert texts[0] == "5 DAGs, 3 dependencies"
    assert sorted(filter(None, texts[2:])) == ["by_hand", "laods", "loads", "lost", "report"]
    heights = [int(text.get("y", "0")) for text in document.iter("{http://www.w3.org/2000/svg}text")][2:]
    assert sorted(heights) == list(range(min(heights), max(heights) + 1, 22))


def test_graph_of_nothing_says_so(gnomon: Gnomon, home: Home) -> None:
    assert gnomon(*GRAPH) == (0, "no DAG waits for another DAG\n", "")
    assert json.loads(gnomon(*GRAPH, "-o", "json").out) == []
    assert "nothing to draw" in gnomon(*GRAPH, "-o", "svg").err


def test_graph_without_a_database_reads_the_dags_folder_and_finds_circles(empty_home: Home, gnomon: Gnomon) -> None:
    folder = Path(empty_home.cfg.dags_folder)
    folder.mkdir(parents=True)
    (folder / "report.py").write_text(FILE)
    (folder / "circle.py").write_text(
        "from gnomon import DAG, After\nx = DAG('x', schedule='@daily', depends_on=After('y'))\ny = DAG('y', schedule='@daily', depends_on=After('x'))\n"
    )
    code, out, err = gnomon(*GRAPH)
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()[2:]] == ["report", "report.report", "x", "y"]
    assert "x: DAG 'x' is in a cycle" in err
    assert "report.report: there is no DAG elsewhere" in err
