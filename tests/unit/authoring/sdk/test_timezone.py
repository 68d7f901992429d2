"""Zones, moments, days of the week, macros, current context, parsing context."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pendulum
import pytest
import time_machine

from gnomon.authoring.sdk.arguments import timezone
from gnomon.authoring.sdk.arguments.task_rules import TriggerRule
from gnomon.authoring.sdk.nodes import authoring_state
from gnomon.authoring.sdk.nodes.authoring_state import get_parsing_context, set_parsing_context
from gnomon.authoring.sdk.schedules.weekday import WeekDay
from gnomon.authoring.sdk.templating import macros
from gnomon.model.errors import UserError

NAIVE = dt.datetime(2026, 7, 1, 12)


def test_now_is_aware() -> None:
    with time_machine.travel(dt.datetime(2026, 1, 1, tzinfo=dt.UTC), tick=False):
        assert timezone.utcnow() == dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


def test_naive_moments_are_read_in_the_default_zone(options: Any) -> None:
    options(AIRFLOW__CORE__DEFAULT_TIMEZONE="Europe/Zurich")
    assert timezone.make_aware(NAIVE).utcoffset() == dt.timedelta(hours=2)
    assert timezone.convert_to_utc(NAIVE) == dt.datetime(2026, 7, 1, 10, tzinfo=dt.UTC)
    assert timezone.datetime(2026, 7, 1).utcoffset() == dt.timedelta(hours=2)
    assert timezone.parse("2026-07-01T12:00:00") == dt.datetime(2026, 7, 1, 10, tzinfo=dt.UTC)
    assert timezone.parse("2026-07-01T12:00:00+00:00").hour == 12
    assert timezone.make_naive(dt.datetime(2026, 7, 1, 10, tzinfo=dt.UTC)) == NAIVE


def test_what_is_handed_to_authors_is_pendulum() -> None:
    assert isinstance(timezone.convert_to_utc(NAIVE), pendulum.DateTime)
    assert isinstance(timezone.coerce_datetime(NAIVE), pendulum.DateTime)
    assert timezone.coerce_datetime(None) is None
    moment = timezone.coerce_datetime(dt.datetime(2026, 7, 1, tzinfo=dt.UTC), timezone.find_zone("Asia/Tokyo"))
    assert moment.timezone_name == "Asia/Tokyo"
    assert timezone.from_timestamp(0) == timezone.utc_epoch()


def test_aware_and_naive_are_told_apart() -> None:
    assert timezone.is_naive(NAIVE)
    assert timezone.is_localized(NAIVE.replace(tzinfo=dt.UTC))
    with pytest.raises(ValueError, match="naive"):
        timezone.make_aware(NAIVE.replace(tzinfo=dt.UTC))
    with pytest.raises(ValueError, match="naive"):
        timezone.make_naive(NAIVE)


@pytest.mark.parametrize(
    ("zone", "name"),
    [
        (dt.UTC, "UTC"),
        (pendulum.timezone("UTC"), "UTC"),
        (pendulum.timezone("Europe/Zurich"), "Europe/Zurich"),
        (pendulum.timezone(5400), "+01:30"),
        (dt.timezone(dt.timedelta(hours=-5)), "-05:00"),
    ],
)
def test_every_kind_of_zone_has_a_name(zone: dt.tzinfo, name: str) -> None:
    assert timezone.zone_name(zone) == name


def test_unknown_zones_are_refused_with_the_nearest() -> None:
    for find in (timezone.find_zone, timezone.parse_timezone):
        with pytest.raises(UserError, match="did you mean 'Europe/Zurich'"):
            find("Europe/Zurih")
    assert timezone.find_zone(3600).utcoffset(None) == dt.timedelta(hours=1)
    assert timezone.find_zone("-05:30").utcoffset(None) == -dt.timedelta(hours=5, minutes=30)
    for text in ("+soon", "+24:00", "-9999999999999", "+10:" + "9" * 30):
        with pytest.raises(UserError, match="no offset"):
            timezone.find_zone(text)


def test_spans_in_words() -> None:
    assert timezone.td_format(dt.timedelta(days=1, hours=2, minutes=3, seconds=4)) == "1d:2h:3M:4s"
    assert timezone.td_format(0.5) == "<1s"
    assert timezone.td_format(None) is None


def test_days_of_the_week() -> None:
    assert WeekDay.convert("monday") == 1
    assert WeekDay.validate_week_day({WeekDay.SUNDAY, "Tuesday"}) == {2, 7}
    with pytest.raises(AttributeError, match="'Moonday'"):
        WeekDay.get_weekday_number("Moonday")
    with pytest.raises(TypeError):
        WeekDay.validate_week_day(5)  # type: ignore[arg-type]


def test_trigger_rules_know_their_old_names() -> None:
    assert TriggerRule("dummy") is TriggerRule.ALWAYS is TriggerRule.DUMMY
    assert TriggerRule("none_failed_or_skipped") is TriggerRule.NONE_FAILED_MIN_ONE_SUCCESS
    assert f"{TriggerRule.ALL_DONE}" == "all_done"


def test_macros() -> None:
    assert macros.ds_add("2026-01-31", 1) == "2026-02-01"
    assert macros.ds_format("2026-01-31", "%Y-%m-%d", "%d/%m/%y") == "31/01/26"
    hour = dt.timedelta(hours=1)
    start = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    assert macros.datetime_diff_for_humans(start + hour, start) == "1 hour after"
    assert macros.yaml.safe_load("a: 1") == {"a": 1}
    assert macros.dateutil.parser.parse("2026-01-01").year == 2026
    assert macros.timedelta(hours=1) == hour
    with pytest.raises(AttributeError, match="'nothing'"):
        _ = macros.nothing


def test_the_context_is_current_while_its_task_runs() -> None:
    with pytest.raises(RuntimeError, match="only while a task runs"):
        authoring_state.get_current_context()
    with authoring_state.set_current_context({"ds": "outer"}), authoring_state.set_current_context({"ds": "inner"}):
        assert authoring_state.get_current_context()["ds"] == "inner"
    with pytest.raises(RuntimeError):
        authoring_state.get_current_context()


def test_a_file_may_ask_for_which_dag_it_is_read() -> None:
    assert get_parsing_context() == (None, None)
    with set_parsing_context("d", "t"):
        assert (get_parsing_context().dag_id, get_parsing_context().task_id) == ("d", "t")
