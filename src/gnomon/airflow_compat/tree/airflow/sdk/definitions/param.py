"""`airflow.sdk.definitions.param`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk import DagParam, Param, ParamsDict

__all__ = ["DagParam", "Param", "ParamsDict"]
__getattr__ = make_getattr(__name__)
