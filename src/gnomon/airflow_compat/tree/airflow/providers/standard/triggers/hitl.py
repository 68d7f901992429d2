"""`airflow.providers.standard.triggers.hitl`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.operators.triggers.hitl_trigger import (
    HITLTrigger,
    HITLTriggerEventFailurePayload,
    HITLTriggerEventSuccessPayload,
)

__all__ = ["HITLTrigger", "HITLTriggerEventFailurePayload", "HITLTriggerEventSuccessPayload"]
__getattr__ = make_getattr(__name__)
