"""`airflow.sdk.timezone`: the same names as `airflow.utils.timezone`."""

from gnomon.airflow_compat.missing import lazy

from airflow.utils.timezone import __all__ as _names

__all__, __getattr__ = lazy(__name__, dict.fromkeys(_names, "airflow.utils.timezone"))
