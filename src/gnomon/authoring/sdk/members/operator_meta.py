"""The metaclass of operators: it wraps the `__init__` of every operator class, also of authors' classes.

Each `__init__` in the chain of base classes gets from `default_args` (of the DAG, the groups and the task) the values for its
own parameters. A parameter that is still missing raises TypeError with the task, the argument and the line. After the
outermost `__init__`, the XComArgs in template fields become dependencies.
"""

from __future__ import annotations

import functools
from abc import ABCMeta
from collections.abc import Callable
from types import FunctionType
from typing import Any, NamedTuple, cast

from gnomon.authoring.sdk.arguments.annotated_arguments import CHECKED_MODULES, check_annotated
from gnomon.authoring.sdk.arguments.code_location import find_author_location, format_location
from gnomon.authoring.sdk.arguments.converters import as_named_values, check_place
from gnomon.authoring.sdk.nodes import authoring_state

_PASSED_OVER = "<gnomon wrapper, as importlib._bootstrap>"


class InitParameters(NamedTuple):
    """The parameters of an `__init__` without `self`."""

    positional: tuple[str, ...]
    named: tuple[str, ...]
    """The parameters that may be given by name."""
    required: tuple[str, ...]


class OperatorMeta(ABCMeta):
    """Metaclass of operators: wraps the `__init__` that a class defines itself."""

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **kwargs: Any) -> Any:
        ext = namespace.get("template_ext")
        if isinstance(ext, str):
            raise TypeError(f"{name}.template_ext must be a list or tuple of texts; write ({ext!r},) with a comma.")
        init = namespace.get("__init__")
        if isinstance(init, FunctionType):
            namespace["__init__"] = apply_default_args(init)
        return super().__new__(mcs, name, bases, namespace, **kwargs)


def apply_default_args(init: FunctionType) -> Callable[..., None]:
    """Return an `__init__` that takes missing arguments from the default arguments."""
    parameters = read_init_parameters(init)
    is_checked = init.__module__.startswith(CHECKED_MODULES)

    @functools.wraps(init)
    def wrapped(self: Any, *args: Any, **kwargs: Any) -> None:
        state = self.__dict__
        outermost = "_defaults" not in state and "_ready" not in state
        if outermost:
            _prepare_defaults(self, kwargs)
        defaults = state.get("_defaults")
        if defaults:
            positional_names = parameters.positional[: len(args)]
            for name in parameters.named:
                if name in defaults and name not in kwargs and name not in positional_names:
                    kwargs[name] = defaults[name]
        if parameters.required:
            _check_required(self, parameters, args, kwargs)
        if is_checked:
            _check_annotated(self, init, parameters, args, kwargs)
        init(self, *args, **kwargs)
        if outermost:
            _finish_construction(self)

    # `warnings.warn(..., stacklevel=2)` in the __init__ names the line of the author: Python passes over frames of this file name.
    function = cast("FunctionType", wrapped)
    function.__code__ = function.__code__.replace(co_filename=_PASSED_OVER)
    return function


def read_init_parameters(function: FunctionType) -> InitParameters:
    """Return the parameters of an `__init__`, read from its code object."""
    code = function.__code__
    positional = code.co_varnames[1 : code.co_argcount]
    keyword_only = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    optional = positional[len(positional) - len(function.__defaults__ or ()) :] if function.__defaults__ else ()
    with_default = {*optional, *(function.__kwdefaults__ or ())}
    named = (*positional[max(code.co_posonlyargcount - 1, 0) :], *keyword_only)
    return InitParameters(
        positional, named, tuple(name for name in (*positional, *keyword_only) if name not in with_default)
    )


