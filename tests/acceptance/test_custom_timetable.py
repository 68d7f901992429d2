"""The timetable of the tutorial, registered in four ways, in a running product: its runs, names, words and runs by hand."""

from __future__ import annotations

import datetime as dt
import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.acceptance.product import Product, product

DOCS = Path(__file__).parents[2] / "docs"
WEEK = [
    f"2021-01-0{day} {name}" for day, name in enumerate(("Monday", "Tuesday", "Wednesday", "Thursday", "Friday"), 4)
]
_ENDS = "    end_date=dt.datetime(2021, 1, 8, tzinfo=dt.UTC),\n    catchup=True"
WAYS = ("workday_report", "alone", "packaged", "plugged")
"""DAG ids: the class in a file of the plugins folder, in the DAG's file, in an installed package, in a plugin's list."""


def _page() -> dict[str, str]:
    """The files that the tutorial makes its reader write."""
    spec = importlib.util.spec_from_file_location("check", DOCS / "check.py")
    assert spec is not None and spec.loader is not None
    check = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(check)
    files: dict[str, str] = check.files_of(DOCS / "tutorial" / "custom-timetable.md")
    return files


def _named(dag: str, dag_id: str, module: str) -> str:
    """The tutorial's DAG under another id, with the class from another module."""
    assert "from after_workday import" in dag and 'DAG(\n    "workday_report"' in dag
    return dag.replace("from after_workday import", f"from {module} import").replace('"workday_report"', f'"{dag_id}"')


def _install(folder: Path, page: dict[str, str]) -> None:
    """A package with the class and the plugin of the page's pyproject, as pip leaves it there."""
    plugin = page["plugins/acme_plugin.py"].replace("after_workday", "acme_times")
    (folder / "acme_times.py").write_text(page["plugins/after_workday.py"])
    (folder / "acme_packaged_plugin.py").write_text(plugin)
    info = folder / "acme_timetables-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-timetables\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[airflow.plugins]\nacme = acme_packaged_plugin:AcmePlugin\n")


@pytest.fixture(scope="module")
def deployed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """A standalone with one DAG for each way to register the class."""
    page = _page()
    package = tmp_path_factory.mktemp("package")
    _install(package, page)
    dag, cls = page["dags/workdays.py"], page["plugins/after_workday.py"]
    files = {
        "../plugins/after_workday.py": cls,
        "../plugins/plugged_times.py": f"{cls}\n\n{page['plugins/acme_plugin.py'].replace('from after_workday import AfterWorkday', '')}",
        "report.py": dag,
        "alone.py": cls + _named(dag, "alone", "datetime").replace("from datetime import AfterWorkday\n", ""),
        "packaged.py": _named(dag, "packaged", "acme_times"),
        "plugged.py": _named(dag, "plugged", "plugged_times"),
        "by_hand.py": _named(dag, "by_hand", "after_workday").replace(_ENDS, "    catchup=False"),
        "workdays.py": _named(dag, "workdays", "airflow.example_dags.plugins.workday")
        .replace("import AfterWorkday\n", "import AfterWorkdayTimetable\n")
        .replace("AfterWorkday(at=dt.time(8))", "AfterWorkdayTimetable()")
        .replace(_ENDS, "    catchup=False"),
        "never.py": "from gnomon import DAG, task\n\nwith DAG('never', schedule=None):\n\n    @task.bash\n"
        "    def tell():\n        return \"echo 'from {{ data_interval_start }} to {{ data_interval_end }}'\"\n\n    tell()\n",
    }
    path = os.pathsep.join([str(package), *filter(None, [os.environ.get("PYTHONPATH")])])
    with product(files, {"PYTHONPATH": path}) as running:
        for dag_id in (*WAYS, "by_hand", "workdays", "never"):
            running.has_dag(dag_id)
            running.do("dags", "unpause", dag_id)
        yield running


@pytest.mark.parametrize("dag_id", WAYS)
def test_every_workday_has_its_run_once_under_its_own_name(dag_id: str, deployed: Product) -> None:
    rows: dict[str, dict[str, str]] = {}

    def ended() -> bool:
        rows.update(_scheduled(deployed, dag_id))
        return [row["state"] for row in rows.values()].count("success") >= len(WEEK)

    deployed.until(ended, f"the runs of {dag_id} have ended")
    assert sorted(rows) == sorted(WEEK)
    friday = rows["2021-01-08 Friday"]
    assert friday["run_after"] == "2021-01-09T08:00:00.000000+00:00"
    assert friday["data_interval_start"] == friday["logical_date"] == "2021-01-08T00:00:00.000000+00:00"
    assert friday["data_interval_end"] == "2021-01-09T00:00:00.000000+00:00"
    log = deployed.task_log(dag_id, "2021-01-05 Tuesday", "tell")
    assert "from 2021-01-05 00:00:00+00:00 to 2021-01-06 00:00:00+00:00" in log


