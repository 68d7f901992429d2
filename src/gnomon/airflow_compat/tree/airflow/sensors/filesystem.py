"""`airflow.sensors.filesystem`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.operators.file_sensor import FileSensor

__all__ = ["FileSensor"]
__getattr__ = make_getattr(__name__)
