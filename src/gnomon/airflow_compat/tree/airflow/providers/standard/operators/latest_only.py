"""`airflow.providers.standard.operators.latest_only`."""

from gnomon.airflow_compat.missing import missing
from gnomon.operators.latest_only import LatestOnlyOperator

__all__ = ["LatestOnlyOperator"]
__getattr__ = missing(__name__)
