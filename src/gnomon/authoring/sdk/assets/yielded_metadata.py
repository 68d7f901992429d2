"""Functions of tasks that yield Metadata: the extra data of the events of their outlets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import GeneratorType
from typing import Any

from gnomon.authoring.sdk.assets.asset import Metadata


def run_generator(function: Callable[..., Any], value: GeneratorType[Any, Any, Any], context: Mapping[str, Any]) -> Any:
    """Run the generator to its end, record each Metadata that it yields in `outlet_events`, and return what it returns.

    A generator that a plain function has made and returned is not run: it is the value.
    """
    import inspect  # few functions return generators
    import logging

    if not inspect.isgeneratorfunction(function):
        return value
    while True:
        try:
            item = next(value)
        except StopIteration as stop:
            return stop.value
        if not isinstance(item, Metadata):
            logging.getLogger("gnomon.task").warning("the task yielded %r, which is no Metadata and is ignored", item)
            continue
        outlet_events = context["outlet_events"]
        outlet_events[item.asset].extra.update(item.extra)
        if item.alias is not None:
            outlet_events[item.alias].add(item.asset, extra=item.extra)
