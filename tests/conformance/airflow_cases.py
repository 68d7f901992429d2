"""Random questions to Airflow's timetables, in the format of data/README.md, without answers."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import Any

Case = dict[str, Any]

ZONES = (
    "UTC",
    "Asia/Shanghai",
    "Africa/Casablanca",
    "Pacific/Apia",
    "Antarctica/Troll",
    "Europe/Berlin",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
    "America/New_York",
    "America/Sao_Paulo",
    "Europe/Dublin",
    "Asia/Tehran",
    "Africa/Cairo",
    "America/St_Johns",
    "Pacific/Chatham",
    "Asia/Beirut",
    "America/Havana",
)
EXPRESSIONS = (
    "@hourly",
    "@daily",
    "@weekly",
    "@monthly",
    "@quarterly",
    "@yearly",
    "0 2,3 * * *",
    "0 */6 * * *",
    "*/30 * * * *",
    "17 */3 * * *",
    "5 0-5/2 * * *",
    "*/5 * * * *",
    "0 0 L * *",
    "30 1 * * *",
    "30 2 * * *",
    "0 12 * * mon#2",
    "0 0 * * 7",
    "15,45 8-17 * * mon-fri",
    "0 0 1,15 * wed",
    "59 23 28-31 * *",
    "30 0 * 3,10,11 sun",
    "0 0 31 * *",
    "0 0 29 2 *",
    "0 9 * * 5L",
)
WEEKDAYS = (
    "mon",
    "1-5",
    "0",
    "6,0",
    "7",
    "sat",
    "fri#1",
    "3#2",
    "L5",
    "5L",
    "mon-wed",
    "*/2",
    "wed,fri",
    "tue#3,thu#1",
)
CHANGES = (
    "2018-02-17",
    "2018-11-03",
    "2019-11-02",
    "2021-11-06",
    "2023-03-25",
    "2024-03-09",
    "2024-03-30",
    "2024-04-06",
    "2024-10-05",
    "2024-10-26",
    "2024-11-02",
)
"""Days before or of a clock change somewhere."""
SPANS: tuple[dict[str, Any], ...] = (
    {"seconds": 60}, {"seconds": 1800}, {"seconds": 5400}, {"seconds": 86400}, {"seconds": 604800},
    {"relativedelta": {"months": 1}}, {"relativedelta": {"months": 3}}, {"relativedelta": {"days": 1}},
    {"relativedelta": {"weeks": 1}}, {"relativedelta": {"hours": 7}}, {"relativedelta": {"years": 1}},
    {"relativedelta": {"months": 1, "days": 2}},
)  # fmt: skip
IMMEDIATELY: tuple[Any, ...] = (True, False, {"seconds": 60}, {"seconds": 3600}, {"seconds": 86400})


def random_case(rng: random.Random, number: int) -> Case:
    """One question: a walk under a restriction, a manual interval, or how a schedule is shown."""
    op = rng.choices(("walk", "manual", "display"), (70, 20, 10))[0]
    now = moment(rng)
    case: Case = {"id": f"r{number}", "timetable": _timetable(rng), "now": now.isoformat(), "op": op}
    if op == "manual":
        case["run_after"] = (now if rng.random() < 0.5 else moment(rng)).isoformat()
    if op == "walk":
        case["restriction"] = {
            "earliest": _beside(rng, now, (-25920, -2880, -300, -10, 0, 180, 7200), 0.3),
            "latest": _beside(rng, now, (-60, 1200, 28800, 525600), 0.6),
            "catchup": rng.random() < 0.5,
        }
    return case


def moment(rng: random.Random) -> datetime:
    """An instant that is often near a clock change, often on an hour, and sometimes off the minute."""
    if rng.random() < 0.35:
        found = datetime.fromisoformat(rng.choice(CHANGES)).replace(tzinfo=UTC) + timedelta(
            minutes=rng.randint(0, 2400)
        )
    else:
        found = datetime(2015, 1, 1, tzinfo=UTC) + timedelta(minutes=rng.randint(0, 60 * 24 * 365 * 11))
    if rng.random() < 0.3:
        found = found.replace(minute=0)
    if rng.random() < 0.2:
        found = found.replace(hour=0, minute=0)
    return found + timedelta(seconds=rng.choice((0, 0, 0, 1, 13, 59)))


def _beside(rng: random.Random, now: datetime, minutes: tuple[int, ...], without: float) -> str | None:
    if rng.random() < without:
        return None
    return (now + timedelta(minutes=rng.choice(minutes), seconds=rng.choice((0, 0, -1, 47)))).isoformat()


def _timetable(rng: random.Random) -> dict[str, Any]:
    name = rng.choices(
        (
            "CronDataIntervalTimetable",
            "CronTriggerTimetable",
            "MultipleCronTriggerTimetable",
            "DeltaDataIntervalTimetable",
            "DeltaTriggerTimetable",
            "EventsTimetable",
            "OnceTimetable",
            "ContinuousTimetable",
            "NullTimetable",
        ),
        (45, 30, 8, 7, 6, 2, 1, 1, 1),
    )[0]
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    match name:
        case "CronDataIntervalTimetable":
            args = [_expression(rng), rng.choice(ZONES)]
        case "CronTriggerTimetable" | "MultipleCronTriggerTimetable":
            args = [_expression(rng) for _ in range(1 if name.startswith("Cron") else rng.randint(1, 3))]
            kwargs = {
                "timezone": rng.choice(ZONES),
                **_maybe(rng, "interval", SPANS),
                **_maybe(rng, "run_immediately", IMMEDIATELY),
            }
        case "DeltaDataIntervalTimetable":
            args = [rng.choice(SPANS)]
        case "DeltaTriggerTimetable":
            args, kwargs = [rng.choice(SPANS)], _maybe(rng, "interval", SPANS)
        case "EventsTimetable":
            args = [{"datetimes": [moment(rng).isoformat() for _ in range(rng.randint(1, 5))]}]
            kwargs = {**_maybe(rng, "restrict_to_events", (True,)), **_maybe(rng, "description", ("some events",))}
    return {"class": name, "args": args, "kwargs": kwargs}


def _maybe(rng: random.Random, name: str, values: tuple[Any, ...]) -> dict[str, Any]:
    return {name: rng.choice(values)} if rng.random() < 0.4 else {}


def _expression(rng: random.Random) -> str:
    if rng.random() < 0.5:
        return rng.choice(EXPRESSIONS)
    day = _field(rng, 1, 31) if rng.random() < 0.4 else "*"
    month = _field(rng, 1, 12) if rng.random() < 0.25 else "*"
    weekday = rng.choice(WEEKDAYS) if rng.random() < 0.35 else "*"
    return f"{_field(rng, 0, 59)} {_field(rng, 0, 23)} {day} {month} {weekday}"


def _field(rng: random.Random, low: int, high: int) -> str:
    kind = rng.random()
    if kind < 0.35:
        return "*"
    if kind < 0.7:
        return ",".join(map(str, sorted({rng.randint(low, high) for _ in range(rng.choice((1, 1, 2, 3)))})))
    if kind < 0.85:
        return f"*/{rng.randint(1, high - low)}"
    first, last = sorted((rng.randint(low, high), rng.randint(low, high)))
    return f"{first}-{last}" + (f"/{rng.randint(1, 5)}" if rng.random() < 0.5 else "")
