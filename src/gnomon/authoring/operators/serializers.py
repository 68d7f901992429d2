"""The libraries that carry arguments and results of functions to another interpreter, as packages of providers ask for them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from gnomon.authoring.operators.interpreter_call import SERIALIZERS as NAMES


class LazyModule:
    """A module that is imported when an attribute of it is first read. Raises ModuleNotFoundError then, when it is not installed."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(import_module(self._name), attribute)


SERIALIZERS = {name: LazyModule(name) for name in NAMES}
"""Name to the library, which has `dump`, `dumps`, `load` and `loads`."""
