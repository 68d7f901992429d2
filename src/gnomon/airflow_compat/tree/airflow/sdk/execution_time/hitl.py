"""`airflow.sdk.execution_time.hitl`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.runtime.human_input import HITLUser, upsert_hitl_detail

__all__ = ["HITLUser", "upsert_hitl_detail"]
__getattr__ = make_getattr(__name__)
