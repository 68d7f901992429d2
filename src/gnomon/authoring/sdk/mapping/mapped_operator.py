"""MappedOperator: a task of a DAG that has an instance for each element of its mapped arguments."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from gnomon.authoring.sdk.arguments.code_location import format_location
from gnomon.authoring.sdk.arguments.notset import NOTSET
from gnomon.authoring.sdk.arguments.params import merge_params
from gnomon.authoring.sdk.mapping.expand_input import EXPAND_INPUT_EMPTY, ExpandInput
from gnomon.authoring.sdk.mapping.map_checks import check_parts_of_groups, mark_lengths_needed
from gnomon.authoring.sdk.mapping.map_kwargs import prevent_duplicates
from gnomon.authoring.sdk.members.task_execution import TaskExecution, name_class
from gnomon.authoring.sdk.members.task_membership import TaskMembership, join_dag
from gnomon.authoring.sdk.members.task_relations import TaskRelations
from gnomon.authoring.sdk.members.xcom_arg import iter_xcom_references
from gnomon.authoring.sdk.nodes.dag_copy import copy_task
from gnomon.authoring.sdk.signatures import fields
from gnomon.authoring.sdk.signatures.old_arguments import TaskArguments, store_task_arguments, warn_no_effect
from gnomon.authoring.sdk.templating.lazy_environment import LazyEnvironment
from gnomon.model.errors.authoring import ParamValidationError

if TYPE_CHECKING:
    from gnomon.authoring.sdk.arguments.code_location import CodeLocation
    from gnomon.authoring.sdk.deferral.triggers import StartTriggerArgs
    from gnomon.authoring.sdk.nodes.node_types import DagNode, GroupNode, TaskNode

_FIELD_NAMES = frozenset(row.name for row in fields.OPERATOR_FIELDS)
_SETTABLE = _FIELD_NAMES - {"task_id", "dag", "task_group", "default_args", "params"}
_START_NAMES = frozenset({"start_from_trigger", "trigger_kwargs", "next_kwargs", "trigger_timeout"})
"""Arguments of an operator that starts from its trigger, which are read before its `__init__` runs."""


class MappedOperator(TaskArguments, TaskMembership, TaskExecution, TaskRelations):
    """A mapped task: an operator class, the arguments of `partial`, and the mapped arguments.

    The arguments of BaseOperator are attributes, as on an operator. The operator of one map index is made by `unmap`, when that
    instance runs.
    """

    is_mapped = True
    start_trigger_args: StartTriggerArgs | None
    start_from_trigger: bool

    def __init__(
        self,
        *,
        operator_class: type[Any],
        task_id: str,
        partial_kwargs: dict[str, Any],
        expand_input: ExpandInput,
        dag: DagNode | None,
        task_group: GroupNode | None,
        defaults: Mapping[str, Any],
        params: Mapping[str, Any] | None,
        strict: bool,
        location: CodeLocation | None,
    ) -> None:
        state = self.__dict__
        state["_location"] = location
        self.operator_class = operator_class
        self.partial_kwargs = partial_kwargs
        self.expand_input = expand_input
        self._strict = strict
        self._store_arguments(task_id, defaults, params, dag)
        state["task_group"] = task_group
        state["_dag"] = None
        self.upstream_task_ids = set()
        self.downstream_task_ids = set()
        self.is_setup = self.is_teardown = self.on_failure_fail_dagrun = self.returns_dag_result = False
        self.start_trigger_args = partial_kwargs.get(
            "start_trigger_args", getattr(operator_class, "start_trigger_args", None)
        )
        self.start_from_trigger = bool(
            partial_kwargs.get("start_from_trigger", getattr(operator_class, "start_from_trigger", False))
        )
        check_parts_of_groups(cast("TaskNode", self), task_group, self.mapped_input, location)
        join_dag(self, dag, task_group)
        warn_no_effect(cast("TaskNode", self), {})
        self._connect_arguments()
        mark_lengths_needed(self.mapped_input)

    @property
    def inherits_from_empty_operator(self) -> bool:
        """Whether `execute` of the class does nothing."""
        return not self.operator_class.runs_code

    @property
    def _task_module(self) -> str:
        """The module of the operator class: packages that report tasks read it, also of classes that they do not import."""
        return str(self.operator_class.__module__)

    def _store_arguments(
        self, task_id: str, defaults: Mapping[str, Any], params: Mapping[str, Any] | None, dag: DagNode | None
    ) -> None:
        arguments: dict[str, Any] = dict.fromkeys(_FIELD_NAMES, NOTSET)
        arguments.update(_read_class_defaults(self.operator_class))
        for source in (defaults, self.partial_kwargs):
            arguments.update((name, value) for name, value in source.items() if name in arguments and name != "params")
        arguments.update(task_id=task_id, dag=None, default_args=None, task_group=None, params=None)
        old = {
            row.name: source[name]
            for row in fields.OPERATOR_FIELDS
            for name in row.old_names
            for source in (defaults, self.partial_kwargs)
            if name in source
        }
        store_task_arguments(cast("TaskNode", self), old, **arguments)
        try:
            self.__dict__["params"] = merge_params(dag.params if dag is not None else None, params)
        except ParamValidationError as error:
            raise ParamValidationError(f"Task {task_id!r}{format_location(self._location)}: {error}") from None
        self._partial_params = dict(params or {})

    def _connect_arguments(self) -> None:
        rendered = [self.partial_kwargs.get(name) for name in self.template_fields]
        mapped: Any = self.mapped_input.value
        for value in (mapped, *rendered):
            for task, _key in iter_xcom_references(value):
                if task.task_id not in self.upstream_task_ids:
                    self.set_upstream(task)

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
        self.__dict__.pop("_pattern", None)
        if name in _SETTABLE and "_partial_params" in self.__dict__:  # set by the author, as on an operator
            self.partial_kwargs[name] = value

    def __repr__(self) -> str:
        return f"<Mapped({self.task_type}): {self.task_id}>"

    __deepcopy__ = copy_task

    # What the operator class says

    @property
    def task_type(self) -> str:
        """The name of the operator class, as `task_type` of an operator."""
        return name_class(self.operator_class)

    @property
    def operator_name(self) -> str:
        """The name of the operator in listings: `custom_operator_name`, or the class name."""
        return getattr(self.operator_class, "custom_operator_name", None) or self.task_type

    @property
    def template_fields(self) -> Collection[str]:  # type: ignore[override]
        names: Any = self.operator_class.template_fields
        return [names] if isinstance(names, str) else names

    @property
    def template_ext(self) -> Sequence[str]:  # type: ignore[override]
        ext: Sequence[str] = self.operator_class.template_ext
        return ext

    @property
    def shallow_copy_attrs(self) -> Sequence[str]:
        """Attributes whose values a copy of the DAG shares: arguments may be clients, which cannot be copied."""
        return ("partial_kwargs", "python_callable", "op_kwargs")

    def __getattr__(self, name: str) -> Any:
        # Attributes of the class that readers of a DAG use: ui_color, template_fields_renderers, operator_extra_links, ...
        if name in _CLASS_ATTRIBUTES:
            return getattr(self.operator_class, name)
        raise AttributeError(f"{type(self).__name__} {self.__dict__.get('task_id')!r} has no attribute {name!r}")

    @property
    def mapped_input(self) -> ExpandInput:
        """The mapped arguments."""
        return self.expand_input

    def get_parse_time_mapped_ti_count(self) -> int:
        """Return the number of instances of a task that is mapped over literals only. Raises NotFullyPopulated for XComs."""
        return count_literal_instances(self.mapped_input)

    # One map index

    def prepare_instances(self) -> None:
        """Called in a process that forks one for each instance, after the import of the file."""

    def prepare_for_execution(self) -> MappedOperator:
        """Return this task: `render_template_fields` makes a new operator."""
        return self

    def unmap(self, resolve: Mapping[str, Any]) -> Any:
        """Return the operator of one instance. `resolve`: its mapped arguments.

        Raises TypeError for an argument that is also in `partial`, and what `__init__` of the class raises.
        """
        if self._strict:
            self._check_mapped(resolve)
        kwargs = self._merge_kwargs(resolve)
        cls: Any = self.operator_class
        operator = cls.__new__(cls, **kwargs)
        operator.__dict__.update(_mapped_from=self, _location=self._location)
        operator.__init__(**kwargs)
        operator.__dict__.update(
            task_id=self.task_id,
            task_group=self.task_group,
            is_setup=self.is_setup,
            is_teardown=self.is_teardown,
            on_failure_fail_dagrun=self.on_failure_fail_dagrun,
            returns_dag_result=self.returns_dag_result,
            upstream_task_ids=self.upstream_task_ids,
            downstream_task_ids=self.downstream_task_ids,
            start_date=self.start_date,
            end_date=self.end_date,
            _lock_for_execution=True,
            _lengths_needed=self.__dict__.get("_lengths_needed", False),
        )
        if self.is_teardown:
            operator.__dict__["trigger_rule"] = self.trigger_rule
        return operator

    def _merge_kwargs(self, mapped: Mapping[str, Any]) -> dict[str, Any]:
        params = {**self._partial_params, **(mapped.get("params") or {})}
        own = {name: value for name, value in self.partial_kwargs.items() if name not in ("params", "task_group")}
        kwargs = {**own, **mapped, "task_id": self.task_id, "dag": self._dag, "task_group": self.task_group}
        if params:
            kwargs["params"] = params
        return kwargs

    def _describe_place(self) -> str:
        return f" of task {self.task_id!r}{format_location(self._location)}"

    def _check_mapped(self, mapped: Mapping[str, Any]) -> None:
        unmappable = {name: None for name in mapped if name in UNMAPPABLE}
        prevent_duplicates(
            {**self.partial_kwargs, **unmappable}, mapped, "unmappable or already specified", self._describe_place()
        )

    def resolve_arguments(self, context: Any) -> tuple[dict[str, Any], set[int]]:
        """Return the mapped arguments of the instance of `context`, and the ids of the values that are not rendered."""
        return self.expand_input.resolve(context)

    def render_template_fields(self, context: Any, jinja_env: Any = None) -> None:
        """Make the operator of the instance of `context`, put it in its `task`, and render its template fields.

        Elements that upstream tasks returned are not rendered.
        """
        mapped, pulled = self.resolve_arguments(context)
        operator = self.unmap(mapped)
        context["ti"].task = operator
        context["task"] = operator
        env = jinja_env if jinja_env is not None else LazyEnvironment(operator, context)
        operator._do_render_template_fields(operator, operator.template_fields, context, env, pulled)

    # Starting from a trigger

    def maps_start_trigger(self) -> bool:
        """Return whether the instances may start from triggers with different arguments."""
        value: Any = self.mapped_input.value
        return not isinstance(value, dict) or not _START_NAMES.isdisjoint(value)

    def expand_start_from_trigger(self, *, context: Any) -> bool:
        """Return whether the instance of `context` starts from a trigger."""
        mapped = self.resolve_arguments(context)[0] if self.maps_start_trigger() else {}
        return bool(mapped.get("start_from_trigger", self.start_from_trigger))

    def expand_start_trigger_args(self, *, context: Any = None) -> StartTriggerArgs | None:
        """Return the trigger with which the instance of `context` starts; without a context, that of every instance."""
        args = self.start_trigger_args
        if args is None:
            return None
        mapped = {} if context is None or not self.maps_start_trigger() else self.resolve_arguments(context)[0]
        arguments = {**self.partial_kwargs, **mapped}
        chosen = copy.copy(args)
        for name, attribute in (
            ("trigger_kwargs", "trigger_kwargs"),
            ("next_kwargs", "next_kwargs"),
            ("trigger_timeout", "timeout"),
        ):
            if name in arguments:
                object.__setattr__(chosen, attribute, arguments[name])
        return chosen


class DecoratedMappedOperator(MappedOperator):
    """A mapped `@task`: the mapped arguments are those of its function."""

    python_callable: Callable[..., Any]
    op_kwargs_expand_input: ExpandInput

    def __init__(
        self, *, python_callable: Callable[..., Any], op_kwargs_expand_input: ExpandInput, **kwargs: Any
    ) -> None:
        self.python_callable = python_callable
        self.op_kwargs_expand_input = op_kwargs_expand_input
        super().__init__(expand_input=EXPAND_INPUT_EMPTY, **kwargs)

    @property
    def mapped_input(self) -> ExpandInput:
        """The mapped arguments of the function."""
        return self.op_kwargs_expand_input

    def maps_start_trigger(self) -> bool:
        """Return False: a function does not start from a trigger."""
        return False

    def resolve_arguments(self, context: Any) -> tuple[dict[str, Any], set[int]]:
        """Return `op_kwargs` of the instance of `context`, and the ids of the values that are not rendered."""
        op_kwargs, pulled = self.op_kwargs_expand_input.resolve(context)
        return {"op_kwargs": op_kwargs}, pulled

    def unmap(self, resolve: Mapping[str, Any]) -> Any:
        pattern = self.__dict__.get("_pattern")
        if pattern is None and not self._copies_operator:
            return super().unmap(resolve)
        if self._strict:
            self._check_mapped(resolve)
        op_kwargs_of_partial = self.partial_kwargs.get("op_kwargs")
        op_kwargs = {**op_kwargs_of_partial, **resolve["op_kwargs"]} if op_kwargs_of_partial else resolve["op_kwargs"]
        return (self._find_pattern(resolve) if pattern is None else pattern).copy_with(op_kwargs)

    def prepare_instances(self) -> None:
        """Make the operator of which the operators of instances are copies, if the names of their arguments are known: for a process that forks."""
        value: Any = self.mapped_input.value
        names = value[0] if isinstance(value, list | tuple) and value else value
        if self._copies_operator and isinstance(names, Mapping):
            with contextlib.suppress(Exception):  # each instance reports what is wrong
                self._find_pattern({"op_kwargs": dict.fromkeys(names)})

    @property
    def _copies_operator(self) -> bool:
        """Whether the constructor of the class uses no argument of the function, so that the operators of instances are copies of one."""
        return "is_copied_for_instances" in self.operator_class.__dict__

    def _find_pattern(self, resolve: Mapping[str, Any]) -> Any:
        state = self.__dict__
        if "_pattern" not in state:
            state["_pattern"] = super().unmap(resolve)
        return state["_pattern"]

    def _merge_op_kwargs(self, mapped: Mapping[str, Any]) -> dict[str, Any]:
        return {**(self.partial_kwargs.get("op_kwargs") or {}), **mapped["op_kwargs"]}

    def _merge_kwargs(self, mapped: Mapping[str, Any]) -> dict[str, Any]:
        return super()._merge_kwargs(
            {"python_callable": self.python_callable, "op_kwargs": self._merge_op_kwargs(mapped)}
        )

    def _check_mapped(self, mapped: Mapping[str, Any]) -> None:
        op_kwargs_of_partial = self.partial_kwargs.get("op_kwargs")
        if op_kwargs_of_partial:
            prevent_duplicates(
                op_kwargs_of_partial, mapped["op_kwargs"], "mapping already partial", self._describe_place()
            )


class NotFullyPopulated(RuntimeError):
    """The number of instances is known only when upstream tasks have run: `missing` names their arguments."""

    def __init__(self, missing: set[str]) -> None:
        self.missing = missing
        super().__init__(f"Failed to populate all mapping metadata; missing: {', '.join(map(repr, sorted(missing)))}")


def count_literal_instances(mapped_input: ExpandInput) -> int:
    """Return the number of instances. Raises NotFullyPopulated when an argument comes from an XCom."""
    names = list(mapped_input.value) if isinstance(mapped_input.value, dict) else ["expand_kwargs() argument"]
    missing = {name for name, value in zip(names, mapped_input.factors, strict=True) if hasattr(value, "resolve")}
    if missing:
        raise NotFullyPopulated(missing)
    count = 1
    for value in mapped_input.factors:
        count *= len(value)
    return count


def keep_fields(defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Return the default arguments that are arguments of BaseOperator; those of the operator class apply when it is made."""
    return {name: value for name, value in defaults.items() if name in _FIELD_NAMES}


