"""Timetables of authors' own classes in a running product: a bad one is its own DAG's trouble; files may change under it."""

from __future__ import annotations

import io
import sqlite3
import zipfile
from collections.abc import Iterator

import pytest
from tests.acceptance.product import Product, Row, product

CALL_S = 9.0
"""What one call may take here; well above what the others may be late."""
LATE_MAX_S = 8.0
NEIGHBOURS = 20
EVERY = """
import itertools
import time
from datetime import datetime, timedelta, timezone
from airflow.plugins_manager import AirflowPlugin
from airflow.timetables.base import DagRunInfo, DataInterval, Timetable

class Every(Timetable):
    def __init__(self, seconds, mood="well"):
        self.seconds, self.mood = seconds, mood

    def serialize(self):
        return {"seconds": self.seconds, "mood": self.mood}

    @classmethod
    def deserialize(cls, data):
        return cls(**data)

    @property
    def summary(self):
        return f"every {self.seconds} s"

    def infer_manual_data_interval(self, *, run_after):
        return DataInterval.exact(run_after)

    def next_dagrun_info(self, *, last_automated_data_interval, restriction):
        if self.mood == "hang":
            while True:
                time.sleep(0.01)
        if self.mood == "stuck":
            sum(itertools.repeat(0))
        if self.mood == "raise":
            raise ValueError("moody")
        moment = datetime.now(timezone.utc).replace(microsecond=0) + timedelta(seconds=1)
        if last_automated_data_interval is not None:
            moment = max(moment, last_automated_data_interval.end + timedelta(seconds=self.seconds))
        return DagRunInfo.exact(moment)

class EveryPlugin(AirflowPlugin):
    name = "every"
    timetables = [Every]
"""
DAG = """
from datetime import datetime, timezone
from airflow import DAG
from airflow.operators.empty import EmptyOperator
{imports}

with DAG("{dag_id}", schedule={schedule}, start_date=datetime(2026, 1, 1, tzinfo=timezone.utc), catchup=False):
    EmptyOperator(task_id="only")
"""
FROM_PLUGIN = "from every import Every"


def dag(dag_id: str, schedule: str, imports: str = FROM_PLUGIN) -> str:
    return DAG.format(dag_id=dag_id, schedule=schedule, imports=imports)


def named(cls: str) -> str:
    """The module with its class, and its plugin, under another name."""
    return EVERY.replace("Every", cls).replace('"every"', f'"{cls.lower()}"')


def archive(**members: str) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as opened:
        for name, text in members.items():
            opened.writestr(f"{name}.py", text)
    return made.getvalue()


@pytest.fixture(scope="module")
def running() -> Iterator[Product]:
    files = {
        "../plugins/every.py": EVERY,
        "../plugins/team/hours.py": named("Nested"),
        "../plugins/bad.py": "from airflow.plugins_manager import AirflowPlugin\n\nx = 1 / 0\n",
        "hang.py": dag("hang", "Every(1, 'hang')"),
        "stuck.py": dag("stuck", "Every(1, 'stuck')"),
        "well.py": dag("well", "Every(1)"),
        "nested.py": dag("nested", "Nested(1)", "from hours import Nested"),
        "beside.py": dag("beside", "Beside(1)", "from beside_it import Beside"),
        "beside_it.py": named("Beside"),
        "moody.py": dag("moody", "Every(3600)"),
        "neighbours.py": "\n".join(dag(f"cron{n}", "'* * * * * */2'", "") for n in range(NEIGHBOURS)),
    }
    environ = {
        "GNOMON__SCHEDULER__TIMETABLE_TIMEOUT": f"{CALL_S:g}",
        "GNOMON__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
    }
    with product(files, environ) as made:
        (made.dags / "team.zip").write_bytes(
            archive(zipped=dag("zipped", "Zipped(1)", "from inside import Zipped"), inside=named("Zipped"))
        )
        for dag_id in ("well", "nested", "beside", "zipped", "moody"):
            made.has_dag(dag_id)
        yield made


def error_of(running: Product, dag_id: str) -> str:
    return next((row["error"] or "" for row in running.rows("dags", "list") if row["dag_id"] == dag_id), "")


def scheduled(running: Product, dag_id: str) -> list[Row]:
    return [row for row in running.rows("runs", "list", dag_id) if row["run_type"] == "scheduled"]


def find_schedule(running: Product, dag_id: str) -> str:
    [schedule] = [row["schedule"] for row in running.rows("dags", "list") if row["dag_id"] == dag_id]
    return str(schedule)


