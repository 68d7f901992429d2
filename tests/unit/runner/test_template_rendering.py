"""The error of a template that asks for a date which the run does not have."""

from __future__ import annotations

import jinja2
import pytest

from gnomon.model.attempts import RunFacts
from gnomon.runner.template_rendering import explain_missing_date

RUN = RunFacts(run_pk=1, dag_id="a", run_id="r", run_type="manual", run_after=0)


@pytest.mark.parametrize("name", ["ds", "logical_date", "ts_nodash"])
def test_a_missing_date_names_the_option(name: str) -> None:
    error = explain_missing_date(jinja2.UndefinedError(f"'{name}' is undefined"), RUN)
    assert isinstance(error, jinja2.UndefinedError)
    assert str(error) == f"'{name}' is undefined: run 'r' has no logical date; trigger it with one: gnomon dags trigger a --logical-date DATE"


def test_every_other_error_stays_as_it_is() -> None:
    dated = RunFacts(run_pk=1, dag_id="a", run_id="r", run_type="manual", run_after=0, logical_at=0)
    for error, run in ((jinja2.UndefinedError("'city' is undefined"), RUN), (ValueError("'ds' is undefined"), RUN), (jinja2.UndefinedError("'ds' is undefined"), dated)):
        assert explain_missing_date(error, run) is error
