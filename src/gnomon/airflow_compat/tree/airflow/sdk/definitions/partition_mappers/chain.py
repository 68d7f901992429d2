"""`airflow.sdk.definitions.partition_mappers.chain`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.partitions import ChainMapper

__all__ = ["ChainMapper"]
__getattr__ = make_getattr(__name__)
