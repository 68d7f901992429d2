"""`airflow.utils.edgemodifier`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk import EdgeModifier, Label

__all__ = ["EdgeModifier", "Label"]
__getattr__ = make_getattr(__name__)
