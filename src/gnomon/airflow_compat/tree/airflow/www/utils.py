"""`airflow.www.utils`: what operators use of it."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.connections.secret_masking import DEFAULT_SENSITIVE_FIELDS as _FIELDS
from gnomon.authoring.sdk.connections.secret_masking import should_hide_value_for_key

__all__ = [
    "datetime_to_string",
    "epoch",
    "get_attr_renderer",
    "get_sensitive_variables_fields",
    "should_hide_value_for_key",
]
_RENDERERS = "bash bash_command doc doc_json doc_md doc_rst doc_yaml hql html jinja json md mysql postgresql powershell py python_callable rst sql tsql yaml"
"""The values of `template_fields_renderers` that Airflow 2.10 knows."""


def datetime_to_string(value):
    """The moment as ISO 8601; None for None."""
    return None if value is None else value.isoformat()


def epoch(dttm):
    """The milliseconds since 1970."""
    return int(dttm.timestamp()) * 1000


def get_attr_renderer():
    """The names that `template_fields_renderers` can have, each with a function that gives the text back: the page highlights it itself."""
    return dict.fromkeys(_RENDERERS.split(), str)


def get_sensitive_variables_fields():
    """The parts of names whose values are hidden."""
    return set(_FIELDS)


__getattr__ = make_getattr(__name__)
