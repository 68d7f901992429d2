"""`airflow.providers.standard.operators.datetime`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.operators.branch_by_date import BranchDateTimeOperator, target_times_as_dates

__all__ = ["BranchDateTimeOperator", "target_times_as_dates"]
__getattr__ = make_getattr(__name__)
