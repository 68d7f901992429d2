"""`airflow.sensors.time_sensor`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.operators.time_sensors import TimeSensor, TimeSensorAsync

__all__ = ["TimeSensor", "TimeSensorAsync"]
__getattr__ = make_getattr(__name__)
