"""`After` says what it means, and what is wrong with it."""

from __future__ import annotations

from datetime import UTC, timedelta
from typing import Any

import pytest

import gnomon
from gnomon.dependencies import After as FromResolver
from gnomon.model.after import After


def test_it_is_one_class_under_every_name() -> None:
    assert gnomon.After is After is FromResolver


@pytest.mark.parametrize(
    ("given", "period", "previous", "back"),
    [
        ({}, "same", None, 0),
        ({"period": "previous"}, "previous", 1, 1),
        ({"previous": 3}, "previous", 3, 3),
        ({"period": "previous", "previous": 30}, "previous", 30, 30),
    ],
)
def test_a_number_of_periods_implies_the_previous_one(
    given: dict[str, Any], period: str, previous: int | None, back: int
) -> None:
    after = After("orders", **given)
    assert (after.period, after.previous, after.back) == (period, previous, back)


def test_equal_words_are_equal_and_hash_alike() -> None:
    assert After("orders", previous=1) == After("orders", period="previous")
    assert len({After("orders"), After("orders"), After("orders", "load")}) == 2
    assert After("orders", "load", zone=UTC, max_wait=timedelta(hours=2)).task_id == "load"


MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({"dag_id": ""}, "dag_id is not a DAG id"),
    ({"period": "next"}, r"After\('orders', period='next'\): period is not one of 'same', 'previous'"),
    ({"previous": 0}, "previous is not a whole number from 1 to 30"),
    ({"previous": 31}, "previous is not a whole number from 1 to 30"),
    ({"previous": True}, "previous is not a whole number"),
    ({"take": "some"}, "take is not one of 'all', 'last', 'first', 'any'"),
    ({"empty_interval": "back"}, "empty_interval is not one of 'carry', 'nearest', 'forward'"),
    ({"on_failure": "skip"}, "on_failure is not one of 'wait', 'proceed', 'cancel'"),
    ({"on_absent": "skip"}, "on_absent is not one of 'ignore', 'wait', 'fail'"),
    ({"task_id": ""}, "task_id is not a task id"),
    ({"max_wait": 60}, "max_wait is not a span above zero; write a timedelta"),
    ({"max_wait": timedelta(0)}, "max_wait is not a span above zero"),
    ({"zone": 8}, "zone is not a time zone"),
]


@pytest.mark.parametrize(("given", "message"), MISTAKES)
def test_a_mistake_names_argument_value_and_remedy(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        After(**{"dag_id": "orders", **given})
