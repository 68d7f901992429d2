"""The error of a template that asks for a date which the run does not have."""

from __future__ import annotations

import jinja2
import pytest
from msgspec import structs

from gnomon.author_code.runner.template_rendering import explain_missing_date
from gnomon.model.attempts import RunFacts

RUN = RunFacts(run_pk=1, dag_id="a", run_id="r", run_type="manual", run_after=0)


@pytest.mark.parametrize("name", ["ds", "logical_date", "ts_nodash"])
def test_a_missing_date_names_the_option(name: str) -> None:
    error = explain_missing_date(jinja2.UndefinedError(f"'{name}' is undefined"), RUN)
    assert isinstance(error, jinja2.UndefinedError)
    assert (
        str(error)
        == f"'{name}' is undefined: run 'r' has no logical date; trigger it with one: gnomon dags trigger a --logical-date DATE"
    )


@pytest.mark.parametrize(
    ("run_type", "remedy"),
    [
        ("manual", "trigger it with one: gnomon dags trigger a --logical-date DATE"),
        (
            "asset_triggered",
            "a run that events of assets start never has one: use {{ dag_run.run_after | ds }}, or the events in triggering_asset_events",
        ),
        ("asset_materialization", "a run that materializes an asset has none: use {{ dag_run.run_after | ds }}"),
        (
            "operator_triggered",
            "give TriggerDagRunOperator one with logical_date=, or use {{ dag_run.run_after | ds }}",
        ),
    ],
)
def test_the_remedy_fits_the_type_of_the_run(run_type: str, remedy: str) -> None:
    error = explain_missing_date(jinja2.UndefinedError("'ds' is undefined"), structs.replace(RUN, run_type=run_type))
    assert str(error) == f"'ds' is undefined: run 'r' has no logical date; {remedy}"


def test_a_run_of_a_partition_is_told_of_its_key() -> None:
    error = explain_missing_date(
        jinja2.UndefinedError("'ds' is undefined"), structs.replace(RUN, run_type="asset_triggered", partition_key="k")
    )
    assert str(error).endswith(
        "it is of a partition: use {{ partition_key }}, or {{ dag_run.partition_date }} if the key names a period"
    )


def test_every_other_error_stays_as_it_is() -> None:
    dated = RunFacts(run_pk=1, dag_id="a", run_id="r", run_type="manual", run_after=0, logical_at=0)
    for error, run in (
        (jinja2.UndefinedError("'city' is undefined"), RUN),
        (ValueError("'ds' is undefined"), RUN),
        (jinja2.UndefinedError("'ds' is undefined"), dated),
    ):
        assert explain_missing_date(error, run) is error
