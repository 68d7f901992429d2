"""`airflow.utils.edgemodifier`."""

from gnomon.airflow_compat.missing import missing
from gnomon.sdk import EdgeModifier, Label

__all__ = ["EdgeModifier", "Label"]
__getattr__ = missing(__name__)
