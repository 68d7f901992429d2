"""Airflow's published examples about assets, unmodified, through the scheduler: what their events trigger ends as in Airflow.

Every producer is triggered once for each recorded run. Where Airflow started one run for each event, runs here may share events,
so each consumer must have at least one run, and all of its runs must end as recorded. The files example_inlet_event_extra and
example_outlet_event_extra name one URI by two names: Airflow makes one of both assets inactive and fails its tasks; here both work.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.acceptance.product import Product, product
from tests.conformance.airflow_example_verdicts import ComparedBy, files_compared_by
from tests.conformance.airflow_examples import Line, compare, golden_lines, unpacked_examples
from tests.conformance.test_airflow_examples_scheduled import observe_run

from gnomon.model.assets import AssetKey, NewAssetEvent
from gnomon.model.instants import to_instant
from gnomon.model.records import RunRecord
from gnomon.storage.store import Database, open_database
from gnomon.storage.store.asset_records.asset_events import publish_events
from gnomon.storage.store.dag_records import dag_runs

pytestmark = [
    pytest.mark.network,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's"),
]
ASSET_RUNS = files_compared_by(ComparedBy.ASSETS)
READERS = ("read_asset_event", "read_asset_event_from_classic")
"""They read events of an asset, so they run after its producers."""
DATE = to_instant(datetime(2024, 3, 6, tzinfo=UTC))
READ = AssetKey("s3://output/1.txt", "s3://output/1.txt")
FROM_REST: dict[str, object] = {"from_rest_api": True, "hi": "bye"}


def _lines() -> list[Line]:
    """The recorded runs, without those in which Airflow errs."""
    return [line for line in golden_lines() if Path(line["file"]).stem in ASSET_RUNS and not line.get("errors")]


LINES = _lines()
PRODUCERS = sorted({line["dag_id"] for line in LINES if line["run_type"] == "manual"} - set(READERS))
CONSUMERS = sorted({line["dag_id"] for line in LINES if line["method"] == "asset"})


@pytest.fixture(scope="module")
def home_of_runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """The database after all producers have run once by hand, and everything that they trigger."""
    examples = unpacked_examples(tmp_path_factory.mktemp("published"))
    with product({f"{name}.py": (examples / f"{name}.py").read_text() for name in ASSET_RUNS}) as made:
        database = open_database(f"sqlite:///{made.home / 'gnomon.db'}")
        _run_all(made, database)
        yield database
        database.close()


def _run_all(made: Product, database: Database) -> None:
    wanted = {line["dag_id"] for line in LINES}
    made.until(lambda: wanted <= {row["dag_id"] for row in made.rows("dags", "list")}, "every DAG is listed")
    made.do("dags", "unpause", *sorted(wanted - set(READERS)))
    _trigger(database, PRODUCERS)
    triggered = [dag_id for dag_id in CONSUMERS if _is_run(dag_id)]
    made.until(
        lambda: all(_ended(database, dag_id, "asset_triggered") for dag_id in triggered), "every consumer has run"
    )
    made.until(lambda: all(_ended(database, dag_id, "manual") for dag_id in PRODUCERS), "every producer has run")
    with database.write() as tx:  # as four events from Airflow's REST API
        publish_events(
            tx, [NewAssetEvent(uid=f"rest-{number}", asset=READ, at=2**52, extra=FROM_REST) for number in range(4)]
        )
    made.do("dags", "unpause", *READERS)
    _trigger(database, READERS)
    made.until(lambda: all(_ended(database, dag_id, "manual") for dag_id in READERS), "every reader has run")


def _trigger(database: Database, dag_ids: Iterable[str]) -> None:
    """A run of each by hand; the scheduler reads the mail with its next sweep."""
    with database.write() as tx:
        for dag_id in dag_ids:
            dag_runs.create_manual_run(
                tx,
                dag_id=dag_id,
                run_id=None,
                logical_at=DATE,
                run_after=DATE,
                interval=(DATE, DATE),
                conf={},
                by="test",
                at=DATE,
            )


def _is_run(dag_id: str) -> bool:
    return any(line["dag_id"] == dag_id and line["run_state"] is not None for line in LINES)


def _ended(database: Database, dag_id: str, run_type: str) -> list[RunRecord]:
    with database.read() as tx:
        return [
            run for run in dag_runs.list_runs(tx, dag_id) if run.run_type.value == run_type and run.ended_at is not None
        ]


@pytest.mark.parametrize("dag_id", CONSUMERS)
def test_the_runs_that_events_trigger_end_as_in_airflow(home_of_runs: Database, dag_id: str) -> None:
    runs = _ended(home_of_runs, dag_id, "asset_triggered")
    recorded = [line for line in LINES if line["dag_id"] == dag_id and line["method"] == "asset"]
    assert bool(runs) == _is_run(dag_id)
    with home_of_runs.read() as tx:
        for run in runs:
            observed = observe_run(tx, run, dag_id)
            assert min((compare(line, observed) for line in recorded), key=len) == []


@pytest.mark.parametrize("dag_id", [*PRODUCERS, *READERS])
def test_the_runs_by_hand_end_as_in_airflow(home_of_runs: Database, dag_id: str) -> None:
    (run,) = _ended(home_of_runs, dag_id, "manual")
    recorded = [line for line in LINES if line["dag_id"] == dag_id and line["run_type"] == "manual"]
    with home_of_runs.read() as tx:
        observed = observe_run(tx, run, dag_id)
    assert min((compare(line, observed) for line in recorded), key=len) == []
