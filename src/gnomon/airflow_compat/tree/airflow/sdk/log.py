"""`airflow.sdk.log`."""

from gnomon.airflow_compat.inert_features import mask_secret, redact
from gnomon.airflow_compat.missing_names import make_getattr

__all__ = ["mask_secret", "redact"]
__getattr__ = make_getattr(__name__)
