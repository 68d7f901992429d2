"""`airflow.providers.standard.sensors.weekday`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.operators.time_sensors import DayOfWeekSensor

__all__ = ["DayOfWeekSensor"]
__getattr__ = make_getattr(__name__)
