"""`airflow.utils.weekday`."""

from gnomon.airflow_compat.missing import missing
from gnomon.sdk import WeekDay

__all__ = ["WeekDay"]
__getattr__ = missing(__name__)
