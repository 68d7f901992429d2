"""`airflow.sdk.execution_time.xcom`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.runtime.xcom import BaseXCom, BaseXCom as XCom

__all__ = ["BaseXCom", "XCom"]
__getattr__ = make_getattr(__name__)
