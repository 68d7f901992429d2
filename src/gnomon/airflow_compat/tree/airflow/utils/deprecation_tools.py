"""`airflow.utils.deprecation_tools`: how packages keep the old paths of what they have moved."""

import sys as _sys
import warnings as _warnings
from types import ModuleType as _ModuleType

from airflow.utils.module_loading import import_string as _import_string
from gnomon.airflow_compat.missing_names import make_getattr

__all__ = ["add_deprecated_classes"]


def add_deprecated_classes(module_imports, package, override_deprecated_classes=None, extra_message=None):
    """Old modules of `package` can be imported: their names come from the new paths, with a warning.

    `module_imports`: old module to {old name: new path}; `*` stands for any name, its value for a module.
    `override_deprecated_classes`: the same, to the path that the warning names instead.
    """
    for module_name, homes in module_imports.items():
        full_name = f"{package}.{module_name}"
        advised = (override_deprecated_classes or {}).get(module_name, {})
        module = _ModuleType(full_name)
        module.__getattr__ = _moved(full_name, homes, advised, extra_message)
        _sys.modules.setdefault(full_name, module)


def _moved(module, homes, advised, extra_message):
    def find(name):
        path = homes.get(name) or (f"{homes['*']}.{name}" if "*" in homes and not name.startswith("__") else None)
        if path is None:
            raise AttributeError(f"The module {module!r} has no attribute {name!r}")
        words = f"The {module}.{name} is deprecated. Please use {advised.get(name, path)!r}."
        _warnings.warn(f"{words} {extra_message}." if extra_message else words, DeprecationWarning, stacklevel=2)
        return _import_string(path)

    return find


__getattr__ = make_getattr(__name__)
