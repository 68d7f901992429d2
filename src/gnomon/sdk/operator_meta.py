"""What happens around the `__init__` of every operator class, an author's included.

Each level of a class's `__init__` chain is given what `default_args` (of the DAG, the groups, the task) hold for its
own parameters; a parameter that is still missing is a TypeError that names task, argument and line. After the
outermost level the XComArgs in template fields have become dependencies.
"""

from __future__ import annotations

import functools
from abc import ABCMeta
from collections.abc import Callable
from types import FunctionType
from typing import Any, NamedTuple

from gnomon.sdk import current
from gnomon.sdk.place import at, here


class Parameters(NamedTuple):
    """What one `__init__` takes besides `self`."""

    positional: tuple[str, ...]
    named: tuple[str, ...]
    """All that can be given by name."""
    required: tuple[str, ...]


class OperatorMeta(ABCMeta):
    """Class of operator classes: wraps the `__init__` that a class defines itself."""

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **kwargs: Any) -> Any:
        ext = namespace.get("template_ext")
        if isinstance(ext, str):
            raise TypeError(f"{name}.template_ext must be a list or tuple of texts; write ({ext!r},) with a comma.")
        init = namespace.get("__init__")
        if isinstance(init, FunctionType):
            namespace["__init__"] = with_default_args(init)
        return super().__new__(mcs, name, bases, namespace, **kwargs)


def with_default_args(init: FunctionType) -> Callable[..., None]:
    """The same `__init__`, given what the default arguments hold for its parameters."""
    parameters = parameters_of(init)

    @functools.wraps(init)
    def wrapped(self: Any, *args: Any, **kwargs: Any) -> None:
        state = self.__dict__
        outermost = "_defaults" not in state and "_ready" not in state
        if outermost:
            _begin(self, kwargs)
        defaults = state.get("_defaults")
        if defaults:
            given = parameters.positional[: len(args)]
            for name in parameters.named:
                if name in defaults and name not in kwargs and name not in given:
                    kwargs[name] = defaults[name]
        if parameters.required:
            _check_complete(self, parameters, args, kwargs)
        init(self, *args, **kwargs)
        if outermost:
            _finish(self)

    return wrapped


def parameters_of(function: FunctionType) -> Parameters:
    """The parameters of an `__init__`, read from its code."""
    code = function.__code__
    positional = code.co_varnames[1 : code.co_argcount]
    only_named = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    optional = positional[len(positional) - len(function.__defaults__ or ()) :] if function.__defaults__ else ()
    with_default = {*optional, *(function.__kwdefaults__ or ())}
    named = (*positional[max(code.co_posonlyargcount - 1, 0) :], *only_named)
    return Parameters(positional, named, tuple(name for name in (*positional, *only_named) if name not in with_default))


def _begin(task: Any, kwargs: dict[str, Any]) -> None:
    """The operator knows where it was made and which defaults hold for it."""
    state = task.__dict__
    state["_place"] = here()
    start = type(task).start_trigger_args
    if start is not None:
        import copy  # few classes start from a trigger

        state["start_trigger_args"] = copy.deepcopy(start)  # what one task changes in it is its own
    group = kwargs.get("task_group")
    dag = kwargs.get("dag") or (group.dag if group is not None else None) or current.current_dag()
    group = group or current.current_group(dag)
    defaults: dict[str, Any] = {}
    if dag is not None:
        defaults.update(dag.default_args)
    if group is not None:
        defaults.update(group.default_args)
    defaults.update(kwargs.get("default_args") or {})
    state["_default_params"] = defaults.pop("params", None)
    for name in ("task_id", "dag", "task_group", "default_args"):
        defaults.pop(name, None)
    state["_defaults"] = defaults


def _check_complete(task: Any, parameters: Parameters, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    given = parameters.positional[: len(args)]
    missing = [name for name in parameters.required if name not in kwargs and name not in given]
    if missing:
        task_id = kwargs.get("task_id") or getattr(task, "task_id", None)
        named = f" for task {task_id!r}" if isinstance(task_id, str) else ""
        words = " and ".join(f"{name}=" for name in missing)
        raise TypeError(
            f"{type(task).__name__} needs {words}{named}{at(task._place)}. "
            "Give it to the operator, or in the default_args of the DAG or group."
        )


def _finish(task: Any) -> None:
    """Construction is over: values of other tasks in template fields are dependencies now and from here on."""
    state = task.__dict__
    for name in ("_defaults", "_default_params"):
        state.pop(name, None)
    state["_ready"] = True
    task.connect_references(task.template_fields)
