"""`airflow.sdk.execution_time.macros`: the same names as `airflow.macros`."""

from airflow.macros import *
from airflow.macros import __all__
from gnomon.airflow_compat.missing_names import make_getattr

__getattr__ = make_getattr(__name__)
