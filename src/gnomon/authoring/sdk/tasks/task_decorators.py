"""`@task` and its variants: the call of a decorated function in a DAG file makes a task and returns its XComArg."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, overload

from gnomon.authoring.sdk.arguments.code_location import find_author_location, format_location
from gnomon.authoring.sdk.arguments.task_warnings import warn_about_task
from gnomon.authoring.sdk.mapping.expand_input import DictOfListsExpandInput, ExpandInput, ListOfDictsExpandInput
from gnomon.authoring.sdk.mapping.map_kwargs import check_dicts, check_mapped_values, check_names, prevent_duplicates
from gnomon.authoring.sdk.mapping.mapped_operator import DecoratedMappedOperator, keep_fields
from gnomon.authoring.sdk.mapping.operator_partial import UnexpandedPartial
from gnomon.authoring.sdk.members.operator_meta import take_shared
from gnomon.authoring.sdk.members.xcom_arg import XComArg
from gnomon.authoring.sdk.nodes import authoring_state
from gnomon.authoring.sdk.tasks.decorated_operators import make_unique_task_id
from gnomon.authoring.sdk.tasks.function_calls import CONTEXT_KEYS, check_call, read_signature
from gnomon.model.errors.authoring import AirflowException, AirflowSkipException
from gnomon.model.errors.product import find_close_matches
from gnomon.model.unchecked_sentences import say_unchecked

if TYPE_CHECKING:
    from gnomon.authoring.sdk.nodes.node_types import DagNode


OPERATOR_PATHS: dict[str, str] = {
    "python": "gnomon.authoring.sdk.tasks.decorated_operators.PythonDecoratedOperator",
    "branch": "gnomon.authoring.sdk.tasks.decorated_operators.BranchDecoratedOperator",
    "short_circuit": "gnomon.authoring.sdk.tasks.decorated_operators.ShortCircuitDecoratedOperator",
    "sensor": "gnomon.authoring.sdk.tasks.sensor.SensorDecoratedOperator",
    "bash": "gnomon.authoring.operators.bash.BashDecoratedOperator",
    "virtualenv": "gnomon.authoring.operators.virtualenv_decorated.VirtualenvDecoratedOperator",
    "external_python": "gnomon.authoring.operators.virtualenv_decorated.ExternalPythonDecoratedOperator",
    "branch_virtualenv": "gnomon.authoring.operators.virtualenv_decorated.BranchVirtualenvDecoratedOperator",
    "branch_external_python": "gnomon.authoring.operators.virtualenv_decorated.BranchExternalPythonDecoratedOperator",
    "stub": "gnomon.authoring.operators.virtualenv_decorated.StubDecoratedOperator",
}
"""Variant of `@task` to the path of its operator class, which is imported when a file uses the variant."""

_VARIANT_PACKAGES = {
    "docker": "docker",
    "kubernetes": "cncf-kubernetes",
    "kubernetes_cmd": "cncf-kubernetes",
    "pyspark": "apache-spark",
    "snowpark": "snowflake",
    "sql": "common-sql",
    "analytics": "common-sql",
    "llm": "common-ai",
    "agent": "common-ai",
}
"""Variant to the provider package that brings it (`task-decorators` of the package's description), for the message when it is not installed."""
_DOCS = ("doc", "doc_md", "doc_json", "doc_yaml", "doc_rst")


def _load_operator_class(variant: str) -> type:
    module, _, name = OPERATOR_PATHS[variant].rpartition(".")
    operator_class: type = getattr(import_module(module), name)
    return operator_class


class TaskDecorator:
    """A function decorated with `@task`. Each call in a DAG file makes a task; `function` is the undecorated function."""

    def __init__(self, function: Callable[..., Any], operator_class: type, kwargs: dict[str, Any]) -> None:
        _check_function(function)
        self.function = function
        self.operator_class = operator_class
        self.kwargs = dict(kwargs)
        self.is_setup = self.kwargs.pop("is_setup", False)
        self.is_teardown = self.kwargs.pop("is_teardown", False)
        self.on_failure_fail_dagrun = self.kwargs.pop("on_failure_fail_dagrun", False)
        self.returns_dag_result = False
        if self.kwargs.get("multiple_outputs") is None:
            self.kwargs["multiple_outputs"] = is_dict_annotated(function)
        self.kwargs.setdefault("task_id", function.__name__)
        self._watch: UnexpandedPartial | None = None
        functools.update_wrapper(self, function)

    def __call__(self, *args: Any, **kwargs: Any) -> XComArg:
        if self.is_teardown and "trigger_rule" in self.kwargs:
            raise ValueError(
                f"Task {self.kwargs['task_id']!r}{format_location(find_author_location())}: the trigger rule of a teardown task is not "
                "configurable. Remove trigger_rule: the task runs when the tasks before it have ended and its setup succeeded."
            )
        self._mark_expanded()
        arguments = dict(self.kwargs)
        op_kwargs = {**(arguments.pop("op_kwargs", None) or {}), **kwargs}
        return self._finish(
            self.operator_class(python_callable=self.function, op_args=args, op_kwargs=op_kwargs, **arguments)
        )

    def _finish(self, operator: Any) -> XComArg:
        """Apply `@setup`, `@teardown` and the docstring to the new task, and return its XComArg."""
        operator.is_setup = self.is_setup
        operator.is_teardown = self.is_teardown
        operator.on_failure_fail_dagrun = self.on_failure_fail_dagrun
        operator.returns_dag_result = self.returns_dag_result
        if self.is_teardown:
            operator.trigger_rule = "all_done_setup_success"
        if self.function.__doc__ and not any(self.kwargs.get(name) for name in _DOCS):
            operator.doc_md = self.function.__doc__
        arg = XComArg(operator)
        if self.is_setup or self.is_teardown:
            _link_teardown(arg, operator)
        return arg

    def override(self, **kwargs: Any) -> TaskDecorator:
        """Return the same function with other arguments for the task."""
        self._mark_expanded()
        merged = {
            **self.kwargs,
            **kwargs,
            "is_setup": self.is_setup,
            "is_teardown": self.is_teardown,
            "on_failure_fail_dagrun": kwargs.get("on_failure_fail_dagrun", self.on_failure_fail_dagrun),
        }
        new = TaskDecorator(self.function, self.operator_class, merged)
        new.returns_dag_result = self.returns_dag_result
        if self.kwargs.get("op_kwargs") and "op_kwargs" not in kwargs:
            new._watch = UnexpandedPartial(
                f"Task {self._describe()}", self.kwargs.get("dag") or authoring_state.current_dag()
            )
        return new

    def partial(self, **kwargs: Any) -> TaskDecorator:
        """Return the same function with these arguments, which all instances of the mapped task share.

        Raises TypeError for an argument that the function does not have, and ValueError for a key of the task context.
        """
        self._mark_expanded()  # what is waiting for its expand() is the new one
        where = self._check_names("partial", kwargs)
        before = self.kwargs.get("op_kwargs") or {}
        prevent_duplicates(before, kwargs, "duplicate partial", where)
        return self._with_op_kwargs({**before, **kwargs})

    def expand(self, **map_kwargs: Any) -> XComArg:
        """Make a task with an instance for each combination of the elements of the arguments: lists, dicts, results of tasks.

        Raises TypeError for an argument that the function does not have or that `partial` has too, and ValueError for a value that
        cannot be mapped over.
        """
        self._mark_expanded()
        if not map_kwargs:
            raise TypeError(
                f"no arguments to expand against: expand() of @task {self._describe()} needs a list or a dict for an argument"
            )
        where = self._check_names("expand", map_kwargs)
        check_mapped_values(map_kwargs, "expand", where)
        prevent_duplicates(self.kwargs.get("op_kwargs") or {}, map_kwargs, "mapping already partial", where)
        if self.kwargs.get("trigger_rule") == "always" and any(
            isinstance(value, XComArg) for value in map_kwargs.values()
        ):
            raise ValueError(
                f"Task-generated mapping within a task using 'expand' is not allowed with trigger rule 'always'{where}: the task would start "
                "before the values exist."
            )
        return self._expand(DictOfListsExpandInput(map_kwargs), strict=False)

    def expand_kwargs(self, kwargs: Any, *, strict: bool = True) -> XComArg:
        """Make a task with an instance for each dict of arguments in a list, or in the result of a task.

        With `strict`, an argument that `partial` has too is an error; else that of the dict is used.
        """
        self._mark_expanded()
        where = f" of @task {self._describe()}"
        check_dicts(kwargs, "expand_kwargs", where)
        dicts = [] if isinstance(kwargs, XComArg) else [item for item in kwargs if not isinstance(item, XComArg)]
        for item in dicts:
            self._check_names("expand_kwargs", item)
            if strict:
                prevent_duplicates(self.kwargs.get("op_kwargs") or {}, item, "mapping already partial", where)
        if self.kwargs.get("trigger_rule") == "always" and any(
            isinstance(value, XComArg) for item in dicts for value in item.values()
        ):
            raise ValueError(
                f"Task-generated mapping within a task using 'expand_kwargs' is not allowed with trigger rule 'always'{where}."
            )
        return self._expand(ListOfDictsExpandInput(kwargs), strict=strict)

    def _expand(self, expand_input: ExpandInput, *, strict: bool) -> XComArg:
        arguments = dict(self.kwargs)
        dag, group, defaults, params = take_shared(arguments, format_location(find_author_location()))
        task_id = make_unique_task_id(arguments.pop("task_id"), dag, group)
        operator = DecoratedMappedOperator(
            operator_class=self.operator_class,
            python_callable=self.function,
            op_kwargs_expand_input=expand_input,
            task_id=task_id if group is None else group.child_id(task_id),
            partial_kwargs={
                **keep_fields(defaults),
                **arguments,
                "op_args": [],
                "op_kwargs": arguments.get("op_kwargs") or {},
            },
            dag=dag,
            task_group=group,
            defaults=defaults,
            params=params,
            strict=strict,
            location=find_author_location(),
        )
        self._warn_about_missing(operator, expand_input)
        return self._finish(operator)

    def _warn_about_missing(self, operator: Any, expand_input: ExpandInput) -> None:
        """Add a warning to the DAG for a parameter that no instance gets, if the arguments are known here."""
        if isinstance(expand_input, ListOfDictsExpandInput) or operator.get_dag() is None:
            return
        try:
            check_call(self.function, (), {**operator.partial_kwargs["op_kwargs"], **expand_input.value}, "")
        except TypeError as error:
            warn_about_task(operator, say_unchecked("mapped_instances_will_fail", error=str(error)))

    def _with_op_kwargs(self, op_kwargs: dict[str, Any]) -> TaskDecorator:
        new = self.override(op_kwargs=op_kwargs)
        new._watch = UnexpandedPartial(
            f"Task {self._describe()}", self.kwargs.get("dag") or authoring_state.current_dag()
        )
        return new

    def _mark_expanded(self) -> None:
        if self._watch is not None:
            self._watch.is_expanded = True

    def _check_names(self, method: str, kwargs: Mapping[str, Any]) -> str:
        """Check the names of arguments of the function; return where the task is, for a message."""
        where = f" of @task {self._describe()}"
        keys = [name for name in kwargs if name in CONTEXT_KEYS]
        if keys:
            plural = "s" if len(keys) > 1 else ""
            raise ValueError(
                f"cannot call {method}() on task context variable{plural} {', '.join(map(repr, keys))}{where}; call the parameter something else"
            )
        shape = read_signature(self.function)
        if shape is not None and not shape.accepts_var_keyword:
            check_names(kwargs, sorted(shape.named), method, where)
        return where

    def _describe(self) -> str:
        return f"{self.kwargs['task_id']!r}{format_location(find_author_location())}"

    def __repr__(self) -> str:
        return f"<@task {self.kwargs['task_id']}>"


def _link_teardown(arg: XComArg, operator: Any) -> None:
    """Connect a teardown task to each setup task whose value it gets."""
    if operator.is_teardown:
        for task in operator.upstream_list:
            if task.is_setup:
                operator.as_teardown(setups=task)
    assert arg.operator is operator


def task_decorator_factory(
    python_callable: Callable[..., Any] | None = None,
    *,
    multiple_outputs: bool | None = None,
    decorated_operator_class: type,
    **kwargs: Any,
) -> Any:
    """Return the decorated function, or a decorator when `python_callable` is None. Packages make their own `@task.x` with it.

    Raises TypeError when `python_callable` is not callable.
    """
    if multiple_outputs is not None:
        kwargs["multiple_outputs"] = multiple_outputs
    if python_callable is not None:
        if not callable(python_callable):
            raise TypeError(f"@task takes its arguments by name, not {python_callable!r}.")
        return TaskDecorator(python_callable, decorated_operator_class, kwargs)

    def decorate(function: Callable[..., Any]) -> TaskDecorator:
        return TaskDecorator(function, decorated_operator_class, kwargs)

    return decorate


class TaskDecorators:
    """`@task`, `@task.branch`, ...: each variant is an attribute. `@dag.task` is the same for one DAG."""

    def __init__(self, dag: DagNode | None = None) -> None:
        self._bound: dict[str, Any] = {} if dag is None else {"dag": dag}

    @overload
    def __call__(self, python_callable: Callable[..., Any]) -> TaskDecorator: ...
    @overload
    def __call__(
        self, python_callable: None = None, **kwargs: Any
    ) -> Callable[[Callable[..., Any]], TaskDecorator]: ...
    def __call__(self, python_callable: Callable[..., Any] | None = None, **kwargs: Any) -> Any:
        """Plain `@task`: a Python function."""
        return self._variant("python", python_callable, kwargs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in OPERATOR_PATHS:
            return functools.partial(self._by_position, name)
        provided = _find_provided_variants()
        if name in provided:
            return functools.partial(self._by_package, provided[name])
        raise AttributeError(_describe_unknown_variant(name, [*OPERATOR_PATHS, *provided]))

    def _by_position(self, name: str, python_callable: Callable[..., Any] | None = None, **kwargs: Any) -> Any:
        return self._variant(name, python_callable, kwargs)

    def _by_package(self, path: str, python_callable: Callable[..., Any] | None = None, **kwargs: Any) -> Any:
        from gnomon.authoring.sdk.connections.provider_packages import (
            import_attribute,  # few files use decorators of packages
        )

        return import_attribute(path)(python_callable, **{**self._bound, **kwargs})

    def _variant(self, name: str, function: Callable[..., Any] | None, kwargs: Mapping[str, Any]) -> Any:
        return task_decorator_factory(
            function, decorated_operator_class=_load_operator_class(name), **{**self._bound, **kwargs}
        )

    def run_if(self, condition: Callable[[Any], Any], skip_message: str | None = None) -> Any:
        """Skip the task unless `condition(context)` returns a true value or `(True, message)`."""
        return _make_condition_decorator(condition, skip_message, run_when=True)

    def skip_if(self, condition: Callable[[Any], Any], skip_message: str | None = None) -> Any:
        """Skip the task when `condition(context)` returns a true value or `(True, message)`."""
        return _make_condition_decorator(condition, skip_message, run_when=False)


def _find_provided_variants() -> dict[str, str]:
    """Variant of `@task` to the path of its decorator, of the installed provider packages."""
    from gnomon.authoring.sdk.connections.provider_packages import iter_provided  # few files use decorators of packages

    return {item["name"]: item["class-name"] for _, item in iter_provided("task-decorators")}


def _describe_unknown_variant(name: str, variants: list[str]) -> str:
    remedy = "".join(f"; did you mean {near}" for near in find_close_matches(name, variants, cutoff=0.7)[:1])
    if name in _VARIANT_PACKAGES:
        remedy = f"; `gnomon providers install {_VARIANT_PACKAGES[name]}` installs the package that brings it"
    return f"There is no @task.{name}{remedy}. There are: {', '.join(sorted(variants))}, run_if, skip_if."


def _make_condition_decorator(condition: Callable[[Any], Any], skip_message: str | None, *, run_when: bool) -> Any:
    def decorate(inner: Any) -> TaskDecorator:
        if not isinstance(inner, TaskDecorator):
            raise TypeError("@task.run_if and @task.skip_if stand above another @task decorator, not above a function.")
        before = inner.kwargs.get("pre_execute")

        def pre_execute(context: Any) -> None:
            result = condition(context)
            holds, message = result if isinstance(result, tuple) else (result, None)
            if bool(holds) != run_when:
                raise AirflowSkipException(message or skip_message or f"Skipped by @task.{variant}.")
            if before is not None:
                before(context)

        return inner.override(pre_execute=pre_execute)

    variant = "run_if" if run_when else "skip_if"
    return decorate


task = TaskDecorators()


def setup(function: Any) -> TaskDecorator:
    """`@setup` on a function or above another `@task`: the function makes a setup task. Raises AirflowException for a task group."""
    _refuse_group(function)
    inner = function if isinstance(function, TaskDecorator) else task(function)
    inner.is_setup = True
    return inner


def teardown(function: Any = None, *, on_failure_fail_dagrun: bool = False) -> Any:
    """`@teardown` on a function or above another `@task`: the function makes a teardown task.

    A failure of the teardown task fails the run only with `on_failure_fail_dagrun`. Raises AirflowException for a task group.
    """

    def decorate(function: Any) -> TaskDecorator:
        _refuse_group(function)
        inner = function if isinstance(function, TaskDecorator) else task(function)
        inner.is_teardown = True
        inner.on_failure_fail_dagrun = on_failure_fail_dagrun
        return inner

    return decorate if function is None else decorate(function)


def result(function: Any) -> Any:
    """`@result` above a `@task`: what the task returns is a result of its run, as with `DAG.add_result`. Raises TypeError for anything else."""
    if not isinstance(function, TaskDecorator):
        raise TypeError(
            f"@result must be used on top of a @task-decorated function, not {function!r}{format_location(find_author_location())}. "
            "Write @result in the line above @task."
        )
    function.returns_dag_result = True
    return function


def _refuse_group(function: Any) -> None:
    if hasattr(function, "expand_kwargs") and not isinstance(function, TaskDecorator):
        raise AirflowException("A task group cannot be marked as setup or teardown; mark a task of it.")


def is_dict_annotated(function: Callable[..., Any]) -> bool:
    """Return whether the return annotation is a dict, a mapping or a TypedDict. Each key is then an XCom of its own."""
    annotation = getattr(function, "__annotations__", {}).get("return")
    if annotation is None:
        return False
    if isinstance(annotation, str):
        annotation = _resolve_annotation(annotation, function)
    origin = getattr(annotation, "__origin__", None) or annotation
    return isinstance(origin, type) and (
        issubclass(origin, dict) or (origin is not str and issubclass(origin, Mapping))
    )


def _resolve_annotation(annotation: str, function: Any) -> Any:
    """Return the object that a text annotation names; None when it cannot be resolved here."""
    path = annotation.partition("[")[0].strip()
    if path in ("None", "str", "int", "float", "bool", "list"):
        return None
    names = getattr(function, "__globals__", {})
    if path in ("dict", "Dict", "Mapping", "typing.Dict"):
        return dict
    first, *rest = path.split(".")
    value = names.get(first)
    for part in rest:
        value = getattr(value, part, None)
    return value


def _check_function(function: Any) -> None:
    if isinstance(function, TaskDecorator):
        raise TypeError(f"@task stands above a function, and {function!r} is decorated already.")
    if isinstance(function, type) or not callable(function):
        raise TypeError(f"@task stands above a function, not {function!r} ({type(function).__name__}).")
    if not hasattr(function, "__name__"):
        raise TypeError(f"@task needs a function with a name; {function!r} has none. Write a `def` around it.")
