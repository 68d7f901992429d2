"""`airflow.models.baseoperatorlink`."""

from gnomon.airflow_compat.missing import missing
from gnomon.airflow_compat.operator_link import BaseOperatorLink

__all__ = ["BaseOperatorLink"]
__getattr__ = missing(__name__)
