"""`airflow.sdk.timezone`: the same names as `airflow.utils.timezone`."""

from airflow.utils.timezone import *
from airflow.utils.timezone import __all__
from gnomon.airflow_compat.missing import missing

__getattr__ = missing(__name__)
