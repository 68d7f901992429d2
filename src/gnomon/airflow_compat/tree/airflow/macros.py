"""`airflow.macros`."""

from gnomon.airflow_compat.missing import missing
from gnomon.sdk.macros import (
    datetime,
    datetime_diff_for_humans,
    dateutil,
    ds_add,
    ds_format,
    ds_format_locale,
    json,
    random,
    time,
    timedelta,
    uuid,
    yaml,
)

__all__ = [
    "datetime",
    "datetime_diff_for_humans",
    "dateutil",
    "ds_add",
    "ds_format",
    "ds_format_locale",
    "json",
    "random",
    "time",
    "timedelta",
    "uuid",
    "yaml",
]
__getattr__ = missing(__name__)
