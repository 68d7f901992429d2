"""`airflow.sdk.definitions.partition_mappers.product`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.partitions import ProductMapper

__all__ = ["ProductMapper"]
__getattr__ = make_getattr(__name__)
