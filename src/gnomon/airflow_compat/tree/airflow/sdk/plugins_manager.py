"""`airflow.sdk.plugins_manager`."""

from airflow.plugins_manager import AirflowPlugin

from gnomon.airflow_compat.missing_names import make_getattr

__all__ = ["AirflowPlugin"]

__getattr__ = make_getattr(__name__)
