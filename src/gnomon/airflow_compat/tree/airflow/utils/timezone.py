"""`airflow.utils.timezone`."""

from gnomon.airflow_compat.missing import missing
from gnomon.sdk.timezone import (
    coerce_datetime,
    convert_to_utc,
    datetime,
    from_timestamp,
    initialize,
    is_localized,
    is_naive,
    local_timezone,
    make_aware,
    make_naive,
    parse,
    parse_timezone,
    td_format,
    utc,
    utc_epoch,
    utcnow,
)

__all__ = [
    "coerce_datetime",
    "convert_to_utc",
    "datetime",
    "from_timestamp",
    "initialize",
    "is_localized",
    "is_naive",
    "local_timezone",
    "make_aware",
    "make_naive",
    "parse",
    "parse_timezone",
    "td_format",
    "utc",
    "utc_epoch",
    "utcnow",
]
__getattr__ = missing(__name__)
