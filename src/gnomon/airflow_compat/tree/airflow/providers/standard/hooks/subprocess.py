"""`airflow.providers.standard.hooks.subprocess`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.operators.subprocess_hook import SubprocessHook, SubprocessResult, working_directory

__all__ = ["SubprocessHook", "SubprocessResult", "working_directory"]
__getattr__ = make_getattr(__name__)
