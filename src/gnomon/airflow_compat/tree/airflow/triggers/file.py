"""`airflow.triggers.file`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.operators.triggers.file import DirectoryFileDeleteTrigger, FileDeleteTrigger, FileTrigger

__all__ = ["DirectoryFileDeleteTrigger", "FileDeleteTrigger", "FileTrigger"]
__getattr__ = make_getattr(__name__)
