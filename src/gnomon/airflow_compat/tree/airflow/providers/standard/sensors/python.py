"""`airflow.providers.standard.sensors.python`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.operators.python import PythonSensor

__all__ = ["PythonSensor"]
__getattr__ = make_getattr(__name__)
