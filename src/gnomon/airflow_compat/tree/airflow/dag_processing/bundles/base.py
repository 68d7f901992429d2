"""`airflow.dag_processing.bundles.base`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.author_code.loading.bundles.base_bundle import BaseDagBundle

__all__ = ["BaseDagBundle"]
__getattr__ = make_getattr(__name__)
