"""`airflow.macros`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.templating.macros import (
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
__getattr__ = make_getattr(__name__)
