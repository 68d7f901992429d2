"""`airflow.sensors.date_time`."""

from gnomon.airflow_compat.missing import missing
from gnomon.operators.date_time_sensor import DateTimeSensor, DateTimeSensorAsync

__all__ = ["DateTimeSensor", "DateTimeSensorAsync"]
__getattr__ = missing(__name__)
