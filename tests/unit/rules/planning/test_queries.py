"""Author timetables of every release are asked with what their methods take, and told what is wrong with their answers."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import pendulum
import pytest

from gnomon.model.errors.timetable import AirflowTimetableInvalid
from gnomon.model.instants import to_instant
from gnomon.model.slots import Cursor, DagRunInfo, DataInterval, PlannedRun, TimeRestriction
from gnomon.model.states import DagRunType
from gnomon.rules.planning import PlanningError, build_manual_run
from gnomon.rules.planning.queries import ask_next
from gnomon.timetables import CronDataIntervalTimetable, Timetable

DAY = dt.timedelta(days=1)
START = dt.datetime(2024, 3, 6, tzinfo=dt.UTC)
LAST = Cursor(run_after=to_instant(START), interval_start=to_instant(START - DAY), interval_end=to_instant(START))
ANY_TIME = TimeRestriction(START, None, True)
SECOND = DagRunInfo.interval(START, START + DAY)


def _next(timetable: Any, last: Cursor | None = LAST) -> PlannedRun | None:
    return ask_next(timetable, last, ANY_TIME, to_instant(START + 10 * DAY))


def _of(**body: Any) -> Any:
    """A timetable of a class `Mine` with that body."""
    return type("Mine", (Timetable,), {"__module__": "mine", **body})()


# What methods take


class Keywords(Timetable):
    def next_dagrun_info(self, *, last_automated_data_interval: Any, restriction: Any) -> DagRunInfo:
        return DagRunInfo.interval(last_automated_data_interval.end, last_automated_data_interval.end.add(days=1))


class Positional(Timetable):
    """As the first drafts of Airflow 2.2 had it: the logical date of the last run."""

    def next_dagrun_info(self, last_automated_dagrun: Any, restriction: Any) -> DagRunInfo:  # type: ignore[override]
        return DagRunInfo.interval(last_automated_dagrun.add(days=1), last_automated_dagrun.add(days=2))


class PositionalOnly(Timetable):
    def next_dagrun_info(self, last_automated_data_interval: Any, restriction: Any, /) -> DagRunInfo:  # type: ignore[override]
        return DagRunInfo.interval(last_automated_data_interval.end, last_automated_data_interval.end.add(days=1))


class Everything(Timetable):
    def next_dagrun_info(self, **given: Any) -> DagRunInfo:
        end = given["last_automated_data_interval"].end
        return DagRunInfo.interval(end, end.add(days=1))


class Version2(Timetable):
    def next_dagrun_info_v2(self, *, last_dagrun_info: Any, restriction: Any) -> DagRunInfo:
        return DagRunInfo.interval(last_dagrun_info.data_interval.end, last_dagrun_info.run_after.add(days=1))


class Fewer(Timetable):
    """Takes no restriction, and something of its own with a default."""

    def next_dagrun_info(self, *, last_automated_data_interval: Any, days: int = 1) -> DagRunInfo:  # type: ignore[override]
        return DagRunInfo.interval(last_automated_data_interval.end, last_automated_data_interval.end.add(days=days))


class OfOurs(CronDataIntervalTimetable):
    """An author's class may derive from a built-in one and change its answer."""

    def __init__(self) -> None:
        super().__init__("@daily", "UTC")

    def next_dagrun_info(self, *, last_automated_data_interval: Any, restriction: Any) -> Any:
        return super().next_dagrun_info(
            last_automated_data_interval=last_automated_data_interval, restriction=restriction
        )


@pytest.mark.parametrize("cls", [Keywords, Positional, PositionalOnly, Everything, Version2, Fewer, OfOurs])
def test_each_signature_gets_the_last_run(cls: Callable[[], Timetable]) -> None:
    run = _next(cls())
    assert run is not None
    assert (run.interval_start, run.interval_end) == (to_instant(START), to_instant(START + DAY))


def test_authors_get_pendulum_and_may_answer_with_any_aware_datetime() -> None:
    seen: list[Any] = []

    def next_dagrun_info(self: Any, *, last_automated_data_interval: Any, restriction: Any) -> DagRunInfo:
        seen.extend([*last_automated_data_interval, restriction.earliest])
        ahead = dt.timezone(dt.timedelta(hours=2))
        return DagRunInfo.interval(START.astimezone(ahead), pendulum.instance(START + DAY, tz="Europe/Zurich"))

    run = _next(_of(next_dagrun_info=next_dagrun_info))
    assert {type(moment) for moment in seen} == {pendulum.DateTime}
    assert {moment.timezone_name for moment in seen} == {"UTC"}
    assert run is not None
    assert (run.interval_start, run.interval_end) == (to_instant(START), to_instant(START + DAY))


