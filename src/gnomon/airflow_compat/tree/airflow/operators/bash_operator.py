"""`airflow.operators.bash_operator`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.operators.bash import BashOperator

__all__ = ["BashOperator"]
__getattr__ = make_getattr(__name__)
