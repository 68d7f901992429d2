"""`airflow.partition_mappers.window`: the names of `airflow.sdk.definitions.partition_mappers.window`."""

from airflow.sdk.definitions.partition_mappers.window import *
from airflow.sdk.definitions.partition_mappers.window import __all__ as __all__

from gnomon.airflow_compat.missing_names import make_getattr

__getattr__ = make_getattr(__name__)
