"""`airflow.dag_processing.bundles.local`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.author_code.loading.bundles.local_bundle import LocalDagBundle

__all__ = ["LocalDagBundle"]
__getattr__ = make_getattr(__name__)
