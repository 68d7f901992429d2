"""Names that are not there."""

from __future__ import annotations

import pytest

from gnomon.queries.report.listings.not_found import dag_not_found, pool_not_found, run_not_found


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (dag_not_found("etll", ["etl"]), "there is no DAG 'etll'; did you mean 'etl'?"),
        (
            dag_not_found("x", []),
            "there is no DAG 'x'; `gnomon dags list` lists all DAGs, `gnomon dags errors` the files that could not be loaded",
        ),
        (run_not_found("etl", "r", []), "there is no run 'r' of DAG 'etl'; `gnomon runs list etl` lists all runs"),
        (pool_not_found("smal", ["small", "large"]), "there is no pool 'smal'; did you mean 'small'?"),
    ],
)
def test_the_message_names_thing_place_and_remedy(error: Exception, message: str) -> None:
    assert str(error) == message
