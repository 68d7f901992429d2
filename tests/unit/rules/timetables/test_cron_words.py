"""Cron expressions in words."""

from __future__ import annotations

import pytest

from gnomon.rules.timetables.cron.cron_words import describe_cron


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("*/15 * * * *", "Every 15 minutes"),
        ("*/59 * * * *", "Every 59 minutes"),
        ("*/61 * * * *", "Every hour"),
        ("30 */24 * * *", "At 00:30"),
        ("0 0 */40 * *", "At 00:00, on day 1 of the month"),
        ("0 0 * */13 *", "At 00:00, only in January"),
    ],
)
def test_a_step_over_the_end_of_its_field_is_told_as_the_one_value_that_it_selects(expression: str, words: str) -> None:
    assert describe_cron(expression) == words
