"""`airflow.sensors.bash`."""

from gnomon.airflow_compat.missing import missing
from gnomon.operators.bash_sensor import BashSensor

__all__ = ["BashSensor"]
__getattr__ = missing(__name__)
