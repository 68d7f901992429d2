"""`airflow.example_dags.plugins.business_day_window`: the weekdays of a month as a window, in code of our own."""

from datetime import datetime, timedelta

from airflow.partition_mappers.window import Window
from airflow.plugins_manager import AirflowPlugin

from gnomon.airflow_compat.missing_names import make_getattr

__all__ = ["BusinessDayWindow", "BusinessDayWindowPlugin"]

_SATURDAY = 5


class BusinessDayWindow(Window):
    """Monday to Friday of the month that begins at the decoded key."""

    expected_decoded_type = datetime

    def to_upstream(self, period_start):
        """The starts of the weekdays. Raises ValueError for a start that is not the first of a month."""
        if period_start.day != 1:
            raise ValueError(
                f"BusinessDayWindow needs the first day of a month, not {period_start.isoformat()}; use it with StartOfMonthMapper"
            )
        days = (period_start + timedelta(days=number) for number in range(31))
        return [day for day in days if day.month == period_start.month and day.weekday() < _SATURDAY]


class BusinessDayWindowPlugin(AirflowPlugin):
    """Registers the window."""

    name = "business_day_window_plugin"
    windows = [BusinessDayWindow]


__getattr__ = make_getattr(__name__)
