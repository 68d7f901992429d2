"""The environment variables of this process. Only this module reads os.environ."""

from __future__ import annotations

import os
from collections.abc import Mapping


def environment() -> dict[str, str]:
    """A copy of the current environment."""
    return dict(os.environ)


def get_variable(name: str) -> str | None:
    """The value of one variable; None when it is not set."""
    return os.environ.get(name)


def set_variable(name: str, value: str) -> None:
    """Set a variable of this process and of processes that it starts."""
    os.environ[name] = value


def replace_environment(environ: Mapping[str, str]) -> None:
    """Make `environ` the whole environment of this process and of processes that it starts: for children that run author code."""
    for name in [name for name in os.environ if name not in environ]:
        del os.environ[name]
    os.environ.update(environ)
