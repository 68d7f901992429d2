"""Partition mappers and windows: which partitions of a consumer an upstream partition belongs to, and which it needs.

A partition key is text. `PartitionMapper` maps the key of an upstream event to the keys of the consumer's runs (`key_mappers.py`,
`temporal_mappers.py`, `compound_mappers.py`); a `RollupMapper` also lists the upstream keys that a run needs, by a `Window`
(`windows.py`), and a `WaitPolicy` (`wait_policies.py`) says how many of them are enough. `part_codec.py` has the stored form. Pure: nothing here
reads a clock. The names and signatures are Airflow's (airflow-surface.md B.6).
"""

from __future__ import annotations

from gnomon.partitions.compound_mappers import FanOutMapper, RollupMapper
from gnomon.partitions.key_mappers import (
    AllowedKeyMapper,
    ChainMapper,
    FixedKeyMapper,
    IdentityMapper,
    PartitionMapper,
    ProductMapper,
)
from gnomon.partitions.part_codec import decode_part, encode_part
from gnomon.partitions.temporal_mappers import (
    StartOfDayMapper,
    StartOfHourMapper,
    StartOfMonthMapper,
    StartOfQuarterMapper,
    StartOfWeekMapper,
    StartOfYearMapper,
)
from gnomon.partitions.wait_policies import MinimumCount, PartitionSatisfaction, WaitForAll, WaitPolicy
from gnomon.partitions.windows import (
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
