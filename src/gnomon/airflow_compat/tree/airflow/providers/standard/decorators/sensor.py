"""`airflow.providers.standard.decorators.sensor`."""

from gnomon.airflow_compat.missing import missing
from gnomon.airflow_compat.task_functions import sensor_task
from gnomon.sdk.decorated_sensor import SensorDecoratedOperator as DecoratedSensorOperator

__all__ = ["DecoratedSensorOperator", "sensor_task"]
__getattr__ = missing(__name__)
