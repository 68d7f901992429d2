"""`airflow.api_fastapi.auth.managers.base_auth_manager`."""

from gnomon.airflow_compat.missing_names import make_getattr

__all__ = ["COOKIE_NAME_JWT_TOKEN"]

COOKIE_NAME_JWT_TOKEN = "_token"
__getattr__ = make_getattr(__name__)
