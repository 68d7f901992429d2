"""`airflow.partition_mappers.temporal`: the names of `airflow.sdk.definitions.partition_mappers.temporal`."""

from airflow.sdk.definitions.partition_mappers.temporal import *
from airflow.sdk.definitions.partition_mappers.temporal import __all__ as __all__

from gnomon.airflow_compat.missing_names import make_getattr

__getattr__ = make_getattr(__name__)
