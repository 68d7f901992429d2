"""`airflow.providers.standard.sensors.time`."""

from gnomon.airflow_compat.missing import missing
from gnomon.operators.time_sensor import TimeSensor, TimeSensorAsync

__all__ = ["TimeSensor", "TimeSensorAsync"]
__getattr__ = missing(__name__)
