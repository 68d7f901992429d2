"""`airflow.sensors.external_task`."""

from gnomon.airflow_compat.missing import missing
from gnomon.operators.external_task_marker import ExternalTaskMarker
from gnomon.operators.external_task_sensor import ExternalTaskSensor

__all__ = ["ExternalTaskMarker", "ExternalTaskSensor"]
__getattr__ = missing(__name__)
