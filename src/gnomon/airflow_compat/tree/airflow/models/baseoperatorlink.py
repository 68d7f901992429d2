"""`airflow.models.baseoperatorlink`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.tasks.operator_links import BaseOperatorLink

__all__ = ["BaseOperatorLink"]
__getattr__ = make_getattr(__name__)
