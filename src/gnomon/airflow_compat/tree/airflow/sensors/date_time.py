"""`airflow.sensors.date_time`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.operators.time_sensors import DateTimeSensor, DateTimeSensorAsync

__all__ = ["DateTimeSensor", "DateTimeSensorAsync"]
__getattr__ = make_getattr(__name__)
