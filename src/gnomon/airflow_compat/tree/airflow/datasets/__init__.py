"""`airflow.datasets`."""

from gnomon.airflow_compat.missing import missing
from gnomon.sdk import AssetAlias as DatasetAlias, AssetAll as DatasetAll, AssetAny as DatasetAny, Dataset

__all__ = ["Dataset", "DatasetAlias", "DatasetAll", "DatasetAny"]
__getattr__ = missing(__name__)
