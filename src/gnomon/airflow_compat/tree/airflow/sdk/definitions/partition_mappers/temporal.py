"""`airflow.sdk.definitions.partition_mappers.temporal`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.partitions import (
    FanOutMapper,
    StartOfDayMapper,
    StartOfHourMapper,
    StartOfMonthMapper,
    StartOfQuarterMapper,
    StartOfWeekMapper,
    StartOfYearMapper,
)

__all__ = [
    "FanOutMapper",
    "StartOfDayMapper",
    "StartOfHourMapper",
    "StartOfMonthMapper",
    "StartOfQuarterMapper",
    "StartOfWeekMapper",
    "StartOfYearMapper",
]
__getattr__ = make_getattr(__name__)
