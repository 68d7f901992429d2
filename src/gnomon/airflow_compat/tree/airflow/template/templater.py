"""`airflow.template.templater`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.templating.templater import Templater

__all__ = ["Templater"]
__getattr__ = make_getattr(__name__)
