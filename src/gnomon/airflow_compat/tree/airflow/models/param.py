"""`airflow.models.param`."""

from gnomon.airflow_compat.missing import missing
from gnomon.sdk import DagParam, Param, ParamsDict

__all__ = ["DagParam", "Param", "ParamsDict"]
__getattr__ = missing(__name__)
