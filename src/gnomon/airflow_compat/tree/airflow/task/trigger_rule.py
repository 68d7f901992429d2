"""`airflow.task.trigger_rule`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk import TriggerRule

__all__ = ["TriggerRule"]
__getattr__ = make_getattr(__name__)
