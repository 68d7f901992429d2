"""`airflow.operators.latest_only_operator`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.operators.branch_by_date import LatestOnlyOperator

__all__ = ["LatestOnlyOperator"]
__getattr__ = make_getattr(__name__)
