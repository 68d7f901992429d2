"""`airflow.partition_mappers.wait_policy`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.partitions import MinimumCount, PartitionSatisfaction, WaitForAll, WaitPolicy

__all__ = ["MinimumCount", "PartitionSatisfaction", "WaitForAll", "WaitPolicy"]
__getattr__ = make_getattr(__name__)
