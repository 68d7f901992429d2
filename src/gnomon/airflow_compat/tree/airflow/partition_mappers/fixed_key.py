"""`airflow.partition_mappers.fixed_key`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.partitions import FixedKeyMapper

__all__ = ["FixedKeyMapper"]
__getattr__ = make_getattr(__name__)
