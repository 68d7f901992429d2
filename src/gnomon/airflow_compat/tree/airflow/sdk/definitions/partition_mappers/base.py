"""`airflow.sdk.definitions.partition_mappers.base`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.partitions import PartitionMapper, RollupMapper

__all__ = ["PartitionMapper", "RollupMapper"]
__getattr__ = make_getattr(__name__)
