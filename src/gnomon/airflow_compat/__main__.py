"""`python -m gnomon.airflow_compat SCRIPT [ARGUMENT...]` runs a script with Airflow's import paths enabled."""

from __future__ import annotations

import os
import runpy
import sys

from gnomon.author_code.loading import dialect


def main(arguments: list[str]) -> int:
    """Run the script as `python SCRIPT` would, as `__main__`. Returns 2 for a missing script, else 0."""
    if not arguments:
        sys.stderr.write("Usage: python -m gnomon.airflow_compat SCRIPT [ARGUMENT...]\n")
        return 2
    script = arguments[0]
    if not os.path.exists(script):
        sys.stderr.write(f"There is no file {script}.\n")
        return 2
    sys.argv = arguments
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    dialect.enable()
    runpy.run_path(script, run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
