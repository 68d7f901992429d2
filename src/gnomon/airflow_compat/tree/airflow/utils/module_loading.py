"""`airflow.utils.module_loading`."""

from gnomon.airflow_compat.missing import missing
from gnomon.errors import UserMistake as _UserMistake
from gnomon.loading.classes import load_object as _load_object

__all__ = ["import_string", "qualname"]


def import_string(dotted_path):
    """The object of that path; ImportError when it cannot be loaded."""
    if "." not in dotted_path:
        raise ImportError(f"{dotted_path} doesn't look like a module path")
    try:
        return _load_object(dotted_path)
    except _UserMistake as error:
        raise ImportError(str(error)) from error


def qualname(o):
    """The dotted path of a class or function, or of the class of an object."""
    named = o if hasattr(o, "__qualname__") else type(o)
    return f"{named.__module__}.{named.__qualname__}"


__getattr__ = missing(__name__)
