"""`airflow.providers.standard.hooks.filesystem`."""

from gnomon.airflow_compat.missing import missing
from gnomon.operators.filesystem import FSHook

__all__ = ["FSHook"]
__getattr__ = missing(__name__)
