"""`airflow.sensors.weekday`."""

from gnomon.airflow_compat.missing import missing
from gnomon.operators.day_of_week_sensor import DayOfWeekSensor

__all__ = ["DayOfWeekSensor"]
__getattr__ = missing(__name__)
