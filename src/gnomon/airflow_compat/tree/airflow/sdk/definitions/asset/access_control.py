"""`airflow.sdk.definitions.asset.access_control`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.assets import AssetAccessControl

__all__ = ["AssetAccessControl"]
__getattr__ = make_getattr(__name__)
