"""Every mistake that a newcomer makes with a timetable is said on its DAG, with the remedy, and disturbs nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.acceptance.product import Product, product

_TOP = """
import datetime as dt
from airflow.timetables.base import DagRunInfo, DataInterval, Timetable
from gnomon import DAG, task

DAY = dt.timedelta(days=1)
START = dt.datetime(2021, 1, 4, tzinfo=dt.UTC)


class Mine(Timetable):
    def next_dagrun_info(self, *, last_automated_data_interval, restriction):
        last = last_automated_data_interval
        return None if last and last.end > START + DAY else DagRunInfo.interval(*((last.end, last.end + DAY) if last else (START, START + DAY)))

    def infer_manual_data_interval(self, *, run_after):
        return DataInterval.exact(run_after)

"""
_END = """

with DAG({dag_id!r}, schedule={schedule}, start_date=START, catchup=True, is_paused_upon_creation=False):
    @task.bash
    def tell():
        return "true"
    tell()
"""

WHEN_PARSED = {
    "class_not_instance": ("", "Mine", "the schedule is the class Mine, not a timetable made from it; write Mine(...)"),
    "not_json": (
        "    def __init__(self, at): self.at = at\n    def serialize(self): return {'at': self.at}\n"
        "    @classmethod\n    def deserialize(cls, data): return cls(data['at'])\n",
        "Mine(dt.time(8))",
        "Mine.serialize returned a time in ['at'], which JSON cannot hold",
    ),
    "no_deserialize": (
        "    def __init__(self, at): self.at = at\n    def serialize(self): return {'at': self.at.isoformat()}\n",
        "Mine(dt.time(8))",
        "Mine takes at, and has no deserialize",
    ),
    "invalid": (
        "    def validate(self): raise ValueError('the hour must be one of a day')\n",
        "Mine()",
        "Mine.validate raised ValueError: the hour must be one of a day",
    ),
    "misspelt_attribute": (
        "    @property\n    def summary(self): return self.hour\n",
        "Mine()",
        "Mine.summary raised AttributeError: 'Mine' object has no attribute 'hour'",
    ),
}
"""DAG id: (the rest of its class, its schedule, what `dags errors` says)."""

WHEN_PLANNED = {
    "nothing_yet": (
        "class Mine(Timetable):\n    pass\n",
        "Mine lacks the method next_dagrun_info; write `def next_dagrun_info(",
    ),
    "misspelt_method": (
        "class Mine(Timetable):\n    def next_dagruninfo(self, **_): return None\n",
        "Mine lacks the method next_dagrun_info; rename next_dagruninfo",
    ),
    "wrong_keyword": (
        "    def next_dagrun_info(self, *, last_interval, restriction): return None\n",
        "Mine.next_dagrun_info(self, *, last_interval, restriction) takes 'last_interval', which Gnomon does not pass",
    ),
    "naive": (
        "    def next_dagrun_info(self, **_): return DagRunInfo.exact(dt.datetime(2021, 1, 4))\n",
        "Mine.next_dagrun_info returned the naive datetime 2021-01-04 00:00:00 as run_after; give it a time zone",
    ),
    "wrong_type": (
        "    def next_dagrun_info(self, **_): return DataInterval(START, START + DAY)\n",
        "Mine.next_dagrun_info returned DataInterval; return a DagRunInfo or None",
    ),
    "raises": (
        "    def next_dagrun_info(self, **_): return 1 / 0\n",
        "Mine.next_dagrun_info raised ZeroDivisionError: division by zero",
    ),
    "same_twice": (
        "    def next_dagrun_info(self, **_): return DagRunInfo.interval(START, START + DAY)\n",
        "Mine.next_dagrun_info returned a run after 2021-01-05T00:00:00+00:00, which is not later than the last one",
    ),
    "backwards": (
        "    def next_dagrun_info(self, *, last_automated_data_interval, **_):\n"
        "        start = last_automated_data_interval.start - DAY if last_automated_data_interval else START\n"
        "        return DagRunInfo.interval(start, start + DAY)\n",
        "Mine.next_dagrun_info returned a run after 2021-01-04T00:00:00+00:00, which is not later than the last one",
    ),
    "endless": (
        "    def next_dagrun_info(self, **_):\n        day = START\n        while day.weekday() != 7: day += DAY * 0\n",
        "did not answer within 1 s (it was at",
    ),
    "long_id": (
        "    def generate_run_id(self, **_): return 'x' * 251\n",
        "a run id has 1 to 250 characters; this one has 251",
    ),
    "repeated_id": (
        "    def generate_run_id(self, **_): return 'every day'\n",
        "run 'every day' cannot be made: another run of this DAG has that run id",
    ),
    "no_id": (
        "    def generate_run_id(self, **_): 'forgot'\n",
        "Mine.generate_run_id returned None (is there a `return`?)",
    ),
}
"""DAG id: (its class, or the rest of it; what stands on the DAG)."""


def _file(dag_id: str, body: str, schedule: str = "Mine()") -> str:
    end = _END.format(dag_id=dag_id, schedule=schedule)
    return _TOP + (f"\n{body}" if body.startswith("class") else body) + end


@pytest.fixture(scope="module")
def deployed() -> Iterator[Product]:
    """A standalone with a DAG for each mistake, one that is right, and one whose plugin cannot be imported."""
    files = {f"{dag_id}.py": _file(dag_id, body, schedule) for dag_id, (body, schedule, _) in WHEN_PARSED.items()}
    files.update({f"{dag_id}.py": _file(dag_id, body) for dag_id, (body, _) in WHEN_PLANNED.items()})
    files["right.py"] = _file("right", "")
    files["taken_id.py"] = _file("taken_id", WHEN_PLANNED["repeated_id"][0])
    files["../plugins/broken_plugin.py"] = "import datetime\n\nclass Mine:\n    at = datetime.tim(8)\n"
    files["import_error.py"] = _file("import_error", "").replace("DAY =", "from broken_plugin import Mine\nDAY =", 1)
    with product(files, {"GNOMON__SCHEDULER__TIMETABLE_TIMEOUT": "1"}) as running:
        yield running


def test_what_is_seen_when_the_file_is_parsed_stands_among_the_errors(deployed: Product) -> None:
    wanted = {dag_id: said for dag_id, (_, _, said) in WHEN_PARSED.items()}
    wanted["import_error"] = "module 'datetime' has no attribute 'tim'"
    found: dict[str, str] = {}

    def all_said() -> bool:
        found.clear()
        found.update({Path(row["file"]).stem: row["message"] for row in deployed.rows("dags", "errors")})
        return len(found) >= len(wanted)

    deployed.until(all_said, "all files were parsed")
    assert found.keys() == wanted.keys()
    for dag_id, said in wanted.items():
        assert said in found[dag_id], found[dag_id]
        assert "Traceback" not in found[dag_id]
        assert f"/{'broken_plugin' if dag_id == 'import_error' else dag_id}.py" in found[dag_id]


@pytest.mark.parametrize("dag_id", WHEN_PLANNED)
def test_what_is_seen_when_a_run_is_planned_stands_on_the_dag(dag_id: str, deployed: Product) -> None:
    deployed.has_dag(dag_id)
    said = WHEN_PLANNED[dag_id][1]
    told: list[str] = []

    def is_said() -> bool:
        told[:] = [deployed.do("explain", dag_id)]
        return said in told[0]

    deployed.until(is_said, f"{said!r} is said of {dag_id}")
    assert "Traceback" not in told[0]
    if dag_id not in ("nothing_yet", "repeated_id"):
        assert f"/{dag_id}.py" in told[0], "the file is named"


def test_a_run_whose_id_was_taken_is_not_lost(deployed: Product) -> None:
    deployed.has_dag("taken_id")
    deployed.until(lambda: _ids(deployed, "taken_id") == ["every day"], "the first run is made")
    named = "    def generate_run_id(self, *, data_interval, **_): return f'{data_interval.start:%A}'\n"
    deployed.write("taken_id.py", _file("taken_id", named))
    deployed.until(lambda: _ids(deployed, "taken_id") == ["Tuesday", "every day"], "the second run is made")
    assert "cannot be made" not in deployed.do("explain", "taken_id")


def _ids(deployed: Product, dag_id: str) -> list[str]:
    return [row["run_id"] for row in deployed.rows("runs", "list", dag_id)]


def test_a_timetable_that_is_right_has_its_runs_beside_them(deployed: Product) -> None:
    def has_run() -> bool:
        return [row["state"] for row in deployed.rows("runs", "list", "right")] == ["success"] * 2

    deployed.has_dag("right")
    deployed.until(has_run, "the two runs of the right one have ended")


def test_a_run_by_hand_of_a_class_without_methods_is_refused_in_words(deployed: Product) -> None:
    deployed.has_dag("nothing_yet")
    ended = deployed.cli("dags", "trigger", "nothing_yet")
    assert ended.code == 1
    assert (
        "Mine lacks the method infer_manual_data_interval; write `def infer_manual_data_interval(self, *, run_after)`"
        in ended.err
    )
    assert "Traceback" not in ended.err
    assert deployed.rows("runs", "list", "nothing_yet") == []
