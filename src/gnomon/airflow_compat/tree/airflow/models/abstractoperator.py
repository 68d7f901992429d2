"""`airflow.models.abstractoperator`."""

from gnomon.airflow_compat.missing import missing
from gnomon.sdk.operator import BaseOperator as AbstractOperator

__all__ = ["AbstractOperator"]
__getattr__ = missing(__name__)
