"""`airflow.utils.module_loading`."""

import pkgutil as _pkgutil

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.model.errors import UserError as _UserError
from gnomon.author_code.loading.class_loader import load_object as _load_object

__all__ = ["import_string", "is_valid_dotpath", "iter_namespace", "qualname"]


def import_string(dotted_path):
    """The object of that path; ImportError when it cannot be loaded."""
    if "." not in dotted_path:
        raise ImportError(f"{dotted_path} doesn't look like a module path")
    try:
        return _load_object(dotted_path)
    except _UserError as error:
        raise ImportError(str(error)) from error


def is_valid_dotpath(path):
    """Whether the text is names with dots between them."""
    return isinstance(path, str) and "." in path and all(part.isidentifier() for part in path.split("."))


def iter_namespace(ns):
    """What is directly in that package, as `pkgutil.iter_modules` tells it, under full names."""
    return _pkgutil.iter_modules(ns.__path__, f"{ns.__name__}.")


def qualname(o, use_qualname=False, exclude_module=False):  # noqa: ARG001
    """The dotted path of a class or function, or of the class of an object; its last part alone when wanted."""
    named = o if hasattr(o, "__qualname__") else type(o)
    return named.__qualname__ if exclude_module else f"{named.__module__}.{named.__qualname__}"


__getattr__ = make_getattr(__name__)
