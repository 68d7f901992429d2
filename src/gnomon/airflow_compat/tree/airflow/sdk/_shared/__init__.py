"""`airflow.sdk._shared`."""

from gnomon.airflow_compat.missing import missing

__getattr__ = missing(__name__)
