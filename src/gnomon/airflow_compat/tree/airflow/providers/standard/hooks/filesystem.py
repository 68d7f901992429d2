"""`airflow.providers.standard.hooks.filesystem`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.operators.filesystem_hook import FSHook

__all__ = ["FSHook"]
__getattr__ = make_getattr(__name__)