def test_a_last_run_without_an_interval_is_shown_as_its_instant() -> None:
    seen: list[Any] = []

    def next_dagrun_info(self: Any, *, last_automated_data_interval: Any, restriction: Any) -> DagRunInfo:
        seen.append(last_automated_data_interval)
        return DagRunInfo(START + DAY, None)

    run = _next(
        _of(next_dagrun_info=next_dagrun_info),
        Cursor(run_after=to_instant(START), interval_start=None, interval_end=None),
    )
    assert seen == [DataInterval.exact(START)]
    assert run is not None and run.interval_start is None and run.slot_key == str(to_instant(START + DAY))


@pytest.mark.parametrize(
    "infer",
    [
        lambda self, run_after: DataInterval(run_after.subtract(days=1), run_after),
        lambda self, **given: DataInterval(given["run_after"].subtract(days=1), given["run_after"]),
        lambda self, run_after, /: DataInterval(run_after.subtract(days=1), run_after),
    ],
)
@pytest.mark.parametrize("name", ["infer_manual_data_interval", "infer_data_interval"])
def test_each_signature_gets_the_manual_run(name: str, infer: Any) -> None:
    run = build_manual_run(_of(**{name: infer}), None, to_instant(START))
    assert (run.interval_start, run.interval_end, run.run_after) == (
        LAST.interval_start,
        LAST.interval_end,
        LAST.run_after,
    )
    assert run.run_id == "manual__2024-03-06T00:00:00+00:00"


@pytest.mark.parametrize(
    ("generate", "run_id"),
    [
        (
            lambda self, *, run_type, logical_date, data_interval, **extra: f"{logical_date:%Y-%m-%d %A}",
            "2024-03-06 Wednesday",
        ),
        (lambda self, *, run_type, run_after, data_interval: run_after.format("dddd"), "Thursday"),
        (lambda self, run_type, run_after, **extra: f"{run_type} {run_after:%d}", "scheduled 07"),
        (lambda self, **given: ",".join(sorted(given)), "data_interval,logical_date,run_after,run_type"),
        (
            lambda self, *, run_type, logical_date, data_interval: run_type.generate_run_id(logical_date),
            "scheduled__2024-03-06T00:00:00+00:00",
        ),
        (lambda self: "Größe 5/6 \"a\" 'b' %s .. \N{GRINNING FACE}", "Größe 5/6 \"a\" 'b' %s .. \N{GRINNING FACE}"),
        (lambda self: "x" * 250, "x" * 250),
    ],
)
def test_each_signature_of_generate_run_id_gets_its_arguments(generate: Any, run_id: str) -> None:
    run = _next(_of(next_dagrun_info=lambda self, **_: SECOND, generate_run_id=generate))
    assert run is not None and run.run_id == run_id


def test_the_base_class_names_a_run_with_the_words_of_both_releases() -> None:
    base = _of()
    after = base.generate_run_id(run_type=DagRunType.MANUAL, run_after=START, data_interval=None)
    assert after == base.generate_run_id(run_type=DagRunType.MANUAL, logical_date=START, data_interval=None)
    assert after == "manual__2024-03-06T00:00:00+00:00"


# What newcomers do


def _aiter(self: Any, **_: Any) -> Any:
    yield SECOND


async def _later(self: Any, **_: Any) -> Any:
    return SECOND


def _no_self(last_automated_data_interval: Any, restriction: Any) -> Any:
    return SECOND


def _raises(self: Any, **_: Any) -> Any:
    raise KeyError("at")


def _exits(self: Any, **_: Any) -> Any:
    raise SystemExit("enough")


def _says_why(self: Any, **_: Any) -> Any:
    raise AirflowTimetableInvalid("on Sundays there is no run; choose another day")


def _naive(self: Any, **_: Any) -> Any:
    return DagRunInfo.interval(dt.datetime(2024, 3, 6), dt.datetime(2024, 3, 7))


