"""What a built-in mapper with formats of an author answers for a key."""

from __future__ import annotations

import pytest

from gnomon.model.ids import PARTITION_KEY_MAX
from gnomon.partitions import FixedKeyMapper, PartitionMapper, ProductMapper, StartOfDayMapper, StartOfQuarterMapper
from gnomon.rules.assets.leaf_mappers import DirectLeafMapper


def _day(output_format: str) -> StartOfDayMapper:
    return StartOfDayMapper(input_format="%Y-%m-%d", output_format=output_format)


@pytest.mark.parametrize(
    ("mapper", "key", "fault"),
    [
        (
            _day("%Y" + "x" * PARTITION_KEY_MAX),
            "2026-11-01",
            f"at most {PARTITION_KEY_MAX} characters; this one has {PARTITION_KEY_MAX + 4}",
        ),
        (_day("%999d"), "2026-11-01", "this one has 999"),
        (_day("%Y\n%m"), "2026-11-01", "one line of text"),
        (_day(" "), "2026-11-01", "at least one character that is no blank"),
        (ProductMapper(FixedKeyMapper("a" * 200), FixedKeyMapper("b" * 200)), "1|2", "this one has 401"),
        (StartOfQuarterMapper(input_format="%Y-%m-%d", output_format="%Y {quarter} {other}"), "2026-11-01", "'other'"),
    ],
)
def test_a_key_that_no_run_can_have_is_refused_before_a_run_is_made(
    mapper: PartitionMapper, key: str, fault: str
) -> None:
    answer = DirectLeafMapper(mapper, 10).map_key(key)
    assert answer.keys == ()
    assert (
        answer.refusal is not None
        and f"which {type(mapper).__name__} does not map" in answer.refusal
        and fault in answer.refusal
    )


def test_a_key_of_the_most_characters_is_mapped() -> None:
    answer = DirectLeafMapper(_day("%Y" + "x" * (PARTITION_KEY_MAX - 4)), 10).map_key("2026-11-01")
    assert (answer.refusal, answer.keys) == (None, ("2026" + "x" * (PARTITION_KEY_MAX - 4),))
