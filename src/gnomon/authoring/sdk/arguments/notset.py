"""NOTSET: the default of an argument for which None is a value."""

from __future__ import annotations

from typing import Final


class ArgNotSet:
    """The type of NOTSET."""

    def __repr__(self) -> str:
        return "NOTSET"

    def __bool__(self) -> bool:
        return False

    def __copy__(self) -> ArgNotSet:
        return self

    def __deepcopy__(self, memo: object) -> ArgNotSet:
        return self


NOTSET: Final = ArgNotSet()


class SetDuringExecution(ArgNotSet):
    """The type of SET_DURING_EXECUTION."""

    def __repr__(self) -> str:
        return "SET_DURING_EXECUTION"


SET_DURING_EXECUTION: Final = SetDuringExecution()
"""The value of an argument that gets its value only when the task runs: the command of `@task.bash`."""


def is_given(value: object) -> bool:
    """Return whether the value is not NOTSET."""
    return not isinstance(value, ArgNotSet)
