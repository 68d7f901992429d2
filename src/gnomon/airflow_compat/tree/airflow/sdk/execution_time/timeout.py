"""`airflow.sdk.execution_time.timeout`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.operators.time_limit import timeout as TimeoutPosix, timeout

__all__ = ["TimeoutPosix", "timeout"]
__getattr__ = make_getattr(__name__)
