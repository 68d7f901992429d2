"""`airflow.models.operator`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.tasks.operator import BaseOperator as Operator

__all__ = ["Operator"]
__getattr__ = make_getattr(__name__)
