"""`airflow.utils.log.secrets_masker`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.sdk.runtime.secret_masking import DEFAULT_SENSITIVE_FIELDS, mask_secret, redact, should_hide_value_for_key

__all__ = ["DEFAULT_SENSITIVE_FIELDS", "mask_secret", "redact", "should_hide_value_for_key"]
__getattr__ = make_getattr(__name__)
