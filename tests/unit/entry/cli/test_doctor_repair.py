"""`gnomon doctor` proves the numbers of runs, and `--repair` counts them anew."""

from __future__ import annotations

import json

from tests.unit.entry.cli.conftest import Gnomon
from tests.unit.entry.cli.deployment import Deployment, spec_of

from gnomon.queries.report.listings.dag_list import find_dag


def _verdict(gnomon: Gnomon, *options: str) -> tuple[str, str, str]:
    rows = {row["check"]: row for row in json.loads(gnomon("doctor", "-o", "json", *options).out)}
    row = rows["numbers of runs"]
    return row["verdict"], row["found"], row["remedy"]


def test_numbers_that_differ_from_the_rows_are_named_and_counted_anew(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a"))
    deployment.start()
    gnomon("dags", "trigger", "a", "--run-id", "r")
    deployment.move()
    assert _verdict(gnomon)[0] == "ok"
    with deployment.db.write() as tx:
        tx.send_many("commit.tallies", [(find_dag(tx, "a").dag_pk, 100, -1)])
    assert _verdict(gnomon) == (
        "warn",
        "1 differ from the rows of runs, for example success runs of DAG a: 0 instead of 1",
        "gnomon doctor --repair",
    )
    assert "numbers of runs: 1 were wrong and are counted anew" in gnomon("doctor", "--repair").err
    assert _verdict(gnomon)[0] == "ok"
    assert "numbers of runs: nothing to repair" in gnomon("doctor", "--repair").err
