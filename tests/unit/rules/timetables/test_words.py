"""Each built-in timetable has words in the catalogue; those of an author's class are the ones that were stored."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from gnomon.model.sentences import CronText, list_spans, render
from gnomon.model.slots import TimetableRef
from gnomon.rules.timetables.registry import BUILTINS, reference
from gnomon.rules.timetables.stored_words import describe_timetable, summarize_timetable
from gnomon.rules.timetables.words import long_words, short_words
from gnomon.timetables import (
    CronTriggerTimetable,
    DeltaTriggerTimetable,
    EventsTimetable,
    MultipleCronTriggerTimetable,
    Timetable,
)

FIRST = datetime(2026, 1, 1, tzinfo=UTC)


def test_each_built_in_class_has_short_and_long_words() -> None:
    assert set(short_words._SAID) == set(long_words._SAID) == set(BUILTINS)


@pytest.mark.parametrize(
    ("timetable", "code", "text"),
    [
        (EventsTimetable([]), "no_events", "No events"),
        (EventsTimetable([FIRST]), "events_between", "1 event at 2026-01-01T00:00:00.000000+00:00"),
        (EventsTimetable([FIRST], description="mine"), "text", "mine"),
        (CronTriggerTimetable("0 6 * * *", timezone="UTC"), "cron", "At 06:00"),
        (MultipleCronTriggerTimetable("0 6 * * *", "0 7 * * *", timezone="UTC"), "crons", "At 06:00, At 07:00"),
    ],
)
def test_the_sentence_of_a_timetable_has_a_code(timetable: Timetable, code: str, text: str) -> None:
    sentence = describe_timetable(reference(timetable))
    assert sentence is not None
    assert (sentence.code, render(sentence), timetable.description) == (code, text, text)


def test_a_cron_expression_is_a_span_of_its_own_for_clients_with_other_words() -> None:
    sentence = describe_timetable(reference(CronTriggerTimetable("0 6 * * *", timezone="UTC")))
    assert sentence is not None
    assert [span.value for span in list_spans(sentence)] == [CronText("0 6 * * *", "At 06:00")]


def test_a_span_has_no_sentence() -> None:
    ref = reference(DeltaTriggerTimetable(timedelta(hours=1)))
    assert (render(summarize_timetable(ref)), describe_timetable(ref)) == ("1:00:00", None)


def test_a_built_in_timetable_stores_no_words() -> None:
    ref = reference(CronTriggerTimetable("0 6 * * *", timezone="UTC"))
    assert (ref.summary, ref.description) == ("", "")


def test_an_author_has_words_of_their_own() -> None:
    ref = TimetableRef(path="firm.Trading", summary="trading days", description="On trading days", builtin=False)
    described = describe_timetable(ref)
    assert described is not None
    assert (render(summarize_timetable(ref)), render(described)) == ("trading days", "On trading days")


def test_data_that_cannot_be_read_leave_the_name_of_the_class() -> None:
    ref = TimetableRef(path="CronTriggerTimetable", data={"expression": "61 * * * *"})
    assert (render(summarize_timetable(ref)), describe_timetable(ref)) == ("CronTriggerTimetable", None)


def test_an_authors_class_that_extends_a_built_in_one_has_its_words() -> None:
    class Later(CronTriggerTimetable):
        def serialize(self) -> dict[str, object]:
            return {"own": 1}

    assert Later("0 6 * * *", timezone="UTC").description == "At 06:00"
