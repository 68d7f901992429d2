"""`airflow.models.dagbag`."""

from gnomon.airflow_compat.dagbag import DagBag, FileLoadStat
from gnomon.airflow_compat.missing_names import make_getattr

__all__ = ["DagBag", "FileLoadStat"]
__getattr__ = make_getattr(__name__)
