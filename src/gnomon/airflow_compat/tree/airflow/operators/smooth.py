"""`airflow.operators.smooth`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.operators.smooth import SmoothOperator

__all__ = ["SmoothOperator"]
__getattr__ = make_getattr(__name__)
