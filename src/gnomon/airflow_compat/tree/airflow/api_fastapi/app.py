"""`airflow.api_fastapi.app`."""

from gnomon.airflow_compat.missing_names import make_getattr

__all__ = ["AUTH_MANAGER_FASTAPI_APP_PREFIX"]

AUTH_MANAGER_FASTAPI_APP_PREFIX = "/auth"
__getattr__ = make_getattr(__name__)
