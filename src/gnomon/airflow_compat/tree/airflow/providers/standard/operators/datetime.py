"""`airflow.providers.standard.operators.datetime`."""

from gnomon.airflow_compat.missing import missing
from gnomon.operators.branch_time import BranchDateTimeOperator, target_times_as_dates

__all__ = ["BranchDateTimeOperator", "target_times_as_dates"]
__getattr__ = missing(__name__)
