"""`airflow.sensors.bash`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.operators.bash import BashSensor

__all__ = ["BashSensor"]
__getattr__ = make_getattr(__name__)
