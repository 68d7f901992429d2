"""`airflow.sdk.exceptions`: the same names as `airflow.exceptions`."""

from airflow.exceptions import *
from airflow.exceptions import __all__
from gnomon.airflow_compat.missing_names import make_getattr

__getattr__ = make_getattr(__name__)
