"""`airflow.utils.types`."""

from gnomon.airflow_compat.missing import missing
from gnomon.model.states import DagRunType
from gnomon.sdk import ArgNotSet, NOTSET

__all__ = ["ArgNotSet", "DagRunType", "NOTSET"]
__getattr__ = missing(__name__)
