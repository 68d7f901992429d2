"""`airflow.sdk.definitions.xcom_arg`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.members.xcom_arg import ConcatXComArg, MapXComArg, PlainXComArg, XComArg, ZipXComArg

__all__ = [
    "ConcatXComArg",
    "MapXComArg",
    "PlainXComArg",
    "XComArg",
    "ZipXComArg",
]
__getattr__ = make_getattr(__name__)
