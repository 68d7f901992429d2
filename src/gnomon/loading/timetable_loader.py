"""Makes stored timetables again, also those of authors. Call it only in a process that may run author code."""

from __future__ import annotations

import sys
from typing import Any

from gnomon.errors import UserError
from gnomon.errors.timetable import TimetableNotBuilt
from gnomon.loading import dagfile, plugins
from gnomon.loading.class_loader import load_class
from gnomon.model.slots import TimetableRef
from gnomon.timetables.base import Timetable
from gnomon.timetables.registry import build


def rebuild_timetable(ref: TimetableRef, file: str | None = None) -> Timetable:
    """Return the timetable that was stored as `ref`. `file` is its DAG file, in which its class may be defined.

    Raises TimetableNotBuilt, with a message for the author, when the class is missing or does not accept the stored data.
    """
    if ref.builtin:
        return build(ref)
    cls = load_timetable_class(ref.path, file)
    deserialize = getattr(cls, "deserialize", None)
    if deserialize is None:
        raise TimetableNotBuilt(f"{ref.path} is not a timetable (it has no deserialize); derive it from Timetable")
    try:
        made: Any = deserialize(dict(ref.data))
    except Exception as error:
        raise TimetableNotBuilt(
            f"{cls.__name__}.deserialize raised {type(error).__name__}: {error}, for {ref.data!r}; let it take what "
            f"{cls.__name__}.serialize returns"
        ) from error
    if not hasattr(made, "next_dagrun_info"):
        raise TimetableNotBuilt(f"{cls.__name__}.deserialize returned {type(made).__name__}; return a timetable")
    found: Timetable = made
    return found


def load_timetable_class(path: str, file: str | None = None) -> type:
    """Return the class of a path, from the import path or the DAG file. Raises TimetableNotBuilt when it cannot be loaded."""
    try:
        if file is not None:
            dagfile.extend_search_path(file)
            _import_file(path, file)
        return load_class(path)
    except UserError as error:
        registered = plugins.find_timetable_class(path)
        if registered is not None:
            return registered
        raise TimetableNotBuilt(str(error)) from error
    except TimetableNotBuilt:
        raise
    except Exception as error:
        raise TimetableNotBuilt(f"{path} cannot be loaded: importing it raised {type(error).__name__}: {error}") from error


def _import_file(path: str, file: str) -> None:
    """Import the DAG file if the class is defined in it, so that its module can be imported by name."""
    name = dagfile.module_name(file)
    if path.startswith(f"{name}.") and name not in sys.modules:
        try:
            dagfile.load_dag_file(file)
        except FileNotFoundError as error:
            raise TimetableNotBuilt(f"{path.rpartition('.')[2]} was defined in {file}, and the file is missing; restore the file") from error