def lateness_s(running: Product) -> dict[str, list[float]]:
    """Of each neighbour: by how much each scheduled run was made after it was due."""
    db = sqlite3.connect(f"file:{running.home / 'gnomon.db'}?mode=ro", uri=True)
    try:
        rows = db.execute(
            "SELECT dag_id, (queued_at - run_after) / 1e6 FROM dag_run JOIN dag USING (dag_pk) "
            "WHERE dag_id LIKE 'cron%' AND run_type = 'scheduled' ORDER BY run_pk"
        ).fetchall()
    finally:
        db.close()
    found: dict[str, list[float]] = {}
    for dag_id, late in rows:
        found.setdefault(dag_id, []).append(late)
    return found


def test_one_that_hangs_is_told_on_its_dag_and_delays_nobody(running: Product) -> None:
    running.until(lambda: "did not answer within" in error_of(running, "hang"), "hang is told")
    running.until(lambda: "did not answer within" in error_of(running, "stuck"), "stuck is told")
    assert "every.py, line" in error_of(running, "hang") and "Every.next_dagrun_info" in error_of(running, "stuck")
    told = running.do("explain", "hang")
    assert "did not answer within" in told
    running.until(lambda: len(scheduled(running, "well")) >= 5, "the well one runs")
    late = lateness_s(running)
    assert len(late) == NEIGHBOURS
    # The first runs of new DAGs were due before these were seen, or while everything started.
    assert all(len(each) >= 4 and max(each[2:]) < LATE_MAX_S for each in late.values()), late
    assert not [
        row["dag_id"] for row in running.rows("dags", "list") if row["error"] and row["dag_id"] not in ("hang", "stuck")
    ]


@pytest.mark.parametrize("dag_id", ["well", "nested", "beside", "zipped"])
def test_a_class_is_found_wherever_its_dag_file_found_it(dag_id: str, running: Product) -> None:
    running.has_dag(dag_id)
    running.until(lambda: len(scheduled(running, dag_id)) >= 2, f"{dag_id} runs")
    rows = scheduled(running, dag_id)
    assert len({row["run_after"] for row in rows}) == len(rows)
    assert find_schedule(running, dag_id) == "every 1 s"


def test_an_edited_class_is_asked_anew_and_a_repaired_one_is_well_again(running: Product) -> None:
    running.has_dag("moody")
    running.until(lambda: len(scheduled(running, "moody")) >= 1, "its first run")
    running.write("moody.py", dag("moody", "Every(3600, 'raise')"))
    running.until(lambda: "ValueError: moody" in error_of(running, "moody"), "the edit is told")
    assert "every.py" in running.do("dags", "show", "moody")
    running.write("moody.py", dag("moody", "Every(1)"))
    running.until(
        lambda: error_of(running, "moody") == "" and len(scheduled(running, "moody")) >= 3, "it is well again"
    )


def test_the_class_may_change_in_the_plugin_itself(running: Product) -> None:
    module = running.home / "plugins" / "team" / "hours.py"
    module.write_text(named("Nested").replace("every {", "each {"))
    running.until(lambda: find_schedule(running, "nested") == "each 1 s", "the new words")
    before = len(scheduled(running, "nested"))
    running.until(lambda: len(scheduled(running, "nested")) > before, "it goes on")
    module.write_text(named("Nested"))
    running.until(lambda: find_schedule(running, "nested") == "every 1 s", "the old words again")


def test_a_class_that_is_gone_is_told_and_its_dag_stays(running: Product) -> None:
    (running.dags / "beside_it.py").unlink()
    running.until(lambda: "beside_it" in running.do("dags", "errors"), "its file is told")
    assert "beside" in {row["dag_id"] for row in running.rows("dags", "list")}
    running.write("beside_it.py", named("Beside") + "# back again\n")
    before = len(scheduled(running, "beside"))
    running.until(lambda: len(scheduled(running, "beside")) > before + 1, "it goes on")


def test_coming_runs_are_shown_and_a_bad_plugin_is_told_with_its_line(running: Product) -> None:
    running.has_dag("well")
    running.until(lambda: running.do("dags", "show", "well").count("Z") >= 5, "its coming runs")
    told = {row["name"]: row for row in running.rows("plugins", "list")}
    assert told["every"]["timetables"] == ["every.Every"] and "bad.py, line 3" in told["bad.py"]["error"]
    assert "bad.py, line 3: ZeroDivisionError" in running.do("dags", "errors")


def test_after_a_restart_nothing_is_lost_or_doubled(running: Product) -> None:
    running.restart()
    before = len(scheduled(running, "well"))
    running.until(lambda: len(scheduled(running, "well")) > before + 2, "it goes on")
    rows = [row["run_after"] for row in scheduled(running, "well")]
    assert len(set(rows)) == len(rows)
