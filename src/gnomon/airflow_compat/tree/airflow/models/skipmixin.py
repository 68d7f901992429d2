"""`airflow.models.skipmixin`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk import SkipMixin

__all__ = ["SkipMixin"]
__getattr__ = make_getattr(__name__)
