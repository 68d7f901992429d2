"""`airflow.decorators.sensor`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.airflow_compat.task_functions import sensor_task
from gnomon.authoring.sdk.tasks.sensor import SensorDecoratedOperator as DecoratedSensorOperator

__all__ = ["DecoratedSensorOperator", "sensor_task"]
__getattr__ = make_getattr(__name__)