MISTAKES: list[tuple[str, dict[str, Any], str]] = [
    (
        "nothing yet",
        {},
        "Mine lacks the method next_dagrun_info; write `def next_dagrun_info(self, *, last_automated_data_interval, restriction)`",
    ),
    (
        "a typing mistake in the name",
        {"next_dag_run_info": lambda self, **_: SECOND},
        "Mine lacks the method next_dagrun_info; rename next_dag_run_info",
    ),
    (
        "a wrong keyword",
        {"next_dagrun_info": lambda self, *, last_data_interval, restriction: SECOND},
        "Mine.next_dagrun_info(self, *, last_data_interval, restriction) takes 'last_data_interval', which Gnomon does not pass; "
        "name it 'last_automated_data_interval'",
    ),
    (
        "a wrong keyword with a default",
        {"next_dagrun_info": lambda self, *, last_automated_data_intervall=None, restriction=None: SECOND},
        "takes 'last_automated_data_intervall', which Gnomon does not pass; name it 'last_automated_data_interval'",
    ),
    (
        "a keyword of nowhere",
        {"next_dagrun_info": lambda self, foo, restriction: SECOND},
        "Mine.next_dagrun_info(self, foo, restriction) takes 'foo', which Gnomon does not pass; "
        "write `def next_dagrun_info(self, *, last_automated_data_interval, restriction)`",
    ),
    (
        "no self",
        {"next_dagrun_info": _no_self},
        "Mine.next_dagrun_info(last_automated_data_interval, restriction) has no `self`",
    ),
    ("no method", {"next_dagrun_info": "0 0 * * *"}, "Mine.next_dagrun_info is str, not a method"),
    (
        "yield",
        {"next_dagrun_info": _aiter},
        "Mine.next_dagrun_info contains `yield`; give its one result with `return`",
    ),
    ("async", {"next_dagrun_info": _later}, "Mine.next_dagrun_info is `async def`"),
    (
        "an exception",
        {"next_dagrun_info": _raises},
        "Mine.next_dagrun_info raised KeyError: 'at'; fix the timetable",
    ),
    ("sys.exit", {"next_dagrun_info": _exits}, "Mine.next_dagrun_info raised SystemExit: enough"),
    ("its own words", {"next_dagrun_info": _says_why}, "on Sundays there is no run; choose another day"),
    (
        "a wrong type",
        {"next_dagrun_info": lambda self, **_: "tomorrow"},
        "Mine.next_dagrun_info returned str; return a DagRunInfo or None",
    ),
    (
        "a class",
        {"next_dagrun_info": lambda self, **_: DagRunInfo},
        "Mine.next_dagrun_info returned the class DagRunInfo; return a DagRunInfo",
    ),
    (
        "an interval",
        {"next_dagrun_info": lambda self, **_: SECOND.data_interval},
        "Mine.next_dagrun_info returned DataInterval; return a DagRunInfo",
    ),
    (
        "a naive datetime",
        {"next_dagrun_info": _naive},
        "Mine.next_dagrun_info returned the naive datetime 2024-03-07 00:00:00 as run_after; give it a time zone",
    ),
    (
        "a date",
        {"next_dagrun_info": lambda self, **_: DagRunInfo(dt.date(2024, 3, 7), None)},
        "returned datetime.date(2024, 3, 7) as run_after; return a datetime",
    ),
    (
        "half an interval",
        {"next_dagrun_info": lambda self, **_: DagRunInfo(START + DAY, START)},
        "returned datetime as data_interval; return a DataInterval or None",
    ),
    (
        "a partition",
        {"next_dagrun_info": lambda self, **_: DagRunInfo(START + DAY, None, partition_key="a")},
        "returned a run of a partition",
    ),
    (
        "the same again",
        {"next_dagrun_info": lambda self, **_: DagRunInfo.interval(START - DAY, START)},
        "Mine.next_dagrun_info returned a run after 2024-03-06T00:00:00+00:00, which is not later than the last one, "
        "2024-03-06T00:00:00+00:00; return a later one, or None",
    ),
    (
        "the same interval, later",
        {"next_dagrun_info": lambda self, **_: DagRunInfo(START + DAY, DataInterval(START - DAY, START))},
        "Mine.next_dagrun_info returned the data interval from 2024-03-05T00:00:00+00:00 once more, with a later run_after",
    ),
    (
        "backwards",
        {"next_dagrun_info": lambda self, **_: DagRunInfo.interval(START - 3 * DAY, START - 2 * DAY)},
        "returned a run after 2024-03-04T00:00:00+00:00, which is not later than the last one",
    ),
    (
        "reversed",
        {"next_dagrun_info": lambda self, **_: DagRunInfo(START + DAY, DataInterval(START, START - DAY))},
        "ends before it starts; swap start and end",
    ),
    (
        "a long id",
        {"next_dagrun_info": lambda self, **_: SECOND, "generate_run_id": lambda self, **_: "x" * 251},
        "a run id has 1 to 250 characters; this one has 251",
    ),
    (
        "no id",
        {"next_dagrun_info": lambda self, **_: SECOND, "generate_run_id": lambda self, **_: ""},
        "a run id has 1 to 250 characters; this one has 0",
    ),
    (
        "a line break",
        {"next_dagrun_info": lambda self, **_: SECOND, "generate_run_id": lambda self, **_: "a\nb"},
        "a run id is one line of text; this one has the character '\\n'",
    ),
    (
        "an escape",
        {"next_dagrun_info": lambda self, **_: SECOND, "generate_run_id": lambda self, **_: "\x1b[31m"},
        "this one has the character '\\x1b'",
    ),
    (
        "no return",
        {"next_dagrun_info": lambda self, **_: SECOND, "generate_run_id": lambda self, **_: None},
        "Mine.generate_run_id returned None (is there a `return`?); return a text",
    ),
    (
        "a number",
        {"next_dagrun_info": lambda self, **_: SECOND, "generate_run_id": lambda self, **_: 7},
        "Mine.generate_run_id returned int; return a text",
    ),
    (
        "a wrong keyword of the id",
        {"next_dagrun_info": lambda self, **_: SECOND, "generate_run_id": lambda self, run_typ, **_: "a"},
        "Mine.generate_run_id(self, run_typ, **_) takes 'run_typ', which Gnomon does not pass; name it 'run_type'",
    ),
]


