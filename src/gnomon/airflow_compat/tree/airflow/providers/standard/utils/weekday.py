"""`airflow.providers.standard.utils.weekday`."""

from gnomon.airflow_compat.missing import missing
from gnomon.sdk.weekday import WeekDay

__all__ = ["WeekDay"]
__getattr__ = missing(__name__)
