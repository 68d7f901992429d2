"""Every way in which a DAG file can be bad, in one home, beside a good one: a message to the user each, and the good one runs."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import NamedTuple

import pytest
from tests.acceptance.product import Product, product
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's")
WITHIN_S = PATIENCE_S
"""A run of the good DAG has ended so soon after the start, whatever lies beside it."""


class Bad(NamedTuple):
    """A bad file, and what a user is told: the kind, the line, and words of thing and remedy."""

    text: str
    kind: str
    line: int | None
    said: tuple[str, ...]


DAG = "from airflow.sdk import DAG\nfrom airflow.operators.empty import EmptyOperator\n"
FILES = {
    "syntax": Bad(
        'from airflow import DAG\nwith DAG("syntax":\n    pass\n', "syntax", 2, ("invalid syntax", "Correct that line")
    ),
    "imports": Bad(
        "from airflow import DAG\nimport no_such_module\n", "import", 2, ("'no_such_module'", "pip install")
    ),
    "raises": Bad("# airflow DAG\n1 / 0\n", "import", 2, ("ZeroDivisionError: division by zero",)),
    "cycle": Bad(
        DAG
        + 'with DAG("cycle"):\n    a, b = EmptyOperator(task_id="a"), EmptyOperator(task_id="b")\n    a >> b >> a\n',
        "dag",
        4,
        ("DAG 'cycle'", "a >> b >> a", "Remove one of these edges"),
    ),
    "twice": Bad(
        DAG + 'with DAG("twice"):\n' + '    EmptyOperator(task_id="same")\n' * 2,
        "dag",
        5,
        ("'same'", "another task_id"),
    ),
    "zz_thief": Bad(
        DAG + 'thief = DAG("held")\n',
        "duplicate",
        None,
        ("'held'", "holder.py", "zz_thief.py", "rename one of the two DAGs"),
    ),
    "loops": Bad("# airflow dag\nwhile True: pass\n", "timeout", 2, ("longer than 4 s", "core.dagbag_import_timeout")),
    "exits": Bad("# airflow dag\nimport sys\nsys.exit(3)\n", "exit", 3, ("sys.exit(3)", '__name__ == "__main__"')),
    "segfault": Bad(
        "# airflow dag\nimport ctypes\nctypes.string_at(0)\n", "crash", 3, ("signal 11 (SIGSEGV)", "compiled library")
    ),
    "memory": Bad(
        "# airflow dag\nx = bytearray(5 * 1024**3)\n", "memory", 2, ("2048 MB", "dag_processor.parsing_memory_limit")
    ),
    "zone": Bad(
        'import pendulum\nfrom airflow.sdk import DAG\nDAG("zone", start_date=pendulum.datetime(2026, 1, 1, tz="Europe/Zurick"))\n',
        "import",
        3,
        ("'Europe/Zurick'", "Check the spelling"),
    ),
    "zone_of_cron": Bad(
        "from airflow.sdk import DAG\nfrom airflow.timetables.trigger import CronTriggerTimetable\n"
        'DAG("zoned", schedule=CronTriggerTimetable("@daily", timezone="Mars/Olympus"))\n',
        "dag",
        3,
        ("'Mars/Olympus'", "check the spelling"),
    ),
    "never": Bad(
        DAG + 'never = DAG("never", schedule="0 0 30 2 *")\n',
        "dag",
        3,
        ("'0 0 30 2 *' can never fire", "change the day or month"),
    ),
    "no_cron": Bad(DAG + 'no_cron = DAG("no_cron", schedule="0 0 * * mon-foo")\n', "dag", 3, ("'mon-foo'", "sun..sat")),
}
HOLDER = DAG + 'holder = DAG("held")\n'
NAIVE = 'import datetime as dt\nfrom airflow.sdk import DAG\nnaive = DAG("naive", start_date=dt.datetime(2026, 1, 1))\n'
GOOD = """
from airflow.sdk import DAG, task
with DAG("good", is_paused_upon_creation=False):
    @task
    def works():
        print("worked")
    works()
