"""Mappers, windows and wait policies one by one: keys, formats, arguments, and the stored form."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import pytest

from gnomon import partitions as p
from gnomon.rules.partitions.key_formats import compile_key_format
from gnomon.rules.partitions.part_codec import UnknownPart, list_author_classes

TIME = "2024-03-13T10:42:15"
DAYS = [f"2024-03-{day}" for day in range(11, 18)]


class Doubling(p.PartitionMapper):
    """An author's mapper with an argument."""

    def __init__(self, suffix: str = "b", *, max_downstream_keys: int | None = None) -> None:
        super().__init__(max_downstream_keys=max_downstream_keys)
        self.suffix = suffix

    def to_downstream(self, key: str) -> Iterable[str]:
        return [key, key + self.suffix]

    def serialize(self) -> dict[str, Any]:
        return {"suffix": self.suffix}

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> Doubling:
        return cls(data["suffix"])


@pytest.mark.parametrize(
    ("mapper", "key", "start"),
    [
        (p.StartOfHourMapper(), "2024-03-13T10", datetime(2024, 3, 13, 10, tzinfo=UTC)),
        (p.StartOfDayMapper(), "2024-03-13", datetime(2024, 3, 13, tzinfo=UTC)),
        (p.StartOfWeekMapper(), "2024-03-11 (W11)", datetime(2024, 3, 11, tzinfo=UTC)),
        (p.StartOfMonthMapper(), "2024-03", datetime(2024, 3, 1, tzinfo=UTC)),
        (p.StartOfQuarterMapper(), "2024-Q1", datetime(2024, 1, 1, tzinfo=UTC)),
        (p.StartOfYearMapper(), "2024", datetime(2024, 1, 1, tzinfo=UTC)),
    ],
    ids=lambda one: type(one).__name__,
)
def test_a_temporal_mapper_has_airflows_key_and_the_start_of_its_period(mapper: Any, key: str, start: datetime) -> None:
    assert mapper.to_downstream(TIME) == key
    assert mapper.decode_downstream(key) == start.replace(tzinfo=None)
    assert mapper.to_partition_date(key) == start


@pytest.mark.parametrize(
    ("year", "key"),
    [
        ("2024-12-30T00:00:00", "2024-12-30 (W01)"),
        ("2021-01-03T23:59:59", "2020-12-28 (W53)"),
        ("2023-01-01T00:00:00", "2022-12-26 (W52)"),
    ],
)
def test_the_week_of_the_end_of_a_year(year: str, key: str) -> None:
    mapper = p.StartOfWeekMapper()
    assert mapper.to_downstream(year) == key
    assert p.RollupMapper(upstream_mapper=mapper, window=p.WeekWindow()).to_upstream(key) >= {key[:10] + "T00:00:00"}


def test_the_zone_of_a_mapper_decides_to_which_day_an_instant_belongs() -> None:
    mapper = p.StartOfDayMapper(timezone="Asia/Tokyo", input_format="%Y-%m-%dT%H:%M:%S%z")
    assert mapper.to_downstream("2024-03-12T15:00:00+0000") == "2024-03-13"
    assert mapper.to_downstream("2024-03-12T14:59:59+0000") == "2024-03-12"
    assert mapper.to_partition_date("2024-03-13") == datetime(2024, 3, 12, 15, tzinfo=UTC)


