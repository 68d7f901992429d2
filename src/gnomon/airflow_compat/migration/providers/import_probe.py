"""The child process of `gnomon providers check`: imports modules one after the other and writes a line of JSON for each.

`python -m gnomon.airflow_compat.migration.providers.import_probe MODULE...`: a line before the import with the module, and one after it with the error.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from importlib import import_module

from gnomon.author_code.loading import dialect
from gnomon.author_code.loading.provider_names import find_missing_module

_TEXT_LIMIT = 500


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
        return {
            "module": module,
            "kind": type(error).__name__,
            "missing": find_missing_module(error),
            "text": str(error)[:_TEXT_LIMIT],
        }
    return {"module": module, "kind": ""}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
