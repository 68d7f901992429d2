"""Warnings about dates without a time zone are one line."""

from __future__ import annotations

import datetime as dt

from gnomon.authoring.sdk import DAG
from gnomon.authoring.sdk.tasks.operator import BaseOperator
from gnomon.queries.report.listings.warning_groups import group_warnings


def list_warnings(*names: str) -> list[tuple[str, str]]:
    """The warnings of DAGs with a naive date of their own and one of a task."""
    found = []
    for name in names:
        with DAG(name, schedule=None, start_date=dt.datetime(2026, 1, 1)) as dag:
            BaseOperator(task_id="t", start_date=dt.datetime(2026, 2, 1))
        found += [(name, warning) for warning in dag.warnings]
    return found


def test_all_dates_without_a_time_zone_are_one_line_in_the_place_of_the_first() -> None:
    naive = list_warnings(*"abcdefg")
    assert len(naive) == 14
    found = group_warnings([("x", "something"), *naive[:3], ("y", "else"), *naive[3:]])
    assert [subject for subject, _ in found] == ["x", "", "y"]
    assert found[1][1].startswith(
        "14 dates of a, b, c, d, e and 2 more have no time zone and are read in [core] default_timezone."
    )


def test_a_single_one_and_others_stay_as_they_are() -> None:
    pairs = [("x", "something"), list_warnings("a")[0]]
    assert group_warnings(pairs) == pairs
