"""`airflow.operators.weekday`."""

from gnomon.airflow_compat.missing import missing
from gnomon.operators.branch_time import BranchDayOfWeekOperator

__all__ = ["BranchDayOfWeekOperator"]
__getattr__ = missing(__name__)