@pytest.mark.parametrize(("body", "said"), [pytest.param(body, said, id=name) for name, body, said in MISTAKES])
def test_an_error_names_class_method_and_remedy(body: dict[str, Any], said: str) -> None:
    with pytest.raises(PlanningError) as caught:
        _next(_of(**body))
    assert said in str(caught.value)


MANUAL_MISTAKES: list[tuple[str, dict[str, Any], str]] = [
    (
        "nothing yet",
        {},
        "Mine lacks the method infer_manual_data_interval; write `def infer_manual_data_interval(self, *, run_after)`",
    ),
    (
        "a typing mistake",
        {"infer_manual_data_intervall": lambda self, run_after: None},
        "rename infer_manual_data_intervall",
    ),
    (
        "no return",
        {"infer_manual_data_interval": lambda self, run_after: None},
        "returned None (is there a `return`?); return a DataInterval",
    ),
    (
        "a wrong keyword",
        {"infer_manual_data_interval": lambda self, *, run_at: None},
        "takes 'run_at', which Gnomon does not pass",
    ),
    (
        "a naive datetime",
        {"infer_manual_data_interval": lambda self, run_after: DataInterval(dt.datetime(2024, 3, 6), run_after)},
        "Mine.infer_manual_data_interval returned the naive datetime 2024-03-06 00:00:00 as start; give it a time zone",
    ),
    (
        "reversed",
        {"infer_manual_data_interval": lambda self, run_after: DataInterval(run_after, run_after.subtract(days=1))},
        "Mine.infer_manual_data_interval returned a data interval that ends before it starts",
    ),
]


@pytest.mark.parametrize(("body", "said"), [pytest.param(body, said, id=name) for name, body, said in MANUAL_MISTAKES])
def test_an_error_of_a_manual_run_names_class_method_and_remedy(body: dict[str, Any], said: str) -> None:
    with pytest.raises(PlanningError) as caught:
        build_manual_run(_of(**body), None, to_instant(START))
    assert said in str(caught.value)


def test_an_error_names_the_raising_line_or_the_line_of_the_method() -> None:
    for method in (_raises, _naive):
        with pytest.raises(PlanningError) as caught:
            _next(_of(next_dagrun_info=method))
        line = method.__code__.co_firstlineno + (1 if method is _raises else 0)
        assert str(caught.value).endswith(f"({__file__}:{line})")
