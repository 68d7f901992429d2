"""The environment of this process: read here and nowhere else."""

from __future__ import annotations

import os


def environment() -> dict[str, str]:
    """A copy of the environment as it is now."""
    return dict(os.environ)


def variable(name: str) -> str | None:
    """One variable, None when it is not set."""
    return os.environ.get(name)