"""


class Beside(NamedTuple):
    """A standalone with every bad file, and how long a run of the good DAG took from the start of it all."""

    product: Product
    run: dict[str, object]
    took_s: float


@pytest.fixture(scope="module")
def beside() -> Iterator[Beside]:
    files = {f"{name}.py": bad.text for name, bad in FILES.items()}
    files |= {"good.py": GOOD, "holder.py": HOLDER, "naive.py": NAIVE}
    limits = {
        "GNOMON__CORE__DAGBAG_IMPORT_TIMEOUT": "4",
        "GNOMON__DAG_PROCESSOR__DAG_FILE_PROCESSOR_TIMEOUT": "10",
        "GNOMON__DAG_PROCESSOR__FILE_PARSING_SORT_MODE": "alphabetical",
    }
    began = time.monotonic()
    with product(files, limits) as running:
        running.has_dag("good")
        run = running.run("good", "--run-id", "r")
        took_s = time.monotonic() - began
        running.until(lambda: len(running.rows("dags", "errors")) >= len(FILES), "every bad file is told of")
        yield Beside(running, run, took_s)


def test_the_good_dag_runs_among_them_all(beside: Beside) -> None:
    assert beside.run["state"] == "success", beside.product.do("explain", "good", "r", "works")
    assert beside.took_s < WITHIN_S
    assert "worked" in beside.product.task_log("good", "r", "works")


@pytest.mark.parametrize("name", FILES)
def test_a_bad_file_is_told_with_thing_place_and_remedy(beside: Beside, name: str) -> None:
    bad = FILES[name]
    path = str(beside.product.dags / f"{name}.py")
    (told,) = (row for row in beside.product.rows("dags", "errors") if row["file"] == path)
    assert (told["kind"], told["line"]) == (bad.kind, bad.line)
    assert path in told["message"] and (bad.line is None or f"line {bad.line}" in told["message"])
    for words in bad.said:
        assert words in told["message"]
    assert told["message"] in beside.product.do("dags", "errors")


@pytest.mark.parametrize("name", ["cycle", "never", "no_cron"])
def test_whoever_asks_for_a_dag_that_could_not_be_loaded_is_told_why(beside: Beside, name: str) -> None:
    for command in (("dags", "show"), ("explain",), ("dags", "trigger")):
        ended = beside.product.cli(*command, name)
        assert (ended.code, ended.out) == (1, "")
        assert f"there is no DAG '{name}'; it could not be loaded: {beside.product.dags}/{name}.py, line" in ended.err


def test_a_naive_start_date_is_read_in_the_default_zone_and_said(beside: Beside) -> None:
    said = f"DAG 'naive' ({beside.product.dags}/naive.py:3): start_date 2026-01-01 00:00:00 has no time zone and is read as UTC"
    shown = beside.product.do("dags", "show", "naive")
    assert said in shown and "pendulum.datetime(2026, 1, 1, tz='...')" in shown
    assert said in beside.product.do("dags", "errors", "--warnings")
    assert said not in beside.product.do("dags", "errors")


def test_no_message_is_a_traceback_and_nothing_else_is_told(beside: Beside) -> None:
    errors = beside.product.rows("dags", "errors")
    assert {row["file"].rpartition("/")[2].removesuffix(".py") for row in errors} == FILES.keys()
    assert not any("Traceback" in row["message"] or "site-packages" in row["message"] for row in errors)
    assert sorted(row["dag_id"] for row in beside.product.rows("dags", "list")) == ["good", "held", "naive"]
    (seen,) = (row for row in beside.product.rows("dags", "list") if row["dag_id"] == "held")
    assert seen["file"].endswith("/holder.py")


def test_a_file_that_breaks_later_keeps_its_dag_and_explain_says_so(beside: Beside) -> None:
    it = beside.product
    it.write("good.py", GOOD + "\nx = (\n")
    it.until(lambda: any(row["file"].endswith("/good.py") for row in it.rows("dags", "errors")), "the error is told")
    assert "good.py cannot be loaded, so its last good version is used" in it.do("explain", "good")
    it.write("good.py", GOOD)
    it.until(
        lambda: not any(row["file"].endswith("/good.py") for row in it.rows("dags", "errors")), "the error is gone"
    )
    assert it.run("good", "--run-id", "healed")["state"] == "success"
