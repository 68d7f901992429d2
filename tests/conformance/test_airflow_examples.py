"""Airflow's published example DAGs, unmodified: each task ends as it ended in Airflow 3.3.2, with the same tries and XComs.

Here the runner runs the tasks one after the other in this process (`inprocess`). The table of all files,
with the test that compares each, is in airflow_example_verdicts.py.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from tests.conformance.airflow_example_verdicts import (
    EXAMPLE_FILES,
    ComparedBy,
    ExampleFile,
    Verdict,
    files_compared_by,
)
from tests.conformance.airflow_examples import BETTER, Line, Observed, compare, golden_lines, unpacked_examples
from tests.conformance.inprocess import run_dag, run_facts

from gnomon.author_code.loading import dagfile
from gnomon.author_code.loading.class_loader import load_class
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec
from gnomon.ground.config import load_config, set_current_config

ONE_PROCESS = files_compared_by(ComparedBy.ONE_PROCESS)
NEEDS_NO_PACKAGE = [file.name for file in EXAMPLE_FILES if not file.error]


def _runnable() -> list[Line]:
    """The recorded runs about a date; those whose date followed Airflow's clock say nothing about XComs with dates."""
    return [line for line in golden_lines() if _name(line) in ONE_PROCESS and line["logical_date"] is not None]


def _name(line: Line) -> str:
    return Path(line["file"]).stem


@pytest.fixture(scope="session")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the published example DAGs."""
    return unpacked_examples(tmp_path_factory.mktemp("published"))


@pytest.fixture(autouse=True)
def default_options(tmp_path: Path) -> Iterator[None]:
    """Default options, in a home of its own."""
    set_current_config(load_config({}, tmp_path))
    yield
    set_current_config(None)


@pytest.mark.network
@pytest.mark.parametrize(
    "line", _runnable(), ids=lambda line: f"{_name(line)}-{line['dag_id']}-{line['logical_date'][:10]}"
)
def test_a_published_example_ends_as_in_airflow(examples: Path, line: Line) -> None:
    dag = dagfile.load_dag_file(examples / f"{_name(line)}.py").dags[line["dag_id"]]
    run = run_facts(
        line["dag_id"],
        logical_date=datetime.fromisoformat(line["logical_date"]),
        conf=line["conf"],
        run_type=line["run_type"],
    )
    assert compare(line, run_dag(dag, run)) == []


@pytest.mark.network
@pytest.mark.parametrize("name", NEEDS_NO_PACKAGE)
def test_every_dag_of_an_example_builds(examples: Path, name: str) -> None:
    loaded = dagfile.load_dag_file(examples / f"{name}.py")
    recorded = {line["dag_id"] for line in golden_lines() if _name(line) == name}
    assert recorded <= loaded.dags.keys()
    for dag in loaded.dags.values():
        assert build_dag_spec(dag, name, load_class).spec.dag_id == dag.dag_id


@pytest.mark.network
@pytest.mark.parametrize("file", [file for file in EXAMPLE_FILES if file.error], ids=lambda file: file.name)
def test_an_example_that_needs_a_package_says_which(examples: Path, file: ExampleFile) -> None:
    with pytest.raises(Exception) as raised:
        dagfile.load_dag_file(examples / f"{file.name}.py")
    assert file.error in str(raised.value), file.reason


@pytest.mark.network
def test_every_published_example_is_in_the_table_once(examples: Path) -> None:
    published = sorted(path.stem for path in examples.glob("*.py") if path.stem != "__init__")
    assert published == sorted(file.name for file in EXAMPLE_FILES)


@pytest.mark.pure
def test_the_verdict_of_a_file_is_what_is_compared() -> None:
    """Better ends are those that BETTER lists and those of two files that Airflow fails; what is not compared has another verdict."""
    better = {_name(line) for line in golden_lines() if (line["dag_id"], str(line["logical_date"])[:10]) in BETTER}
    better |= {
        _name(line)
        for line in golden_lines()
        if line.get("errors") and _name(line) in files_compared_by(ComparedBy.ASSETS)
    }
    assert better == {file.name for file in EXAMPLE_FILES if file.verdict is Verdict.BETTER}
    not_compared = {file.name for file in EXAMPLE_FILES if file.verdict in (Verdict.NOT_YET, Verdict.CANNOT)}
    assert not_compared == set(files_compared_by(ComparedBy.NOTHING))
    assert all(file.reason for file in EXAMPLE_FILES if file.verdict is not Verdict.ALIKE)


@pytest.mark.pure
def test_a_difference_is_named() -> None:
    line: Line = {
        "run_state": "success",
        "tasks": [{"task_id": "a", "map_index": -1, "state": "success", "try_number": 1}],
        "xcoms": [{"task_id": "a", "map_index": -1, "key": "k", "value": [1, 2]}],
        "varying": [{"task_id": "a", "map_index": -1, "key": "now"}],
    }
    alike = Observed("success", {("a", -1): ("success", 1)}, {("a", -1, "k"): (1, 2), ("a", -1, "now"): "whatever"})
    assert compare(line, alike) == []
    other = Observed("failed", {("a", -1): ("failed", 2), ("b", -1): ("skipped", 0)}, {("a", -1, "k"): [1]})
    assert compare(line, other) == [
        "the run ended failed, in Airflow success",
        "task instance ('a', -1) is ('failed', 2), in Airflow ('success', 1)",
        "task instance ('b', -1) is ('skipped', 0), in Airflow 'not there'",
        "XCom ('a', -1, 'now') is missing",
        "XCom ('a', -1, 'k') is [1], in Airflow [1, 2]",
    ]


@pytest.mark.pure
@pytest.mark.parametrize(
    "line", [line for line in golden_lines() if line["logical_date"] is None], ids=lambda line: line["dag_id"]
)
def test_a_run_whose_date_follows_the_clock_records_no_date(line: Line) -> None:
    """A date among its XComs would be right on one day only; such a key belongs in `varying`."""
    dates = re.findall(r"\d{4}-\d\d-\d\d|\b20\d{6}\b", json.dumps([line["xcoms"], line.get("outcomes")]))
    assert dates == []


@pytest.mark.pure
def test_one_of_several_recorded_outcomes_is_enough() -> None:
    line: Line = {"run_state": "success", "tasks": [], "outcomes": [{"run_state": "success"}, {"run_state": "failed"}]}
    assert compare(line, Observed("failed", {})) == []
