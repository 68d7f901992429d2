"""`airflow.sensors.python`."""

from gnomon.airflow_compat.missing import missing
from gnomon.operators.python_sensor import PythonSensor

__all__ = ["PythonSensor"]
__getattr__ = missing(__name__)
