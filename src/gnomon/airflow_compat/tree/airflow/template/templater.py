"""`airflow.template.templater`."""

from gnomon.airflow_compat.missing import missing
from gnomon.sdk.templated import Templated as Templater

__all__ = ["Templater"]
__getattr__ = missing(__name__)
