"""Summaries of durations: what is stored is what was put in, and a deleted DAG has none."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from gnomon.rules.durations.day_class import classify, list_classes
from gnomon.rules.durations.duration_model import DurationModel
from gnomon.storage.store.dag_records import duration_summaries


def model_of(days: int) -> DurationModel:
    model = DurationModel(tries=days + 2, failed_tries=2, lengths=list(range(30)))
    for day in range(days):
        model.add(classify(date(2026, 1, 1) + timedelta(days=day), "scheduled"), 60.0 + day)
    return model


@pytest.mark.pure
def test_a_model_is_the_same_after_it_was_stored() -> None:
    models = {0: model_of(40), 7: model_of(3), 9: DurationModel(), 11: model_of(5)}
    models[11].arrivals = model_of(4)
    again = duration_summaries.decode_summary(duration_summaries.encode_summary(models))
    assert again.keys() == models.keys()
    for number, model in models.items():
        stored = again[number]
        assert (stored.tries, stored.failed_tries, stored.count) == (model.tries, model.failed_tries, model.count)
        assert (stored.arrivals is None) == (model.arrivals is None)
        if stored.arrivals is not None and model.arrivals is not None:
            assert stored.arrivals.list_durations() == model.arrivals.list_durations()
        assert stored.lengths == model.lengths[: duration_summaries.LENGTHS_KEPT]
        for run_class in list_classes(classify(date(2026, 1, 31), "scheduled")):
            assert stored.list_durations(run_class) == model.list_durations(run_class)


@pytest.mark.pure
def test_a_summary_of_a_task_takes_little_room() -> None:
    assert len(duration_summaries.encode_summary({0: model_of(90)})) < 1_000
