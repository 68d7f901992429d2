"""Mappers and windows for schedules by partitions of assets. Public."""

from __future__ import annotations

from gnomon.rules.partitions.compound_mappers import FanOutMapper, RollupMapper
from gnomon.rules.partitions.key_mappers import (
    AllowedKeyMapper,
    ChainMapper,
    FixedKeyMapper,
    IdentityMapper,
    PartitionMapper,
    ProductMapper,
)
from gnomon.rules.partitions.part_codec import decode_part, encode_part
from gnomon.rules.partitions.temporal_mappers import (
    StartOfDayMapper,
    StartOfHourMapper,
    StartOfMonthMapper,
    StartOfQuarterMapper,
    StartOfWeekMapper,
    StartOfYearMapper,
)
from gnomon.rules.partitions.wait_policies import MinimumCount, PartitionSatisfaction, WaitForAll, WaitPolicy
from gnomon.rules.partitions.windows import (
    DayWindow,
    HourWindow,
    MonthWindow,
    QuarterWindow,
    SegmentWindow,
    WeekWindow,
    Window,
    YearWindow,
)

__all__ = [
    "AllowedKeyMapper",
    "ChainMapper",
    "DayWindow",
    "FanOutMapper",
    "FixedKeyMapper",
    "HourWindow",
    "IdentityMapper",
    "MinimumCount",
    "MonthWindow",
    "PartitionMapper",
    "PartitionSatisfaction",
    "ProductMapper",
    "QuarterWindow",
    "RollupMapper",
    "SegmentWindow",
    "StartOfDayMapper",
    "StartOfHourMapper",
    "StartOfMonthMapper",
    "StartOfQuarterMapper",
    "StartOfWeekMapper",
    "StartOfYearMapper",
    "WaitForAll",
    "WaitPolicy",
    "WeekWindow",
    "Window",
    "YearWindow",
    "decode_part",
    "encode_part",
]
