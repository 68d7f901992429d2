"""Makes `import airflow` import Gnomon's own package `airflow`, in this process and in the programs that it starts."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

from gnomon.model.errors import UserError

# A file path, because this layer may not import `gnomon.airflow_compat`.
TREE = str(Path(__file__).resolve().parents[2] / "airflow_compat" / "tree")
"""The folder that contains the package `airflow`."""


def enable() -> None:
    """Make `import airflow` import Gnomon's package, even if Airflow itself is installed.

    Raises UserError when this process has already imported another `airflow`.
    """
    airflow_module = sys.modules.get("airflow")
    if airflow_module is not None and not _is_ours(airflow_module):
        from gnomon.model.sentences import say  # loaded with the first refusal: most processes have none

        raise UserError(say("another_airflow_is_imported", file=getattr(airflow_module, "__file__", "unknown")))
    if sys.path[:1] != [TREE]:
        sys.path[:] = [TREE, *(entry for entry in sys.path if entry != TREE)]


def is_enabled() -> bool:
    """Return whether `import airflow` imports Gnomon's package."""
    return TREE in sys.path


def python_path(existing: str | None) -> str:
    """Return a PYTHONPATH with which another interpreter imports Gnomon's package `airflow`."""
    return TREE if not existing else f"{TREE}:{existing}"


def _is_ours(module: object) -> bool:
    file = getattr(module, "__file__", None)
    return isinstance(file, str) and _is_in_tree(file)


@cache
def _is_in_tree(file: str) -> bool:
    return str(Path(file).resolve()).startswith(TREE)
