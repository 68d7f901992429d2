"""`airflow.sdk.definitions._internal.templater`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.sdk.templating.templater import Templater

__all__ = ["Templater"]
__getattr__ = make_getattr(__name__)
