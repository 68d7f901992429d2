"""`airflow.utils.log.secrets_masker`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.connections.secret_masking import (
    DEFAULT_SENSITIVE_FIELDS,
    mask_secret,
    should_hide_value_for_key,
)
from gnomon.authoring.sdk.connections.secrets_masker import (
    Redactable,
    Redacted,
    SecretsMasker,
    get_masker as _secrets_masker,
    redact,
)

__all__ = [
    "DEFAULT_SENSITIVE_FIELDS",
    "Redactable",
    "Redacted",
    "SecretsMasker",
    "mask_secret",
    "redact",
    "should_hide_value_for_key",
]
__getattr__ = make_getattr(__name__)
