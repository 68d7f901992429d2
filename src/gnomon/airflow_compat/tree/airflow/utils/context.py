"""`airflow.utils.context`."""

from gnomon.airflow_compat.missing import missing
from gnomon.context.accessors import ConnectionAccessor, VariableAccessor
from gnomon.context.lazy import Context

__all__ = ["ConnectionAccessor", "Context", "VariableAccessor", "context_merge"]


def context_merge(context, *args, **kwargs):
    """The context has these keys too."""
    context.update(*args, **kwargs)


__getattr__ = missing(__name__)
