"""Makes `import airflow...` reach the dialect's modules, in this process and in programs that it starts."""

from __future__ import annotations

import sys
from pathlib import Path

from gnomon.errors import UserError

# By file path: the floors below the dialect do not import it.
TREE = str(Path(__file__).resolve().parent.parent / "airflow_compat" / "tree")
"""The folder that holds the package `airflow`."""


def enable() -> None:
    """`import airflow` finds the dialect first, whether or not Airflow itself is installed.

    Raises UserMistake when another `airflow` has been imported in this process already.
    """
    known = sys.modules.get("airflow")
    if known is not None and not _is_ours(known):
        raise UserError(
            f"Another `airflow` package is imported already (from {getattr(known, '__file__', 'unknown')}). Call "
            "gnomon.airflow_compat.enable() before anything imports airflow, or run the file with "
            "`python -m gnomon.airflow_compat FILE`."
        )
    if sys.path[:1] != [TREE]:
        sys.path[:] = [TREE, *(entry for entry in sys.path if entry != TREE)]


def is_enabled() -> bool:
    """Whether `import airflow` would find the dialect."""
    return TREE in sys.path


def python_path(existing: str | None) -> str:
    """A PYTHONPATH with which another interpreter, that can import Gnomon, finds the dialect first."""
    return TREE if not existing else f"{TREE}:{existing}"


def _is_ours(module: object) -> bool:
    file = getattr(module, "__file__", None)
    return isinstance(file, str) and str(Path(file).resolve()).startswith(TREE)
