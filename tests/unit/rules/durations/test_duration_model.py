"""Durations by class, with coarser classes where there are few runs."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from gnomon.rules.durations.day_class import classify, list_classes
from gnomon.rules.durations.duration_model import MIN_RUNS_OF_CLASS, OVERDUE_FACTOR, DurationModel

MONDAY = date(2026, 3, 2)


def model_of(days: list[tuple[date, float]]) -> DurationModel:
    model = DurationModel()
    for day, duration_s in days:
        model.add(classify(day, "scheduled"), duration_s)
    return model


def test_a_weekday_counts_from_eight_runs_and_before_that_the_kind_of_day() -> None:
    mondays = [(MONDAY + timedelta(weeks=week), 600.0) for week in range(MIN_RUNS_OF_CLASS - 1)]
    tuesdays = [(day + timedelta(days=1), 60.0) for day, _ in mondays]
    few = model_of([*mondays, *tuesdays])
    assert few.draw(list_classes(classify(MONDAY, "scheduled")), 0.0) == 60.0
    enough = model_of([*mondays, (MONDAY + timedelta(weeks=12), 600.0), *tuesdays])
    assert enough.draw(list_classes(classify(MONDAY, "scheduled")), 0.0) == 600.0


def test_a_day_of_another_kind_falls_back_to_all_runs_of_the_type() -> None:
    model = model_of([(MONDAY + timedelta(days=day), 100.0) for day in range(5)] * 2)
    sunday = MONDAY + timedelta(days=6)
    assert model.draw(list_classes(classify(sunday, "scheduled")), 0.5) == 100.0
    assert model.draw(list_classes(classify(sunday, "manual")), 0.5) == 100.0


def test_fewer_than_three_runs_are_no_model() -> None:
    assert not model_of([(MONDAY, 5.0)] * 2).is_known
    assert model_of([(MONDAY, 5.0)] * 3).is_known


def test_a_further_duration_exceeds_a_quantile_with_the_probability_it_says() -> None:
    model = model_of([(MONDAY, float(second)) for second in range(1, 100)])
    classes = list_classes(classify(MONDAY, "scheduled"))
    assert [model.draw(classes, quantile) for quantile in (0.0, 0.01, 0.5, 0.9, 0.99)] == pytest.approx(
        [1, 1, 50, 90, 99]
    )


def test_the_longest_recorded_duration_is_not_the_longest_there_may_be() -> None:
    heavy = model_of([(MONDAY, float(second) ** 2) for second in range(1, 21)])
    classes = list_classes(classify(MONDAY, "scheduled"))
    assert 400.0 == heavy.draw(classes, 20 / 21) < heavy.draw(classes, 0.98) < heavy.draw(classes, 0.9999) < 10 * 400.0
    constant = model_of([(MONDAY, 60.0)] * 20)
    assert constant.draw(classes, 0.9999) == 60.0


def test_an_attempt_ends_after_its_age_and_only_longer_durations_are_possible() -> None:
    model = model_of([(MONDAY, float(second)) for second in range(101)])
    classes = list_classes(classify(MONDAY, "scheduled"))
    assert model.draw(classes, 0.0, age_s=80.0) >= 80.0
    assert model.draw(classes, 0.5, age_s=80.0) == pytest.approx(90, abs=1.0)
    assert model.draw(classes, 0.5, age_s=200.0) == 200.0 * OVERDUE_FACTOR


def test_the_last_day_of_a_month_is_a_class_of_its_own() -> None:
    ends = [date(2026, month, 1) - timedelta(days=1) for month in range(2, 13)]
    workday_ends = [(day, 7200.0) for day in ends if day.weekday() < 5]
    others = [
        (MONDAY + timedelta(days=day), 600.0) for day in range(20) if (MONDAY + timedelta(days=day)).weekday() < 5
    ]
    model = model_of([*workday_ends, *others, *[(date(2027, 1, 29), 600.0)], *[(date(2026, 12, 31), 7200.0)]])
    assert len(workday_ends) + 1 >= MIN_RUNS_OF_CLASS
    assert model.draw(list_classes(classify(date(2027, 3, 31), "scheduled")), 0.5) == 7200.0
    assert model.draw(list_classes(classify(date(2027, 3, 30), "scheduled")), 0.5) == 600.0
