"""Our OpenAPI document beside Airflow's: every operation is claimed or refused with a reason, and what is claimed has Airflow's shape."""

from __future__ import annotations

from typing import Any

import pytest
from tests.conformance.api_operations import (
    PAGE,
    PREFIX,
    build_ours,
    find_differences,
    list_operations,
    load_airflow,
    render_page,
)
from tests.conformance.api_values import ARGUED as ARGUED_VALUES
from tests.conformance.api_values import find_argument, find_value_differences

from gnomon.api.v2.unsupported import UNSUPPORTED

pytestmark = pytest.mark.network
ARGUED: dict[str, str] = {
    "GET /auth/login: no answer field detail": "a redirect has no body",
    "GET /auth/logout: no answer field detail": "a redirect has no body",
    "GET /eventLogs: answer field event_logs[].address is ours": "the audit log says from where a change came; Airflow's clients ignore the field",
    "GET /eventLogs/{event_log_id}: answer field address is ours": "as in the list",
    "GET /eventLogs: parameter query by_people is ours": "the page shows what people did, apart from what services did",
    "GET /eventLogs: answer field searched_until is ours": "a search for what people did ends early and says how far it came",
}
"""By line of `find_differences`: why it is so."""


@pytest.fixture(scope="module")
def airflow() -> dict[str, Any]:
    return load_airflow()


def test_every_operation_is_claimed_or_refused_with_a_reason(airflow: dict[str, Any]) -> None:
    operations = list_operations(airflow, build_ours())
    assert [one for one in operations if one.state == "missing"] == []
    assert len(operations) == 128


def test_what_is_claimed_has_the_parameters_and_fields_of_airflow(airflow: dict[str, Any]) -> None:
    assert sorted(set(find_differences(airflow, build_ours()))) == sorted(ARGUED)


def test_defaults_and_permitted_values_are_those_of_airflow_or_have_a_reason(airflow: dict[str, Any]) -> None:
    found = find_value_differences(airflow, build_ours())
    assert [line for line in found if find_argument(line) is None] == []
    assert {find_argument(line) for line in found} == set(ARGUED_VALUES), (
        "each reason is about a difference that exists"
    )


def test_nothing_is_refused_that_airflow_does_not_have(airflow: dict[str, Any]) -> None:
    known = {(method.upper(), path) for path, methods in airflow["paths"].items() for method in methods}
    assert [one for one in UNSUPPORTED if (one.method, PREFIX + one.path) not in known] == []


def test_the_page_is_up_to_date(airflow: dict[str, Any]) -> None:
    assert PAGE.read_text() == render_page(airflow, build_ours()), "run: python -m tests.conformance.api_operations"
