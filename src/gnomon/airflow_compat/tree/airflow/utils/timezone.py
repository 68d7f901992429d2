"""`airflow.utils.timezone`."""

from gnomon.airflow_compat.missing_names import make_lazy_exports as _lazy
from gnomon.authoring.sdk.arguments.timezone import (
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
_, __getattr__ = _lazy(__name__, {"utc": "pendulum:UTC"})  # pendulum is loaded when a file asks for it
