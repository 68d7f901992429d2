"""What somebody probably meant."""

from __future__ import annotations

import pytest

from gnomon.model.errors.product import find_close_matches

NAMES = ["etl_daily", "etl_hourly", "other"]


def test_the_nearest_name_is_found_whatever_the_case() -> None:
    assert find_close_matches("ETL_Dayly", NAMES) == ["etl_daily"]
    assert find_close_matches("dayly", ["Daily"]) == ["Daily"]


@pytest.mark.parametrize(
    ("most", "found"), [(1, ["etl_daily"]), (2, ["etl_daily", "etl_hourly"]), (3, ["etl_daily", "etl_hourly"])]
)
def test_so_many_are_offered_as_are_wanted_and_near_the_best_first(most: int, found: list[str]) -> None:
    assert find_close_matches("etl_dayly", NAMES, most=most) == found


def test_where_names_are_alike_that_mean_different_things_a_caller_asks_for_more() -> None:
    assert find_close_matches("infer_interval", ["infer_manual_data_interval"]) == ["infer_manual_data_interval"]
    assert find_close_matches("infer_interval", ["infer_manual_data_interval"], cutoff=0.75) == []
    assert find_close_matches("x", []) == []
