"""`airflow.utils.context`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.author_code.context.template_accessors import ConnectionAccessor, VariableAccessor
from gnomon.author_code.context.template_context import Context

__all__ = ["ConnectionAccessor", "Context", "VariableAccessor", "context_merge"]


def context_merge(context, *args, **kwargs):
    """The context has these keys too."""
    context.update(*args, **kwargs)


__getattr__ = make_getattr(__name__)
