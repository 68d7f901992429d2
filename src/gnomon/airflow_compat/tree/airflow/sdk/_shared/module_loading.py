"""`airflow.sdk._shared.module_loading`: the same names as `airflow.utils.module_loading`."""

from airflow.utils.module_loading import import_string, is_valid_dotpath, iter_namespace, qualname
from gnomon.airflow_compat.missing import missing

__all__ = ["import_string", "is_valid_dotpath", "iter_namespace", "qualname"]
__getattr__ = missing(__name__)
