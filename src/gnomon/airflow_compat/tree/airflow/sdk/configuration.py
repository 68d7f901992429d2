"""`airflow.sdk.configuration`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.author_code.context.airflow_configuration import conf

__all__ = ["conf"]
__getattr__ = make_getattr(__name__)
