"""`airflow.operators.bash_operator`."""

from gnomon.airflow_compat.missing import missing
from gnomon.operators.bash import BashOperator

__all__ = ["BashOperator"]
__getattr__ = missing(__name__)
