"""Airflow's published example about partitions of assets, unmodified, through the scheduler: each partition gets the run that it got in Airflow.

The producers are triggered with the recorded partition keys. A schedule makes more partitions, of the current date: their runs are not recorded.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from tests.acceptance.product import Product, product
from tests.conformance.airflow_example_verdicts import ComparedBy, files_compared_by
from tests.conformance.airflow_examples import Line, compare, golden_lines, unpacked_examples
from tests.conformance.test_airflow_examples_scheduled import observe_run

from gnomon.model.assets import AssetKey, NewAssetEvent
from gnomon.model.instants import to_instant
from gnomon.model.records import RunRecord
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.rules.planning.partition_keys import resolve_partition_date
from gnomon.storage.store import Database, open_database
from gnomon.storage.store.asset_records.asset_events import publish_events
from gnomon.storage.store.dag_records import dag_runs

pytestmark = [
    pytest.mark.network,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's"),
]
(FILE,) = files_compared_by(ComparedBy.PARTITIONS)
LINES = [line for line in golden_lines() if Path(line["file"]).stem == FILE]
MANUAL = [line for line in LINES if line["run_type"] == "manual"]
CONSUMED = [line for line in LINES if line["run_type"] == "asset_triggered"]
AT = to_instant(datetime(2026, 1, 1, tzinfo=UTC))
MONTH = [(date(2024, 2, 1) + timedelta(days=day)).isoformat() for day in range(29)]
"""The days whose events Airflow got by its REST API."""
Runs = dict[tuple[str, str | None, str], list[RunRecord]]


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Database, Runs]]:
    """The database, and the runs that have ended, by DAG, partition key and type."""
    examples = unpacked_examples(tmp_path_factory.mktemp("published"))
    with product({f"{FILE}.py": (examples / f"{FILE}.py").read_text()}) as made:
        database = open_database(f"sqlite:///{made.home / 'gnomon.db'}")
        wanted = {line["dag_id"] for line in LINES}
        made.until(lambda: wanted <= {row["dag_id"] for row in made.rows("dags", "list")}, "every DAG is listed")
        made.do("dags", "unpause", *sorted(wanted))
        _produce(database)
        _wait(made, database)
        yield database, _runs(database)
        database.close()


def _produce(database: Database) -> None:
    team_a = AssetKey("daily_team_a", "s3://team-a/daily")
    with database.write() as tx:
        for line in MANUAL:
            key = line.get("partition_key")
            dag_runs.create_manual_run(
                tx,
                dag_id=line["dag_id"],
                run_id=f"recorded-{key}",
                logical_at=None,
                run_after=AT,
                interval=None,
                conf={},
                by="test",
                at=AT,
                partition_key=key,
                partition_date=resolve_partition_date(find_dag(tx, line["dag_id"]).spec, key),
            )
        publish_events(tx, [NewAssetEvent(uid=f"rest-{day}", asset=team_a, at=AT, partition_key=day) for day in MONTH])


def _wait(made: Product, database: Database) -> None:
    recorded = {(line["dag_id"], line.get("partition_key"), line["run_type"]) for line in [*MANUAL, *CONSUMED]}
    missing: set[tuple[str, str | None, str]] = set()

    def all_ended() -> bool:
        missing.clear()
        missing.update(recorded - _runs(database).keys())
        return not missing

    made.until(all_ended, f"every recorded partition has a run that has ended; missing: {missing}")


def _runs(database: Database) -> Runs:
    found: Runs = {}
    with database.read() as tx:
        for dag_id in sorted({line["dag_id"] for line in LINES}):
            for run in dag_runs.list_runs(tx, dag_id):
                if run.ended_at is not None:
                    found.setdefault((dag_id, run.partition_key, run.run_type.value), []).append(run)
    return found


def _name(line: Line) -> str:
    return f"{line['dag_id']}-{line.get('partition_key')}"


@pytest.mark.parametrize("line", [*MANUAL, *CONSUMED], ids=_name)
def test_a_partition_has_one_run_and_it_ends_as_in_airflow(ended: tuple[Database, Runs], line: Line) -> None:
    database, runs = ended
    (run,) = runs[line["dag_id"], line.get("partition_key"), line["run_type"]]
    with database.read() as tx:
        assert compare(line, observe_run(tx, run, line["dag_id"])) == []


def test_partitions_that_were_not_recorded_have_no_run(ended: tuple[Database, Runs]) -> None:
    """Airflow made no run for a key that is not allowed, and none where keys never match; today's partitions come from the schedules."""
    recorded = {(line["dag_id"], line.get("partition_key")) for line in CONSUMED}
    made = {(dag_id, key) for dag_id, key, run_type in ended[1] if run_type == "asset_triggered"}
    of_schedules = {(dag_id, key) for dag_id, key in made if key is not None and key[:4].isdigit() and key[:4] > "2024"}
    assert made - of_schedules == recorded
    assert "player_odds_quality_check_wont_ever_to_trigger" not in {dag_id for dag_id, _ in made}
