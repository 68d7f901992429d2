"""`airflow.utils.template`."""

from gnomon.airflow_compat.missing import missing
from gnomon.sdk import literal

__all__ = ["literal"]
__getattr__ = missing(__name__)
