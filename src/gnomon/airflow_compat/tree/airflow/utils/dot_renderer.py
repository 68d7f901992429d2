"""`airflow.utils.dot_renderer`."""

from gnomon.airflow_compat.missing import missing

__getattr__ = missing(__name__)
