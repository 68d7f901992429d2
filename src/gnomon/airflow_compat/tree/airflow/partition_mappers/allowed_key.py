"""`airflow.partition_mappers.allowed_key`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.partitions import AllowedKeyMapper

__all__ = ["AllowedKeyMapper"]
__getattr__ = make_getattr(__name__)
