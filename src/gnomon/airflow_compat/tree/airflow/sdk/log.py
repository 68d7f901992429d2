"""`airflow.sdk.log`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.connections.secret_masking import amask_secret, mask_secret
from gnomon.authoring.sdk.connections.secrets_masker import redact

__all__ = ["amask_secret", "mask_secret", "redact"]
__getattr__ = make_getattr(__name__)
