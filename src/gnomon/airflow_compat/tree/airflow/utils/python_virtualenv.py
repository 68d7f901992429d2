"""`airflow.utils.python_virtualenv`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.operators.python_environments import prepare_virtualenv

__all__ = ["prepare_virtualenv"]
__getattr__ = make_getattr(__name__)