def test_listings_have_its_words(deployed: Product) -> None:
    schedules = {row["dag_id"]: row["schedule"] for row in deployed.rows("dags", "list")}
    assert {schedules[dag_id] for dag_id in WAYS} == {"after each workday, at 08:00:00"}
    shown = deployed.do("dags", "show", "workday_report")
    assert "Schedule: after each workday, at 08:00:00" in shown
    assert "2021" not in shown.partition("next runs")[2], "its runs are over"
    assert "its timetable has no further run" in deployed.do("explain", "workday_report")
    assert deployed.do("dags", "errors").strip() == "no errors"


@pytest.mark.parametrize("dag_id", WAYS)
def test_a_run_by_hand_is_asked_of_the_class_wherever_it_stands(dag_id: str, deployed: Product) -> None:
    made = deployed.rows("dags", "trigger", dag_id, "--logical-date", "2021-01-04T09:00:00+00:00")
    assert made["data_interval_start"] == "2021-01-01T00:00:00.000000+00:00"
    assert made["data_interval_end"] == "2021-01-02T00:00:00.000000+00:00"


@pytest.mark.parametrize(
    ("moment", "start"),
    [
        ("2024-03-10T09:00:00+00:00", "2024-03-08"),
        ("2024-03-11T09:00:00+00:00", "2024-03-08"),
        ("2024-07-05T00:00:00+00:00", "2024-07-03"),
    ],
    ids=["on a Sunday", "on a Monday", "the day after a holiday"],
)
def test_a_run_by_hand_of_the_published_class_is_about_the_workday_before_it(
    moment: str, start: str, deployed: Product
) -> None:
    made = deployed.rows("dags", "trigger", "workdays", "--logical-date", moment)
    _is_about(deployed, "workdays", made, dt.datetime.fromisoformat(f"{start}T00:00:00+00:00"), dt.timedelta(days=1))


def test_a_run_by_hand_now_is_about_the_last_complete_workday(deployed: Product) -> None:
    before = _last_workday(dt.datetime.now(dt.UTC))
    made = deployed.rows("dags", "trigger", "by_hand")
    assert made["logical_date"] is None
    if before == _last_workday(dt.datetime.now(dt.UTC)):  # not while a day begins
        _is_about(deployed, "by_hand", made, before, dt.timedelta(days=1))


def test_a_run_by_hand_of_a_dag_without_a_schedule_is_about_its_instant(deployed: Product) -> None:
    made = deployed.rows("dags", "trigger", "never")
    now = dt.datetime.fromisoformat(made["run_after"])
    _is_about(deployed, "never", made, now, dt.timedelta(0))


def test_plugins_that_register_it_are_listed(deployed: Product) -> None:
    listed = {tuple(row["timetables"]): row["error"] for row in deployed.rows("plugins", "list")}
    assert listed == {("plugged_times.AfterWorkday",): None, ("acme_times.AfterWorkday",): None}


def test_dags_test_asks_the_timetable_too(deployed: Product) -> None:
    ended = deployed.cli("dags", "test", str(deployed.dags / "alone.py"), "--logical-date", "2024-03-10T09:00:00+00:00")
    assert ended.code == 0, ended.err
    assert "success" in ended.out


def _is_about(deployed: Product, dag_id: str, made: dict[str, str], start: dt.datetime, length: dt.timedelta) -> None:
    """In the record before the run starts, and in its templates."""
    assert dt.datetime.fromisoformat(made["data_interval_start"]) == start
    assert dt.datetime.fromisoformat(made["data_interval_end"]) == start + length
    assert made["state"] == "queued"
    assert deployed.ended(dag_id, made["run_id"])["state"] == "success"
    assert f"from {start} to {start + length}" in deployed.task_log(dag_id, made["run_id"], "tell")


def _last_workday(now: dt.datetime) -> dt.datetime:
    """Written apart from the timetable."""
    back = {0: 3, 6: 2}.get(now.weekday(), 1)
    return dt.datetime.combine(now.date() - dt.timedelta(days=back), dt.time(), dt.UTC)


def _scheduled(deployed: Product, dag_id: str) -> dict[str, dict[str, str]]:
    rows = deployed.rows("runs", "list", dag_id)
    return {row["run_id"]: row for row in rows if row["run_type"] == "scheduled"}
