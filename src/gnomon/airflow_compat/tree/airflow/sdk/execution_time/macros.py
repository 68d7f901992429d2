"""`airflow.sdk.execution_time.macros`: the same names as `airflow.macros`."""

from airflow.macros import *
from airflow.macros import __all__
from gnomon.airflow_compat.missing import missing

__getattr__ = missing(__name__)
