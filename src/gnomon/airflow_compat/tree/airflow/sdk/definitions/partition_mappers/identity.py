"""`airflow.sdk.definitions.partition_mappers.identity`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.partitions import IdentityMapper

__all__ = ["IdentityMapper"]
__getattr__ = make_getattr(__name__)
