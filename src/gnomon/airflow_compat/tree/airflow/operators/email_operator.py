"""`airflow.operators.email_operator`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.operators.email import EmailOperator

__all__ = ["EmailOperator"]

__getattr__ = make_getattr(__name__)
