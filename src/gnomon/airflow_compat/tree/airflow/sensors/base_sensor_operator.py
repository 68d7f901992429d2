"""`airflow.sensors.base_sensor_operator`."""

from gnomon.airflow_compat.missing import missing
from gnomon.sdk import BaseSensorOperator

__all__ = ["BaseSensorOperator"]
__getattr__ = missing(__name__)
