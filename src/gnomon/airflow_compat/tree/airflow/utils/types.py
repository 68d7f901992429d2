"""`airflow.utils.types`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.model.states import DagRunTriggeredByType, DagRunType
from gnomon.authoring.sdk import ArgNotSet, NOTSET

__all__ = ["ArgNotSet", "DagRunTriggeredByType", "DagRunType", "NOTSET"]
__getattr__ = make_getattr(__name__)
