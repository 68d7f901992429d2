"""`airflow.providers.standard.triggers.temporal`."""

from gnomon.airflow_compat.missing import missing
from gnomon.operators.triggers.temporal import DateTimeTrigger, TimeDeltaTrigger

__all__ = ["DateTimeTrigger", "TimeDeltaTrigger"]
__getattr__ = missing(__name__)
