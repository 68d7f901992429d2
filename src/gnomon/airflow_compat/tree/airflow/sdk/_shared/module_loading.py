"""`airflow.sdk._shared.module_loading`: the same names as `airflow.utils.module_loading`."""

from airflow.utils.module_loading import import_string, is_valid_dotpath, iter_namespace, qualname
from gnomon.airflow_compat.missing_names import make_getattr

__all__ = ["import_string", "is_valid_dotpath", "iter_namespace", "qualname"]
__getattr__ = make_getattr(__name__)
