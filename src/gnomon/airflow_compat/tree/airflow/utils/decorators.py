"""`airflow.utils.decorators`."""

from gnomon.airflow_compat.missing import missing

__all__ = ["apply_defaults"]


def apply_defaults(func):
    """The function itself: operators apply `default_args` anyway."""
    return func


__getattr__ = missing(__name__)
