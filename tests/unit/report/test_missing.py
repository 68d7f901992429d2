"""Names that are not there."""

from __future__ import annotations

import pytest

from gnomon.report.missing import no_dag, no_pool, no_run


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (no_dag("etll", ["etl"]), "there is no DAG 'etll'; did you mean 'etl'?"),
        (no_dag("x", []), "there is no DAG 'x'; `gnomon dags list` shows them all, `gnomon dags errors` files that failed"),
        (no_run("etl", "r", []), "there is no run 'r' of DAG 'etl'; `gnomon runs list etl` shows them all"),
        (no_pool("smal", ["small", "large"]), "there is no pool 'smal'; did you mean 'small'?"),
    ],
)
def test_the_message_names_thing_place_and_remedy(error: Exception, message: str) -> None:
    assert str(error) == message
