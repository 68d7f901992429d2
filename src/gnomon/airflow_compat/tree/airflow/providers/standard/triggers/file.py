"""`airflow.providers.standard.triggers.file`."""

from gnomon.airflow_compat.missing import missing
from gnomon.operators.triggers.file import DirectoryFileDeleteTrigger, FileDeleteTrigger, FileTrigger

__all__ = ["DirectoryFileDeleteTrigger", "FileDeleteTrigger", "FileTrigger"]
__getattr__ = missing(__name__)
