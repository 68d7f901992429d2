"""`airflow.utils.decorators`."""

from gnomon.airflow_compat.missing_names import make_getattr

__all__ = ["apply_defaults"]


def apply_defaults(func):
    """The function itself: operators apply `default_args` anyway."""
    return func


__getattr__ = make_getattr(__name__)
