"""`airflow.sensors.filesystem`."""

from gnomon.airflow_compat.missing import missing
from gnomon.operators.file_sensor import FileSensor

__all__ = ["FileSensor"]
__getattr__ = missing(__name__)
