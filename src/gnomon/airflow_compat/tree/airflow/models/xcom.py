"""`airflow.models.xcom`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.runtime.xcom import BaseXCom, BaseXCom as XCom
from gnomon.model.xcom_keys import XCOM_RETURN_KEY

__all__ = ["XCOM_RETURN_KEY", "BaseXCom", "XCom"]
__getattr__ = make_getattr(__name__)
