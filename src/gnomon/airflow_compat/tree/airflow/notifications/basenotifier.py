"""`airflow.notifications.basenotifier`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk import BaseNotifier

__all__ = ["BaseNotifier"]
__getattr__ = make_getattr(__name__)
