"""`airflow.sdk.bases.hook`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk import BaseHook

__all__ = ["BaseHook"]
__getattr__ = make_getattr(__name__)
