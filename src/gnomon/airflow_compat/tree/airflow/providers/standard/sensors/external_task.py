"""`airflow.providers.standard.sensors.external_task`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.operators.external_task_sensor import ExternalTaskMarker
from gnomon.authoring.operators.external_task_sensor import ExternalTaskSensor
from gnomon.authoring.operators.page_links import ExternalDagLink, ExternalDagLink as ExternalTaskSensorLink

__all__ = ["ExternalDagLink", "ExternalTaskMarker", "ExternalTaskSensor", "ExternalTaskSensorLink"]
__getattr__ = make_getattr(__name__)
