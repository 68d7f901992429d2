"""Cron text is read as croniter reads it, and refused in words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import islice

import pytest
from croniter import croniter

from gnomon.model.errors.timetable import AirflowTimetableInvalid
from gnomon.rules.timetables.cron.cron_fields import parse_cron
from gnomon.rules.timetables.cron_timetable import CronClock, require_sense
from gnomon.rules.timetables.wall_clock.zones import floor_seconds

ACCEPTED = (
    """
* * * * *|5 0-5/2 * * *|50-10 * * * *|0 22-2 * * *|0 22-2/2 * * *|0 0 28-3 * *|0 0 25-3/2 * *|0 0 * 11-2 *
0 0 * nov-feb *|0 0 * * fri-mon|0 0 * * 5-1|0 0 * * sat-sun|0 0 * * 5-7|0 0 * * 0-7|0 0 * * 7-1|0 0 * * 6-0|0 0 * * 7
0 0 * * 5/2|0 0 5/10 * *|*/61 * * * *|0 0 L * *|0 0 l * *|0 0 15,L * *|0 0 1-L * *|0 0 * * L5|0 0 * * l5,L2|0 0 * * L7
0 0 * * mon#2|0 0 * * 1#1,1#3|0 0 * * 7#1|0 0 * * mon-wed#2|0 0 1 * 1#1|0 0 15W * *|0 0 w1 * *|0 0 31W * *
0 0 ? * 1|0 0 1 * ?|0 0 * * * *|0 0 * * * 30|0 0 * * * */20|*/15 * * * * 5-50/5|0 0 1 1 * 0 2025-2030
@hourly|@midnight|@annually|@Daily|@weekly|@monthly|@yearly|0 0 * jan,FEB *|0 0 * * Mon-Fri| 0  0 * * * |0 0 1,1,1 * *
1,2,*/10 * * * *|*,5 * * * *|0-59/1 * * * *|0 0 1-31 * 1|0 0 */2 * 1|0 0 * * */2|0 0 1-7 * */7|00 05 * * *
5/15 * * * *|5/100 * * * *|59/15 * * * *|0 0 29 2 *|0 0 30 2 1|*/7 * * * *|0 */5 * * *|0 0 */31 * *|0 0 10-5/3 * *
0 0 * 10-3/2 *|50-10/7 * * * *|0 20-3/3 * * *|0 0 * * 4-1/2|0 0 L * 1|0 0 31 * L5|0 0 31-31 * *|5-5 * * * *
5-5/2 * * * *|0 0 1 * 0-6|0 0 1 * *,1|59 23 28-31 * *|0 0 L,L * *|0 0 31-1 * *|10-9/2 * * * *|0 0 1-30,L * *
0 0 1-31 * */3|0 0 */3 * 0-6|0 12 13 * fri|30 4 1,15 * 5|0 0 L * */5|0 0 * * 5-07|0 0 * * 07|0 0 */5 * *,1#2
0 0 25-31 * *,L3|0 0 L * *,L5|0 0 1w * 1#1|0 0 * * mon-fri#2
""".replace("\n", "|")
    .strip("|")
    .split("|")
)

REFUSED = (
    """
*/0 * * * *|60 * * * *|0 24 * * *|0 0 0 * *|0 0 32 * *|0 0 L-3 * *|0 0 * * L|0 0 * * 5L|0 0 * * L5,2|0 0 * * 1#6
0 0 * * 1#0|0 0 * * 1#1,2|0 0 * * 1#-1|0 0 * * 1-3#2|0 0 * * fri#L|? * * * *|@reboot|0 0 * * monday|0 0 W * *
0 0 15W,20 * *|H * * * *|* * *|0 0 1 1|1- * * * *|-1 * * * *|1-2-3 * * * *|5/ * * * *|/5 * * * *|a * * * *
1,,2 * * * *|1, * * * *|1.5 * * * *|5-20/0 * * * *|0 0 * * 8|0 0 5 13 *|0 0 * 0 *|0 0 * * *#1|0 0 * * L5#1|0 0 LW * *
""".replace("\n", "|")
    .strip("|")
    .split("|")
)

START = datetime(2024, 1, 17, 10, 7, 30, tzinfo=UTC)


@pytest.mark.parametrize("expression", ACCEPTED)
def test_runs_when_croniter_says(expression: str) -> None:
    clock = CronClock(expression, UTC)
    theirs = croniter(expression, START)
    forward = list(islice(clock.between(floor_seconds(START), floor_seconds(START + timedelta(days=20000))), 12))
    assert forward == [theirs.get_next(datetime) for _ in forward]
    back, reached = croniter(expression, START), floor_seconds(START)
    for _ in range(6 if "2025-2030" not in expression else 0):
        found = clock.on_or_before(reached - 1)
        assert found == floor_seconds(back.get_prev(datetime))
        reached = found


@pytest.mark.parametrize("expression", REFUSED)
def test_refuses_what_croniter_refuses(expression: str) -> None:
    assert not croniter.is_valid(expression)
    with pytest.raises(AirflowTimetableInvalid, match=r"cron expression '"):
        parse_cron(expression)


@pytest.mark.parametrize("expression", ["9" * 5_000 + " * * * *", "*/" + "9" * 5_000 + " * * * *", "@" + "x" * 1_000])
def test_an_expression_of_many_characters_is_refused_before_its_numbers_are_read(expression: str) -> None:
    with pytest.raises(AirflowTimetableInvalid, match="a cron expression has at most 1,000 characters"):
        parse_cron(expression)


def test_an_expression_that_lists_every_value_is_not_too_long() -> None:
    fields = (range(60), range(24), range(1, 32), range(1, 13), range(7), range(60))
    parsed = parse_cron(" ".join(",".join(map(str, values)) for values in fields))
    assert len(parsed.minutes) == len(parsed.seconds) == 60


@pytest.mark.parametrize("expression", ["0 0 31 2 *", "0 0 30 feb *", "0 0 31 4,6,9,11 *", "0 0 29 2 * 0 2023"])
def test_an_expression_that_selects_no_date_is_an_error(expression: str) -> None:
    with pytest.raises(AirflowTimetableInvalid, match=r"can never fire.*change the day or month field"):
        require_sense(expression, UTC)


def test_a_mistake_is_named_with_its_field_and_the_remedy() -> None:
    with pytest.raises(AirflowTimetableInvalid) as caught:
        parse_cron("0 9 * * 5L")
    assert str(caught.value) == (
        "cron expression '0 9 * * 5L': the day of week field, '5L', is not understood; "
        "for the last such weekday of a month write L first: 'L5'"
    )


def test_a_random_hour_is_refused_because_it_would_move() -> None:
    with pytest.raises(AirflowTimetableInvalid, match="would change with each evaluation"):
        parse_cron("0 R * * *")
