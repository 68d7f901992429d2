"""`airflow.sensors.base_sensor_operator`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk import BaseSensorOperator

__all__ = ["BaseSensorOperator"]
__getattr__ = make_getattr(__name__)
