"""The child process of `gnomon providers check`: imports modules one after the other and writes a line of JSON for each.

`python -m gnomon.migration.providers.import_probe MODULE...`: a line before the import with the module, and one after it with the error.
"""

from __future__ import annotations

import json
import linecache
import os
import re
import sys
import traceback
import warnings
from importlib import import_module

from gnomon.loading import dialect

_TEXT_LIMIT = 500
_IMPORT = re.compile(r"\s*(?:from|import)\s+(airflow\.providers\.[\w.]+)")


def main(modules: list[str]) -> int:
    """Import the modules and write the lines. Whatever the modules print is discarded."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    warnings.simplefilter("ignore")
    dialect.enable()
    for module in modules:
        answers.write(json.dumps({"module": module}) + "\n")
        answers.flush()
        answers.write(json.dumps(_import(module)) + "\n")
        answers.flush()
    answers.flush()
    os._exit(0)  # threads and exit handlers of foreign modules must not keep the process


def _import(module: str) -> dict[str, str]:
    try:
        import_module(module)
    except (Exception, SystemExit) as error:  # the edge of foreign code
        return {"module": module, "kind": type(error).__name__, "missing": _find_missing(error), "text": str(error)[:_TEXT_LIMIT]}
    return {"module": module, "kind": ""}


def _find_missing(error: BaseException) -> str:
    """The module that is not there; a module of a provider by its full name, where Python names only the first folder of the path that is missing."""
    cause = error.__context__ if isinstance(error.__context__, ModuleNotFoundError) and str(error.__context__) == str(error) else error
    name = str(getattr(cause, "name", None) or "")
    if not name.startswith("airflow.providers."):
        return name
    for frame in reversed(traceback.extract_tb(cause.__traceback__)):
        found = _IMPORT.match(linecache.getline(frame.filename, frame.lineno or 0))
        if found is not None:
            return found[1] if found[1].startswith(f"{name}.") else name
    return name


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
