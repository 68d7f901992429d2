"""The environment of this process: read here and nowhere else."""

from __future__ import annotations

import os
from collections.abc import Mapping


def environment() -> dict[str, str]:
    """A copy of the environment as it is now."""
    return dict(os.environ)


def get_variable(name: str) -> str | None:
    """One variable, None when it is not set."""
    return os.environ.get(name)


def replace_environment(environ: Mapping[str, str]) -> None:
    """The environment of this process, and of what it starts, is exactly `environ`: for children that run author code."""
    for name in [name for name in os.environ if name not in environ]:
        del os.environ[name]
    os.environ.update(environ)
