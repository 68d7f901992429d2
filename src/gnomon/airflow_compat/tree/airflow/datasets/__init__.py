"""`airflow.datasets`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk import AssetAlias as DatasetAlias, AssetAll as DatasetAll, AssetAny as DatasetAny, Dataset

__all__ = ["Dataset", "DatasetAlias", "DatasetAll", "DatasetAny"]
__getattr__ = make_getattr(__name__)
