"""`airflow.sensors.time_delta`."""

from gnomon.airflow_compat.missing import missing
from gnomon.operators.time_delta_sensor import TimeDeltaSensor, TimeDeltaSensorAsync, WaitSensor

__all__ = ["TimeDeltaSensor", "TimeDeltaSensorAsync", "WaitSensor"]
__getattr__ = missing(__name__)
