"""`airflow.providers.standard.utils.skipmixin`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.tasks.branching import (
    XCOM_SKIPMIXIN_FOLLOWED,
    XCOM_SKIPMIXIN_KEY,
    XCOM_SKIPMIXIN_SKIPPED,
    SkipMixin,
)

__all__ = ["XCOM_SKIPMIXIN_FOLLOWED", "XCOM_SKIPMIXIN_KEY", "XCOM_SKIPMIXIN_SKIPPED", "SkipMixin"]
__getattr__ = make_getattr(__name__)
