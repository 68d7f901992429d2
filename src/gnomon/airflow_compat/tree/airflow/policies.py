"""`airflow.policies`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.author_code.loading.hooks import POLICY_MARK as hookimpl

__all__ = ["hookimpl"]

__getattr__ = make_getattr(__name__)