def test_formats_of_ones_own() -> None:
    assert p.StartOfQuarterMapper(output_format="Q{quarter} of %Y").to_downstream(TIME) == "Q1 of 2024"
    assert p.StartOfQuarterMapper(output_format="Q{quarter} of %Y").decode_downstream("Q4 of 2024") == datetime(
        2024, 10, 1
    )
    assert p.StartOfMonthMapper(input_format="%d.%m.%Y", output_format="%m/%Y").to_downstream("31.12.2024") == "12/2024"
    for mapper, key in (
        (p.StartOfWeekMapper(output_format="%Y W%V"), "2024 W11"),
        (p.StartOfQuarterMapper(), "2024-Q5"),
    ):
        with pytest.raises(ValueError, match="output_format must include"):
            mapper.decode_downstream(key)
    with pytest.raises(ValueError, match="does not match format"):
        p.StartOfDayMapper().to_downstream("yesterday")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("%Y-%Y", "reuses directive 'Y'"),
        ("{a}-{a}", "reuses placeholder 'a'"),
        ("{}", "invalid placeholder {}"),
        ("{1a}", "invalid placeholder"),
        ("{a}{b}", "adjacent default-pattern placeholders"),
        ("{a}x{b}%Y{c}_", "has 3 placeholders .* at most 2 can be read back"),
    ],
)
def test_a_format_that_cannot_be_read_back_is_refused_when_the_mapper_is_made(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        compile_key_format(text)


def test_placeholders_that_separators_end_are_read_back_in_any_number() -> None:
    names = "abcdefgh"
    pattern = compile_key_format("-".join(f"{{{name}}}" for name in names))
    found = pattern.fullmatch("-".join(names))
    assert found is not None and found.groupdict() == {name: name for name in names}


def test_a_key_that_does_not_fit_is_refused_without_trying_each_way_to_divide_it() -> None:
    """A person gives the key of a run by hand, and the api-server reads it with the format of an author: four such placeholders took seven seconds, five took minutes."""
    pattern = compile_key_format("{a}x{b}x{c}-{d}-")
    assert pattern.fullmatch("x" * 250) is None


def test_a_format_matches_whole_keys_only() -> None:
    pattern = compile_key_format("x-{name}-%Y%", {"name": "[ab]+"})
    found = pattern.fullmatch("x-ab-2024%")
    assert found is not None and found.groupdict() == {"name": "ab", "Y": "2024"}
    assert pattern.match("x-ab-2024%!") is None and pattern.match("x-c-2024%") is None
    assert compile_key_format("{a").match("{a") is not None


def test_keys_without_time() -> None:
    assert p.IdentityMapper().to_downstream("k") == "k"
    assert p.AllowedKeyMapper(["us", "eu"]).to_downstream("eu") == "eu"
    with pytest.raises(ValueError, match=r"Key 'asia' not in allowed keys \['us', 'eu'\]"):
        p.AllowedKeyMapper(["us", "eu"]).to_downstream("asia")
    assert p.FixedKeyMapper("all").to_downstream("eu") == "all"
    for wrong in ("", 5, None):
        with pytest.raises(ValueError, match="non-empty str"):
            p.FixedKeyMapper(wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="takes a list of keys"):
        p.AllowedKeyMapper("us")  # type: ignore[arg-type]


def test_a_chain_applies_each_mapper_to_all_keys_of_the_one_before() -> None:
    assert (
        p.ChainMapper(p.StartOfHourMapper(), p.StartOfDayMapper(input_format="%Y-%m-%dT%H")).to_downstream(TIME)
        == "2024-03-13"
    )
    assert p.ChainMapper(Doubling("x"), Doubling("y")).to_downstream("a") == ["a", "ay", "ax", "axy"]
    assert p.ChainMapper(Doubling(""), Doubling("")).to_downstream("a") == "a"
    chain = p.ChainMapper(p.IdentityMapper(), p.StartOfDayMapper())
    assert chain.to_partition_date("2024-03-13") == datetime(2024, 3, 13, tzinfo=UTC)


def test_a_product_maps_each_part_of_a_key() -> None:
    mapper = p.ProductMapper(p.IdentityMapper(), p.StartOfDayMapper())
    assert mapper.to_downstream(f"us|{TIME}") == "us|2024-03-13"
    assert mapper.to_partition_date("us|2024-03-13") == datetime(2024, 3, 13, tzinfo=UTC)
    assert (
        p.ProductMapper(p.StartOfDayMapper(), p.StartOfDayMapper()).to_partition_date("2024-03-13|2024-03-14") is None
    )
    assert mapper.to_partition_date("us") is None
    with pytest.raises(ValueError, match="Expected 2 segments in key, got 3"):
        mapper.to_downstream("a|b|c")
    with pytest.raises(TypeError, match="Doubling returned multiple keys"):
        p.ProductMapper(p.IdentityMapper(), Doubling(), delimiter="/").to_downstream("a/b")


@pytest.mark.parametrize(
    ("upstream", "window", "members"),
    [
        (p.StartOfHourMapper(), p.HourWindow(), [f"2024-03-13T10:{minute:02}:00" for minute in range(60)]),
        (p.StartOfDayMapper(), p.DayWindow(), [f"2024-03-13T{hour:02}:00:00" for hour in range(24)]),
        (p.StartOfWeekMapper(), p.WeekWindow(), [f"{day}T00:00:00" for day in DAYS]),
        (p.StartOfMonthMapper(), p.MonthWindow(), [f"2024-03-{day:02}T00:00:00" for day in range(1, 32)]),
        (p.StartOfQuarterMapper(), p.QuarterWindow(), [f"2024-{month:02}-01T00:00:00" for month in (1, 2, 3)]),
        (p.StartOfYearMapper(), p.YearWindow(), [f"2024-{month:02}-01T00:00:00" for month in range(1, 13)]),
    ],
    ids=lambda one: type(one).__name__ if isinstance(one, p.Window) else "",
)
def test_a_roll_up_needs_the_members_of_its_window(upstream: Any, window: p.Window, members: list[str]) -> None:
    mapper = p.RollupMapper(upstream_mapper=upstream, window=window)
    key = mapper.to_downstream(TIME)
    assert isinstance(key, str) and sorted(mapper.to_upstream(key)) == members
    assert {mapper.to_downstream(member) for member in members} == {key}
    assert mapper.is_rollup and mapper.to_partition_date(key) == upstream.to_partition_date(key)


@pytest.mark.parametrize(("month", "days"), [("2023-02", 28), ("2024-02", 29), ("2024-04", 30), ("2024-12", 31)])
def test_a_month_has_its_own_number_of_days(month: str, days: int) -> None:
    mapper = p.RollupMapper(upstream_mapper=p.StartOfMonthMapper(input_format="%Y-%m-%d"), window=p.MonthWindow())
    assert mapper.to_upstream(month) == {f"{month}-{day:02}" for day in range(1, days + 1)}


@pytest.mark.parametrize(
    ("window", "at", "first", "last", "count"),
    [
        (p.DayWindow, datetime(2024, 3, 13), datetime(2024, 3, 12, 1), datetime(2024, 3, 13), 24),
        (p.HourWindow, datetime(2024, 3, 13), datetime(2024, 3, 12, 23, 1), datetime(2024, 3, 13), 60),
        (p.WeekWindow, datetime(2024, 3, 13), datetime(2024, 3, 7), datetime(2024, 3, 13), 7),
        (p.MonthWindow, datetime(2024, 3, 1), datetime(2024, 2, 2), datetime(2024, 3, 1), 29),
        (p.QuarterWindow, datetime(2024, 1, 1), datetime(2023, 11, 1), datetime(2024, 1, 1), 3),
        (p.YearWindow, datetime(2024, 1, 1), datetime(2023, 2, 1), datetime(2024, 1, 1), 12),
    ],
)
def test_a_backward_window_ends_with_its_anchor(
    window: Any, at: datetime, first: datetime, last: datetime, count: int
) -> None:
    for direction in (p.Window.Direction.BACKWARD, "backward"):
        found = list(window(direction=direction).to_upstream(at))
        assert (found[0], found[-1], len(found)) == (first, last, count)
        assert found == sorted(set(found))


def test_a_window_of_months_begins_on_the_first() -> None:
    for window in (p.MonthWindow(), p.QuarterWindow(), p.YearWindow()):
        with pytest.raises(ValueError, match="expects a period start on day 1"):
            list(window.to_upstream(datetime(2024, 1, 31)))


def test_fan_out_makes_one_key_for_each_member() -> None:
    weekly = p.FanOutMapper(upstream_mapper=p.StartOfWeekMapper(), window=p.WeekWindow(), max_downstream_keys=7)
    assert weekly.to_downstream(TIME) == DAYS and weekly.max_downstream_keys == 7
    assert weekly.to_partition_date(DAYS[0]) == datetime(2024, 3, 11, tzinfo=UTC)
    assert len(p.FanOutMapper(upstream_mapper=p.StartOfDayMapper(), window=p.DayWindow()).to_downstream(TIME)) == 24
    segments = p.SegmentWindow(["us", "eu"])
    scatter = p.FanOutMapper(upstream_mapper=p.IdentityMapper(), window=segments, downstream_mapper=p.IdentityMapper())
    assert sorted(scatter.to_downstream("any")) == ["eu", "us"]
    for window in (segments, p.HourWindow()):
        with pytest.raises(ValueError, match="pass downstream_mapper explicitly"):
            p.FanOutMapper(upstream_mapper=p.IdentityMapper(), window=window)
    with pytest.raises(TypeError, match="must produce a single key"):
        p.FanOutMapper(upstream_mapper=Doubling(), window=segments, downstream_mapper=p.IdentityMapper()).to_downstream(
            "k"
        )


def test_segments() -> None:
    mapper = p.RollupMapper(upstream_mapper=p.FixedKeyMapper("all"), window=p.SegmentWindow(["us", "eu", "us"]))
    assert mapper.to_downstream("us") == "all" and mapper.to_upstream("all") == {"us", "eu"}
    for wrong, words in (([], "at least one"), (["a", ""], "index 1"), (["a", 5], "index 1: 5")):
        with pytest.raises(ValueError, match=words):
            p.SegmentWindow(wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="takes a list of keys"):
        p.SegmentWindow("us")
    with pytest.raises(
        TypeError, match=r"DayWindow expects decoded values of type 'datetime', but FixedKeyMapper decodes to 'str'"
    ):
        p.RollupMapper(upstream_mapper=p.FixedKeyMapper("all"), window=p.DayWindow())


@pytest.mark.parametrize(
    ("policy", "size", "enough"),
    [
        (p.WaitForAll(), 3, 3),
        (p.WaitForAll(), 0, 0),
        (p.MinimumCount(2), 3, 2),
        (p.MinimumCount(-1), 3, 2),
        (p.MinimumCount(-5), 3, 0),
    ],
)
def test_a_wait_policy_is_satisfied_from_a_number_of_keys_on(policy: p.WaitPolicy, size: int, enough: int) -> None:
    expected = {f"k{i}" for i in range(size)}
    for arrived in range(size + 1):
        answer = policy.is_satisfied_by_keys(matched={f"k{i}" for i in range(arrived)} | {"another"}, expected=expected)
        assert (answer.satisfied, answer.unreachable, answer.unreachable_reason) == (arrived >= enough, False, None)


def test_a_policy_that_wants_more_keys_than_there_are_says_so() -> None:
    answer = p.MinimumCount(4).is_satisfied_by_keys(matched={"a"}, expected={"a", "b"})
    assert not answer.satisfied and answer.unreachable
    assert answer.unreachable_reason == "wait policy MinimumCount(n=4) can never be satisfied: the window has 2 keys"
    with pytest.raises(ValueError, match="degenerate"):
        p.MinimumCount(0)


@pytest.mark.parametrize("limit", [0, -1, 1.5, "3", True])
def test_a_limit_of_keys_is_a_positive_number(limit: Any) -> None:
    with pytest.raises(ValueError, match="max_downstream_keys must be a positive integer or None"):
        p.IdentityMapper(max_downstream_keys=limit)


def test_half_a_pair_of_decoding_methods_is_refused() -> None:
    with pytest.raises(TypeError, match="overrides only one side of the decode/encode pair"):
        type("Half", (p.PartitionMapper,), {"decode_downstream": lambda self, key: key})


PARTS: list[Any] = [
    p.IdentityMapper(max_downstream_keys=3),
    p.AllowedKeyMapper(["a"]),
    p.FixedKeyMapper("a"),
    p.ChainMapper(p.IdentityMapper(), p.FixedKeyMapper("x")),
    p.ProductMapper(p.IdentityMapper(), p.StartOfDayMapper(timezone="Europe/Zurich"), delimiter="/"),
    p.RollupMapper(
        upstream_mapper=p.StartOfWeekMapper(),
        window=p.WeekWindow(direction="backward"),
        wait_policy=p.MinimumCount(-2),
        max_downstream_keys=9,
    ),
    p.FanOutMapper(upstream_mapper=p.StartOfQuarterMapper(), window=p.QuarterWindow()),
    p.SegmentWindow(["b", "a"]),
]


@pytest.mark.parametrize("part", PARTS, ids=lambda part: type(part).__name__)
def test_a_part_is_equal_to_the_one_made_of_its_stored_form(part: Any) -> None:
    stored = json.loads(json.dumps(p.encode_part(part)))
    again = p.decode_part(stored)
    assert again == part and p.encode_part(again) == stored and repr(again) == repr(part)
    assert list_author_classes(stored) == []


def test_parts_with_other_arguments_differ() -> None:
    assert p.StartOfDayMapper() != p.StartOfDayMapper(timezone="Asia/Tokyo")
    assert p.WeekWindow() != p.WeekWindow(direction="backward") and p.WeekWindow() != p.DayWindow()


def test_a_class_of_an_author_is_decoded_only_where_it_is_found() -> None:
    mapper = p.ChainMapper(p.IdentityMapper(), Doubling("z"))
    stored = p.encode_part(mapper)
    path = f"{Doubling.__module__}.Doubling"
    assert list_author_classes(stored) == [path]
    with pytest.raises(UnknownPart, match="Doubling is none of Gnomon's partition mappers"):
        p.decode_part(stored)
    assert p.decode_part(stored, {path: Doubling}.get).to_downstream("a") == ["a", "az"]


@pytest.mark.parametrize("text", ["{quarter:>999999999}", "{quarter.__class__}", "{quarter!r}", "{0}"])
def test_a_format_of_a_quarter_has_no_widths_and_attributes(text: str) -> None:
    with pytest.raises(ValueError):
        p.StartOfQuarterMapper(output_format=f"%Y {text}").to_downstream(TIME)
