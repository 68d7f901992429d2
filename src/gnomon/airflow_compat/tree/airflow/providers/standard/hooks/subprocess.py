"""`airflow.providers.standard.hooks.subprocess`."""

from gnomon.airflow_compat.missing import missing
from gnomon.operators.process import SubprocessHook, SubprocessResult, working_directory

__all__ = ["SubprocessHook", "SubprocessResult", "working_directory"]
__getattr__ = missing(__name__)
