"""`airflow.providers.standard.sensors.time_delta`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.operators.time_sensors import TimeDeltaSensor, TimeDeltaSensorAsync, WaitSensor

__all__ = ["TimeDeltaSensor", "TimeDeltaSensorAsync", "WaitSensor"]
__getattr__ = make_getattr(__name__)
