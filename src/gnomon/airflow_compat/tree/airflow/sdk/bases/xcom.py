"""`airflow.sdk.bases.xcom`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.runtime.xcom import BaseXCom

__all__ = ["BaseXCom"]
__getattr__ = make_getattr(__name__)
