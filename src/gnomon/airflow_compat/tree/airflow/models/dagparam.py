"""`airflow.models.dagparam`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.arguments.params import DagParam

__all__ = ["DagParam"]
__getattr__ = make_getattr(__name__)
