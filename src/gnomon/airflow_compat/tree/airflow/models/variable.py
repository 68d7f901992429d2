"""`airflow.models.variable`."""

from gnomon.airflow_compat.missing import missing
from gnomon.sdk import Variable

__all__ = ["Variable"]
__getattr__ = missing(__name__)
