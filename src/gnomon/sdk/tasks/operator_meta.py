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

from gnomon.sdk.arguments.code_location import find_author_location, format_location
from gnomon.sdk.dags import authoring_state


class InitParameters(NamedTuple):
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
            namespace["__init__"] = apply_default_args(init)
        return super().__new__(mcs, name, bases, namespace, **kwargs)


def apply_default_args(init: FunctionType) -> Callable[..., None]:
    """The same `__init__`, given what the default arguments hold for its parameters."""
    parameters = read_init_parameters(init)

    @functools.wraps(init)
    def wrapped(self: Any, *args: Any, **kwargs: Any) -> None:
        state = self.__dict__
        outermost = "_defaults" not in state and "_ready" not in state
        if outermost:
            _prepare_defaults(self, kwargs)
        defaults = state.get("_defaults")
        if defaults:
            given = parameters.positional[: len(args)]
            for name in parameters.named:
                if name in defaults and name not in kwargs and name not in given:
                    kwargs[name] = defaults[name]
        if parameters.required:
            _check_required(self, parameters, args, kwargs)
        init(self, *args, **kwargs)
        if outermost:
            _finish_construction(self)

    return wrapped


def read_init_parameters(function: FunctionType) -> InitParameters:
    """The parameters of an `__init__`, read from its code."""
    code = function.__code__
    positional = code.co_varnames[1 : code.co_argcount]
    only_named = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    optional = positional[len(positional) - len(function.__defaults__ or ()) :] if function.__defaults__ else ()
    with_default = {*optional, *(function.__kwdefaults__ or ())}
    named = (*positional[max(code.co_posonlyargcount - 1, 0) :], *only_named)
    return InitParameters(positional, named, tuple(name for name in (*positional, *only_named) if name not in with_default))


def _prepare_defaults(task: Any, kwargs: dict[str, Any]) -> None:
    """The operator knows where it was made and which defaults hold for it."""
    state = task.__dict__
    state["_location"] = find_author_location()
    start = type(task).start_trigger_args
    if start is not None:
        import copy  # few classes start from a trigger

        state["start_trigger_args"] = copy.deepcopy(start)  # what one task changes in it is its own
    group = kwargs.get("task_group")
    dag = kwargs.get("dag") or (group.dag if group is not None else None) or authoring_state.current_dag()
    group = group or authoring_state.current_group(dag)
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


def _check_required(task: Any, parameters: InitParameters, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    given = parameters.positional[: len(args)]
    missing = [name for name in parameters.required if name not in kwargs and name not in given]
    if missing:
        task_id = kwargs.get("task_id") or getattr(task, "task_id", None)
        named = f" for task {task_id!r}" if isinstance(task_id, str) else ""
        words = " and ".join(f"{name}=" for name in missing)
        raise TypeError(
            f"{type(task).__name__} needs {words}{named}{format_location(task._location)}. "
            "Give it to the operator, or in the default_args of the DAG or group."
        )


def _finish_construction(task: Any) -> None:
    """Construction is over: values of other tasks in template fields are dependencies now and from here on."""
    state = task.__dict__
    for name in ("_defaults", "_default_params"):
        state.pop(name, None)
    state["_ready"] = True
    task.connect_references(task.template_fields)
