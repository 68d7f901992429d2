"""`airflow.utils.weekday`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk import WeekDay

__all__ = ["WeekDay"]
__getattr__ = make_getattr(__name__)
