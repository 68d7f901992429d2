"""`airflow.partition_mappers.window`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.partitions import (
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
    "DayWindow",
    "HourWindow",
    "MonthWindow",
    "QuarterWindow",
    "SegmentWindow",
    "WeekWindow",
    "Window",
    "YearWindow",
]
__getattr__ = make_getattr(__name__)
