"""Airflow's published examples that import packages from the index, unmodified, through the scheduler.

Those that ask a site on the internet ended in Airflow without a connection. Here a proxy that nobody serves refuses every request.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.acceptance.product import product
from tests.conformance.airflow_example_verdicts import ComparedBy, files_compared_by
from tests.conformance.airflow_examples import Line, Observed, compare, golden_lines, unpacked_examples
from tests.conformance.package_index import installed
from tests.conformance.test_airflow_examples_scheduled import observe_run

from gnomon.storage.store import open_database
from gnomon.storage.store.dag_records import dag_runs

pytestmark = [
    pytest.mark.network,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="process families are Linux's"),
]
PACKAGES = (
    "anyio==4.16.0",
    "certifi==2026.10.18",
    "charset-normalizer==3.5.2",
    "dill==0.4.1",
    "h11==0.16.0",
    "httpcore==1.0.9",
    "httpx==0.28.1",
    "idna==3.20",
    "requests==2.34.2",
    "typing-extensions==4.16.0",
    "urllib3==2.8.0",
)
NOBODY = "http://127.0.0.1:9"
"""The port of the discard protocol, which nothing serves."""
OFFLINE = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), NOBODY) | {
    "NO_PROXY": "",
    "no_proxy": "",
}
RETRIED = "example_retry_policy"
RETRIED_FOR_S = 600.0
"""Five waits of a minute, and a margin."""
BY_INDEX = "tutorial_taskflow_api_virtualenv"
LINES = {
    Path(line["file"]).stem: line
    for line in golden_lines()
    if Path(line["file"]).stem in files_compared_by(ComparedBy.PACKAGES)
}


@pytest.mark.parametrize("name", sorted(LINES.keys() - {RETRIED, BY_INDEX}))
def test_an_example_ends_without_a_connection_as_in_airflow(tmp_path: Path, name: str) -> None:
    assert compare(LINES[name], _run(LINES[name], unpacked_examples(tmp_path), OFFLINE)) == []


@pytest.mark.soak
def test_an_example_with_a_retry_policy_ends_as_in_airflow(tmp_path: Path) -> None:
    assert compare(LINES[RETRIED], _run(LINES[RETRIED], unpacked_examples(tmp_path), OFFLINE, RETRIED_FOR_S)) == []


def test_an_example_with_a_virtual_environment_ends_as_in_airflow(tmp_path: Path) -> None:
    assert compare(LINES[BY_INDEX], _run(LINES[BY_INDEX], unpacked_examples(tmp_path), {})) == []


def _run(line: Line, examples: Path, environ: Mapping[str, str], patience_s: float = 240.0) -> Observed:
    """The recorded run, as it ended here, in a home whose tasks have the packages."""
    dag_id, file = line["dag_id"], examples / Path(line["file"]).name
    place = installed("needs-of-airflow-examples", *PACKAGES)
    with product({file.name: file.read_text()}, {**environ, "PYTHONPATH": str(place)}) as made:
        made.has_dag(dag_id)
        made.do("dags", "unpause", dag_id)
        made.do("dags", "trigger", dag_id, "--run-id", "recorded", "--logical-date", line["logical_date"])
        database = open_database(f"sqlite:///{made.home / 'gnomon.db'}")
        try:
            made.until(
                lambda: _has_ended(made.rows("runs", "list", dag_id)), f"the run of {dag_id} has ended", patience_s
            )
            with database.read() as tx:
                run = dag_runs.find_stored_run(tx, dag_id, "recorded")
                assert run is not None
                return observe_run(tx, run, dag_id)
        finally:
            database.close()


def _has_ended(rows: list[dict[str, object]]) -> bool:
    return rows[0]["state"] in ("success", "failed")
