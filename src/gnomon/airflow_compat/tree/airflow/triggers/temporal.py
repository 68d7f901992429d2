"""`airflow.triggers.temporal`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.operators.triggers.temporal import DateTimeTrigger, TimeDeltaTrigger

__all__ = ["DateTimeTrigger", "TimeDeltaTrigger"]
__getattr__ = make_getattr(__name__)
