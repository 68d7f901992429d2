"""`airflow.datasets.metadata`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk import Metadata

__all__ = ["Metadata"]
__getattr__ = make_getattr(__name__)
