"""`airflow.models.variable`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk import Variable

__all__ = ["Variable"]
__getattr__ = make_getattr(__name__)
