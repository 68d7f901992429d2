"""Loads classes of authors by their paths. Call it only in a process that may run author code."""

from __future__ import annotations

import sys

from gnomon.author_code.loading import dagfile, plugins
from gnomon.author_code.loading.class_loader import load_class
from gnomon.model.errors import UserError
from gnomon.model.errors.error_text import describe_error, error_text
from gnomon.model.errors.timetable import TimetableNotBuilt


def load_author_class(path: str, file: str | None = None) -> type:
    """Return the class of a path: from the import path, from the DAG file, or of a plugin that registers it.

    Raises TimetableNotBuilt, with a message for the author, when it cannot be loaded.
    """
    try:
        if file is not None:
            dagfile.extend_search_path(file)
            _import_file(path, file)
        return load_class(path)
    except UserError as error:
        registered = plugins.find_registered_class(path)
        if registered is not None:
            return registered
        raise TimetableNotBuilt(error_text(error)) from error
    except TimetableNotBuilt:
        raise
    except Exception as error:
        raise TimetableNotBuilt(f"{path} cannot be loaded: importing it raised {describe_error(error)}") from error


def _import_file(path: str, file: str) -> None:
    """Import the DAG file if the class is defined in it, so that its module can be imported by name."""
    name = dagfile.module_name(file)
    if path.startswith(f"{name}.") and name not in sys.modules:
        try:
            dagfile.load_dag_file(file)
        except FileNotFoundError as error:
            raise TimetableNotBuilt(
                f"{path.rpartition('.')[2]} was defined in {file}, and the file is missing; restore the file"
            ) from error
