"""`airflow.sdk.bases.skipmixin`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk import SkipMixin
from gnomon.authoring.sdk.tasks.branching import XCOM_SKIPMIXIN_FOLLOWED, XCOM_SKIPMIXIN_KEY, XCOM_SKIPMIXIN_SKIPPED

__all__ = ["SkipMixin", "XCOM_SKIPMIXIN_FOLLOWED", "XCOM_SKIPMIXIN_KEY", "XCOM_SKIPMIXIN_SKIPPED"]
__getattr__ = make_getattr(__name__)
