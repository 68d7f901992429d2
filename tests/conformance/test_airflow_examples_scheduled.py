"""Airflow's published example DAGs, unmodified, through the scheduler: one standalone, every recorded run.

Manual runs are triggered with their logical date and conf. DAGs with a schedule are unpaused: their automatic run is the
first one that the scheduler makes, whose date follows the clock as it followed Airflow's, or whose event is the first of its producer.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.acceptance.product import Product, product
from tests.conformance.airflow_example_verdicts import ComparedBy, files_compared_by
from tests.conformance.airflow_examples import BETTER, Line, Observed, compare, golden_lines, unpacked_examples

from gnomon.model.records import RunRecord
from gnomon.model.serde import loads
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.queries.report.listings.run_list import list_task_instances
from gnomon.storage.store import Transaction, open_database
from gnomon.storage.store.dag_records import dag_runs, xcom_values

pytestmark = [
    pytest.mark.network,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's"),
]
FILES = files_compared_by(ComparedBy.ONE_PROCESS, ComparedBy.SCHEDULER)
WITHIN_S = 240.0
AUTOMATIC = ("scheduled", "asset_triggered")


@dataclass(frozen=True)
class Case:
    """One recorded run and the id that it has here; None: the first run that the scheduler makes."""

    line: Line
    run_id: str | None

    @property
    def name(self) -> str:
        return f"{self.line['dag_id']}-{self.run_id or 'automatic'}"


def _cases() -> list[Case]:
    """The recorded runs by hand, and the first one of each DAG that a schedule or an asset made.

    test_airflow_provider_examples.py has those that a task of another DAG triggers.
    """
    found: list[Case] = []
    automatic: set[str] = set()
    for line in golden_lines():
        name = Path(line["file"]).stem
        if name in FILES and line["run_type"] == "manual":
            better = BETTER.get((line["dag_id"], line["logical_date"][:10]), {})
            found.append(Case({**line, **better}, f"manual-{line['logical_date'][:16]}"))
        elif name in FILES and line["run_type"] in AUTOMATIC and line["dag_id"] not in automatic:
            automatic.add(line["dag_id"])
            found.append(Case(line, None))
    return found


CASES = _cases()


@pytest.fixture(scope="module")
def observed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Observed]]:
    """Every case's run as it ended, by the case's name."""
    examples = unpacked_examples(tmp_path_factory.mktemp("published"))
    paths = [*(examples / f"{name}.py" for name in FILES), *(examples / "sql").iterdir()]
    files = {str(path.relative_to(examples)): path.read_text() for path in paths}
    with product(files) as made:
        yield _run_all(made)


def _run_all(made: Product) -> dict[str, Observed]:
    wanted = {case.line["dag_id"] for case in CASES}
    made.until(lambda: wanted <= {row["dag_id"] for row in made.rows("dags", "list")}, "every DAG is listed")
    for case in CASES:
        if case.run_id is not None:
            made.do(
                "dags",
                "trigger",
                case.line["dag_id"],
                "--run-id",
                case.run_id,
                "--logical-date",
                case.line["logical_date"],
                "--conf",
                json.dumps(case.line["conf"]),
            )
    made.do("dags", "unpause", *sorted(wanted))
    found: dict[str, Observed] = {}
    database = open_database(f"sqlite:///{made.home / 'gnomon.db'}")

    def all_ended() -> bool:
        with database.read() as tx:
            for case in [case for case in CASES if case.name not in found]:
                run = _run_of(tx, case)
                if run is not None and run.ended_at is not None:
                    found[case.name] = observe_run(tx, run, case.line["dag_id"])
        return len(found) == len(CASES)

    ends_at = time.monotonic() + WITHIN_S
    made.until(
        lambda: all_ended() or time.monotonic() > ends_at, "every run has ended, or it took too long", 2 * WITHIN_S
    )
    database.close()
    return found


def _run_of(tx: Transaction, case: Case) -> RunRecord | None:
    if case.run_id is not None:
        return dag_runs.find_stored_run(tx, case.line["dag_id"], case.run_id)
    automatic = [run for run in dag_runs.list_runs(tx, case.line["dag_id"]) if run.run_type.value in AUTOMATIC]
    return min(automatic, key=lambda run: run.run_pk, default=None)


def observe_run(tx: Transaction, run: RunRecord, dag_id: str) -> Observed:
    """The run in the terms of the golden lines."""
    rows = list_task_instances(tx, find_dag(tx, dag_id), run)
    return Observed(
        run_state=run.state.value,
        tasks={(row.task_id, row.map_index): (row.state, row.try_number) for row in rows},
        xcoms={(row.task_id, row.map_index, row.key): loads(row.value) for row in xcom_values.list_run_xcoms(tx, run)},
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_published_example_ends_through_the_scheduler_as_in_airflow(
    observed: dict[str, Observed], case: Case
) -> None:
    assert case.name in observed, f"its run did not end within {WITHIN_S:g} s"
    assert compare(case.line, observed[case.name]) == []
