"""`airflow.notifications.basenotifier`."""

from gnomon.airflow_compat.missing import missing
from gnomon.sdk import BaseNotifier

__all__ = ["BaseNotifier"]
__getattr__ = missing(__name__)
