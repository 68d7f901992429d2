"""`airflow.triggers.testing`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.operators.triggers.testing import FailureTrigger, SuccessTrigger

__all__ = ["FailureTrigger", "SuccessTrigger"]
__getattr__ = make_getattr(__name__)
