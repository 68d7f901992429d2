"""`airflow.sdk.exceptions`: the same names as `airflow.exceptions`."""

from airflow.exceptions import *
from airflow.exceptions import __all__
from gnomon.airflow_compat.missing import missing

__getattr__ = missing(__name__)