def _prepare_defaults(task: Any, kwargs: dict[str, Any]) -> None:
    """Store the line at which the task is made, and the default arguments that apply to it."""
    state = task.__dict__
    if "_mapped_from" not in state:
        state["_location"] = find_author_location()
    start = getattr(type(task), "start_trigger_args", None)
    if start is not None:
        import copy  # few classes start from a trigger

        state["start_trigger_args"] = copy.deepcopy(start)  # a task may change its own copy
    try:
        _find_defaults(kwargs, state)
    except TypeError as error:
        raise TypeError(f"Task {kwargs.get('task_id')!r}{format_location(state.get('_location'))}: {error}.") from None


def _find_defaults(kwargs: dict[str, Any], state: dict[str, Any]) -> None:
    check_place(kwargs)
    group = kwargs.get("task_group")
    dag = kwargs.get("dag") or (group.dag if group is not None else None) or authoring_state.current_dag()
    group = group or authoring_state.current_group(dag)
    state["_defaults"], state["_default_params"] = merge_defaults(dag, group, kwargs.get("default_args"))


class SharedArguments(NamedTuple):
    """What all instances of a mapped task share, besides its own arguments."""

    dag: Any
    group: Any
    defaults: dict[str, Any]
    params: dict[str, Any]


def take_shared(arguments: dict[str, Any], where: str) -> SharedArguments:
    """Take the DAG, the group, the params and the default arguments out of the arguments of a mapped task. Raises TypeError, with the task and `where`."""
    try:
        check_place(arguments)
        group, dag = arguments.pop("task_group", None), arguments.pop("dag", None)
        dag = dag or (group.dag if group is not None else None) or authoring_state.current_dag()
        group = group if group is not None else authoring_state.current_group(dag)
        defaults, params = merge_defaults(dag, group, arguments.pop("default_args", None))
        own_params = as_named_values("params", arguments.pop("params", None))
    except TypeError as error:
        raise TypeError(f"Task {arguments.get('task_id')!r}{where}: {error}.") from None
    return SharedArguments(dag, group, defaults, {**(params or {}), **(own_params or {})})


def merge_defaults(dag: Any, group: Any, own: Any) -> tuple[dict[str, Any], Any]:
    """Return the default arguments of the DAG, the group and the task, the last one first, and among them the params.

    Raises TypeError for what is no dict.
    """
    defaults: dict[str, Any] = {}
    if dag is not None:
        defaults.update(dag.default_args)
    if group is not None:
        defaults.update(group.default_args)
    if own:
        defaults.update(as_named_values("default_args", own))
    params = as_named_values("default_args['params']", defaults.pop("params", None))
    for name in ("task_id", "dag", "task_group", "default_args"):
        defaults.pop(name, None)
    return defaults, params


def _check_required(task: Any, parameters: InitParameters, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    positional_names = parameters.positional[: len(args)]
    missing = [name for name in parameters.required if name not in kwargs and name not in positional_names]
    if missing:
        task_id = kwargs.get("task_id") or getattr(task, "task_id", None)
        named = f" for task {task_id!r}" if isinstance(task_id, str) else ""
        words = " and ".join(f"{name}=" for name in missing)
        raise TypeError(
            f"{type(task).__name__} needs {words}{named}{format_location(task._location)}. "
            "Give it to the operator, or in the default_args of the DAG or group."
        )


def _check_annotated(
    task: Any, init: FunctionType, parameters: InitParameters, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    try:
        check_annotated(type(task), init, {**dict(zip(parameters.positional, args, strict=False)), **kwargs})
    except (TypeError, ValueError) as error:
        task_id = kwargs.get("task_id") or getattr(task, "task_id", None)
        raise type(error)(f"Task {task_id!r}{format_location(task.__dict__.get('_location'))}: {error}.") from None


def _finish_construction(task: Any) -> None:
    """Connect the tasks to whose XComs the template fields refer; later assignments to template fields connect tasks too."""
    state = task.__dict__
    for name in ("_defaults", "_default_params"):
        state.pop(name, None)
    state["_ready"] = True
    if "_mapped_from" not in state and hasattr(
        task, "connect_references"
    ):  # the edges are those of the mapped task; a class may use the metaclass without BaseOperator
        task.connect_references(task.template_fields)
