"""`airflow.sdk.timezone`: the same names as `airflow.utils.timezone`."""

from gnomon.airflow_compat.missing_names import make_lazy_exports

from airflow.utils.timezone import __all__

_, __getattr__ = make_lazy_exports(__name__, dict.fromkeys(__all__, "airflow.utils.timezone"))
