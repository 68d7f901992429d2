"""`airflow.utils.timeout`."""

from gnomon.airflow_compat.missing import missing
from gnomon.operators.time_limit import timeout as TimeoutPosix, timeout

__all__ = ["TimeoutPosix", "timeout"]
__getattr__ = missing(__name__)
