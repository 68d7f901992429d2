"""`airflow.sdk.log`."""

from gnomon.airflow_compat.masking import mask_secret, redact
from gnomon.airflow_compat.missing import missing

__all__ = ["mask_secret", "redact"]
__getattr__ = missing(__name__)
