"""`airflow.sdk.definitions.template`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk import literal

__all__ = ["literal"]
__getattr__ = make_getattr(__name__)
