"""`airflow.models.dagbag`."""

from gnomon.airflow_compat.dagbag import DagBag
from gnomon.airflow_compat.missing import missing

__all__ = ["DagBag"]
__getattr__ = missing(__name__)
