"""`airflow.ti_deps.deps.base_ti_dep`."""

from gnomon.airflow_compat.missing import missing

__getattr__ = missing(__name__)
