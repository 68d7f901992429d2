"""`airflow.utils.dates`: Airflow 2's helpers for start dates."""

import datetime as _dt
from datetime import datetime, timedelta

from gnomon.airflow_compat.date_ranges import date_range, round_time
from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.arguments import timezone as _timezone
from gnomon.rules.timetables.cron.cron_fields import CRON_PRESETS as cron_presets

# DAG files import `datetime` and `timedelta` from here: Airflow 2's module has them as names of its own imports.
__all__ = ["cron_presets", "date_range", "datetime", "days_ago", "parse_execution_date", "round_time", "timedelta"]


def days_ago(n, hour=0, minute=0, second=0, microsecond=0):
    """The moment `n` days before today, UTC, at that time of day."""
    today = _timezone.coerce_datetime(_timezone.utcnow())
    at = today.replace(hour=hour, minute=minute, second=second, microsecond=microsecond)
    return at - _dt.timedelta(days=n)


def parse_execution_date(execution_date_str):
    """The moment that the text names."""
    return _timezone.parse(execution_date_str)


__getattr__ = make_getattr(__name__)