def _read_class_defaults(operator_class: type[Any]) -> dict[str, Any]:
    """Return the defaults that an `__init__` of the class, or of a base class below BaseOperator, gives to arguments of BaseOperator."""
    defaults: dict[str, Any] = {}
    for base in reversed(operator_class.__mro__):
        init = base.__dict__.get("__init__")
        function = getattr(init, "__wrapped__", None)
        if function is None or not issubclass(base, TaskRelations):
            continue
        code = function.__code__
        positional = code.co_varnames[: code.co_argcount]
        values = dict(zip(reversed(positional), reversed(function.__defaults__ or ()), strict=False))
        values.update(function.__kwdefaults__ or {})
        defaults.update((name, value) for name, value in values.items() if name in _FIELD_NAMES)
    return defaults


_MAPPABLE_FIELDS = frozenset(
    {
        "params",
        "email",
        "email_on_failure",
        "email_on_retry",
        "do_xcom_push",
        "multiple_outputs",
        "logger_name",
        "pre_execute",
        "post_execute",
        "render_template_as_native_obj",
    }
)
"""Arguments of BaseOperator that only the attempt uses, so that each instance can have its own."""
UNMAPPABLE = _FIELD_NAMES - _MAPPABLE_FIELDS
"""Arguments of BaseOperator that all instances of a task share: the scheduler uses them."""
_CLASS_ATTRIBUTES = frozenset(
    {
        "ui_color",
        "ui_fgcolor",
        "template_fields_renderers",
        "operator_extra_links",
        "overwrite_rtif_after_execution",
        "runs_code",
        "deps",
        "supports_lineage",
        "inherits_from_skipmixin",
        "custom_operator_name",
        "resume_execution",
    }
)
