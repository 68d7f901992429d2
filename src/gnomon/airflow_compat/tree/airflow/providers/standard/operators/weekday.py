"""`airflow.providers.standard.operators.weekday`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.operators.branch_by_date import BranchDayOfWeekOperator

__all__ = ["BranchDayOfWeekOperator"]
__getattr__ = make_getattr(__name__)
