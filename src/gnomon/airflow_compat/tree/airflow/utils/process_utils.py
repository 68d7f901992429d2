"""`airflow.utils.process_utils`."""

from gnomon.airflow_compat.missing import missing

__getattr__ = missing(__name__)
