"""Which classes may be made from a stored value: `[core] allowed_deserialization_classes` and `allowed_deserialization_classes_regexp`."""

from __future__ import annotations

import functools
import re

from gnomon.ground.config import current_config
from gnomon.model.errors.authoring import ClassNotAllowed
from gnomon.model.ids import DAG_FILE_MODULE

_GLOBS = "allowed_deserialization_classes"
_REGEXPS = "allowed_deserialization_classes_regexp"
_DAG_FILE_CLASS = re.compile(rf"{DAG_FILE_MODULE}([0-9a-f]{{16}})_(.+)")
_allowed_by_code: set[str] = set()


def allow_class(cls: type) -> None:
    """Allow a class in this process, as an entry of the option does in all. Raises ValueError for a class that other modules cannot import."""
    if "<locals>" in cls.__qualname__:
        raise ValueError(
            f"{cls.__module__}.{cls.__qualname__} is defined inside a function; define it at the top of a module"
        )
    _allowed_by_code.add(f"{cls.__module__}.{cls.__qualname__}")


def check_allowed(classname: str) -> None:
    """Raise ClassNotAllowed unless the options, or the code of this process, allow the class."""
    if classname in _allowed_by_code:
        return
    config = current_config()
    globs, regexps = config.text("core", _GLOBS), config.text("core", _REGEXPS)
    if _matches(classname, globs, regexps):
        return
    shown = show_class(classname)
    added = " ".join(filter(None, (globs, shown.replace("[", "[[]"))))
    raise ClassNotAllowed(
        f"The stored value is an object of class {shown}, which [core] {_GLOBS} ({globs!r}) does not allow. Add it to the option where the task runs, "
        f'for example GNOMON__CORE__{_GLOBS.upper()}="{added}", or return plain data, such as a dict, instead of the object.'
    )


def show_class(classname: str) -> str:
    """The class as its author knows it: `orders.Order` for one that is defined in the DAG file orders.py."""
    match = _DAG_FILE_CLASS.fullmatch(classname)
    return classname if match is None else match[2]


@functools.lru_cache(maxsize=1024)
def _matches(classname: str, globs: str, regexps: str) -> bool:
    from fnmatch import fnmatchcase  # few values are objects of classes

    names = _list_names(classname)
    if any(fnmatchcase(name, pattern) for pattern in globs.split() for name in names):
        return True
    return any(re.fullmatch(pattern, name) is not None for pattern in regexps.split() for name in names)


def _list_names(classname: str) -> tuple[str, ...]:
    """The names under which a pattern may allow the class: for one of a DAG file also without the prefix, and with Airflow's prefix."""
    match = _DAG_FILE_CLASS.fullmatch(classname)
    if match is None:
        return (classname,)
    return classname, match[2], f"unusual_prefix_{match[1]:0<40}_{match[2]}"
