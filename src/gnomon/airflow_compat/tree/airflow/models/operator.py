"""`airflow.models.operator`."""

from gnomon.airflow_compat.missing import missing
from gnomon.sdk.operator import BaseOperator as Operator

__all__ = ["Operator"]
__getattr__ = missing(__name__)
