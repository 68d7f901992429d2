"""BaseOperator: one task of a DAG, as its author writes it."""

from __future__ import annotations

import copy
import datetime as dt
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from gnomon.errors.authoring import TaskDeferralError, TaskDeferralTimeout, TaskDeferred
from gnomon.sdk import current, fields
from gnomon.sdk.dependency import DependencyMixin
from gnomon.sdk.graph import flat_relatives, relate
from gnomon.sdk.names import check_id
from gnomon.sdk.notset import NOTSET, ArgNotSet
from gnomon.sdk.operator_meta import OperatorMeta
from gnomon.sdk.params import ParamsDict
from gnomon.sdk.place import Place, at
from gnomon.sdk.setup_teardown import Scope, close_scope, open_scope
from gnomon.sdk.suggest import argument_hint
from gnomon.sdk.templated import Templated
from gnomon.sdk.xcom_arg import XComArg, mapping_refused, references

if TYPE_CHECKING:
    import logging

    from gnomon.model.after import After
    from gnomon.sdk.dag import DAG
    from gnomon.sdk.edges import EdgeModifier
    from gnomon.sdk.taskgroup import TaskGroup
    from gnomon.sdk.triggers import StartTriggerArgs

TRIGGER_FAIL = "__fail__"
"""`resume_execution` is called with this instead of a method when the wait brought no event; `error` says which."""
TRIGGER_TIMEOUT = "Trigger timeout"
TRIGGER_FAILURE = "Trigger failure"
Callback = Any
"""A function of the context, or a list of them."""


class BaseOperator(Templated, DependencyMixin, metaclass=OperatorMeta):
    """A task: subclass it and write `execute(context)`. All arguments: `sdk.fields.OPERATOR`."""

    template_fields: ClassVar[Collection[str]] = ()
    template_ext: ClassVar[Sequence[str]] = ()
    template_fields_renderers: ClassVar[dict[str, str]] = {}
    ui_color: str = "#fff"
    ui_fgcolor: str = "#000"
    operator_extra_links: Collection[Any] = ()
    shallow_copy_attrs: Sequence[str] = ()
    start_trigger_args: StartTriggerArgs | None = None
    """Given at the class, each task has a copy of its own from the beginning of its `__init__`."""
    start_from_trigger: bool = False
    overwrite_rtif_after_execution: bool = False
    runs_code: ClassVar[bool] = True
    """False on a class whose `execute` does nothing: without callbacks, inlets and outlets it costs no process."""
    supports_lineage = False
    deps: ClassVar[frozenset[Any]] = frozenset()

    task_id: str
    owner: str
    retries: int
    retry_delay: dt.timedelta
    start_date: dt.datetime | None
    end_date: dt.datetime | None
    execution_timeout: dt.timedelta | None
    params: ParamsDict
    do_xcom_push: bool
    _place: Place | None

    def __init__(
        self,
        task_id: str,
        *,
        owner: str | ArgNotSet = NOTSET,
        email: str | Iterable[str] | None = None,
        email_on_retry: bool = True,
        email_on_failure: bool = True,
        retries: int | ArgNotSet | None = NOTSET,
        retry_delay: dt.timedelta | float | ArgNotSet = NOTSET,
        retry_exponential_backoff: float | bool = 0,
        max_retry_delay: dt.timedelta | float | None = None,
        retry_policy: Any = None,
        start_date: dt.datetime | None = None,
        end_date: dt.datetime | None = None,
        depends_on_past: bool = False,
        ignore_first_depends_on_past: bool | ArgNotSet = NOTSET,
        wait_for_past_depends_before_skipping: bool = False,
        wait_for_downstream: bool = False,
        depends_on: After | Collection[After] | None = None,
        dag: DAG | None = None,
        params: Mapping[str, Any] | None = None,
        default_args: dict[str, Any] | None = None,
        priority_weight: int = 1,
        weight_rule: Any = NOTSET,
        queue: str | ArgNotSet = NOTSET,
        pool: str | None = "default_pool",
        pool_slots: int = 1,
        execution_timeout: dt.timedelta | ArgNotSet | None = NOTSET,
        on_execute_callback: Callback = None,
        on_failure_callback: Callback = None,
        on_success_callback: Callback = None,
        on_retry_callback: Callback = None,
        on_skipped_callback: Callback = None,
        pre_execute: Callable[[Any], Any] | None = None,
        post_execute: Callable[[Any, Any], Any] | None = None,
        trigger_rule: str = "all_success",
        resources: dict[str, Any] | None = None,
        run_as_user: str | None = None,
        map_index_template: str | None = None,
        max_active_tis_per_dag: int | None = None,
        max_active_tis_per_dagrun: int | None = None,
        executor: str | None = None,
        executor_config: dict[str, Any] | None = None,
        do_xcom_push: bool = True,
        multiple_outputs: bool = False,
        inlets: Any = None,
        outlets: Any = None,
        task_group: TaskGroup | None = None,
        doc: str | None = None,
        doc_md: str | None = None,
        doc_json: str | None = None,
        doc_yaml: str | None = None,
        doc_rst: str | None = None,
        task_display_name: str | None = None,
        logger_name: str | None = None,
        allow_nested_operators: bool = True,
        render_template_as_native_obj: bool | None = None,
        **kwargs: Any,
    ) -> None:
        given = locals()
        state = self.__dict__
        old = _old_spellings(self, task_id, kwargs, state.get("_defaults") or {})
        given.update(old)
        where = at(self._place)
        group = task_group if task_group is not None else current.current_group(dag or current.current_dag())
        dag = dag or (group.dag if group is not None else None) or current.current_dag()
        check_id("task_id", task_id, where)
        own = state.get("depends_on", NOTSET)  # of an author's class, which may call something else so
        try:
            fields.keep(fields.OPERATOR, state, given)
        except (TypeError, ValueError) as error:
            raise type(error)(f"Task {task_id!r}{where}: {error}.") from None
        state["_depends_on"] = state.pop("depends_on")
        if own is not NOTSET:
            state["depends_on"] = own
        for name in ("dag", "default_args", "pre_execute", "post_execute"):
            state.pop(name)
        if pre_execute is not None:
            state["_pre_execute_hook"] = pre_execute
        if post_execute is not None:
            state["_post_execute_hook"] = post_execute
        if wait_for_downstream:
            state["depends_on_past"] = True
        state["executor_config"] = executor_config or {}
        state["inlets"] = _listed(inlets)
        state["outlets"] = _listed(outlets)
        state["task_group"] = group
        state["params"] = self._own_params(dag, params)
        state["upstream_task_ids"] = set()
        state["downstream_task_ids"] = set()
        state["is_setup"] = state["is_teardown"] = state["on_failure_fail_dagrun"] = False
        state["_dag"] = None
        if group is not None:
            state["task_id"] = group.child_id(task_id)
        if dag is not None:
            dag.add_task(self)
        if group is not None:
            group.add(self)
        for scope in current.scopes()[-1:]:
            scope.tasks.append(self)
        _note_inert(self, given, old)

    def _own_params(self, dag: DAG | None, params: Mapping[str, Any] | None) -> ParamsDict:
        defaults = self.__dict__.get("_default_params")
        merged = ParamsDict(dag.params if dag is not None else None)
        merged.update(defaults or {})
        merged.update(params or {})
        return merged

    def __repr__(self) -> str:
        return f"<Task({self.task_type}): {self.task_id}>"

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
        state = self.__dict__
        # A copy that is being executed gets rendered values; it has no edges any more.
        if "_ready" in state and "_lock_for_execution" not in state and name in self.template_fields:
            self.connect_references([name])

    # Where it stands

    @property
    def dag(self) -> DAG:
        """The DAG it belongs to; RuntimeError when it was not given to one."""
        if self._dag is None:
            raise RuntimeError(
                f"Task {self.task_id!r}{at(self._place)} belongs to no DAG. "
                "Make it inside `with DAG(...):`, or give it dag=."
            )
        return self._dag

    @dag.setter
    def dag(self, dag: DAG | None) -> None:
        if dag is None:
            self.__dict__["_dag"] = None
            return
        if self.task_group is None:
            self.__dict__["task_group"] = dag.task_group
            dag.add_task(self)
            dag.task_group.add(self)
        else:
            dag.add_task(self)

    _dag: DAG | None = None
    _depends_on: tuple[After, ...] = ()
    task_group: TaskGroup | None = None

    def has_dag(self) -> bool:
        """Whether it belongs to a DAG."""
        return self._dag is not None

    def get_dag(self) -> DAG | None:
        """The DAG it belongs to, if any."""
        return self._dag

    @property
    def dag_id(self) -> str:
        """The id of its DAG; for a task without one, `adhoc_<owner>`."""
        return self._dag.dag_id if self._dag is not None else f"adhoc_{self.owner}"

    @property
    def node_id(self) -> str:
        """Its id among the nodes of a group."""
        return self.task_id

    @property
    def label(self) -> str:
        """Its id without the prefixes of its groups."""
        group = self.task_group
        if group is not None and group.node_id and group.prefix_group_id:
            return self.task_id[len(group.node_id) + 1 :]
        return self.task_id

    @property
    def task_type(self) -> str:
        """The name of its class."""
        return type(self).__name__

    @property
    def operator_name(self) -> str:
        """The class name that listings show."""
        return getattr(self, "custom_operator_name", None) or self.task_type

    @property
    def operator_class(self) -> type[BaseOperator]:
        """Its class."""
        return type(self)

    @property
    def is_mapped(self) -> bool:
        """False: dynamic task mapping comes later."""
        return False

    @property
    def inherits_from_empty_operator(self) -> bool:
        """Whether executing it does nothing."""
        return not self.runs_code

    @property
    def log(self) -> logging.Logger:
        """The logger of its class."""
        import logging  # not needed to write a DAG

        return logging.getLogger(self.logger_name or f"airflow.task.operators.{type(self).__module__}.{self.task_type}")

    logger_name: str | None = None

    # Edges

    @property
    def roots(self) -> Sequence[BaseOperator]:
        return [self]

    @property
    def leaves(self) -> Sequence[BaseOperator]:
        return [self]

    @property
    def upstream_list(self) -> list[BaseOperator]:
        """The tasks directly before it, by id."""
        return [self.dag.get_task(task_id) for task_id in sorted(self.upstream_task_ids)]

    @property
    def downstream_list(self) -> list[BaseOperator]:
        """The tasks directly after it, by id."""
        return [self.dag.get_task(task_id) for task_id in sorted(self.downstream_task_ids)]

    upstream_task_ids: set[str]
    downstream_task_ids: set[str]

    def get_direct_relative_ids(self, upstream: bool = False) -> set[str]:
        """The ids of the tasks directly after it, or before."""
        return self.upstream_task_ids if upstream else self.downstream_task_ids

    def get_direct_relatives(self, upstream: bool = False) -> list[BaseOperator]:
        """The tasks directly after it, or before."""
        return self.upstream_list if upstream else self.downstream_list

    def get_flat_relative_ids(self, upstream: bool = False) -> set[str]:
        """The ids of all tasks after it, at any distance, or before."""
        return flat_relatives(self.dag, self.task_id, upstream=upstream)

    def get_flat_relatives(self, upstream: bool = False) -> list[BaseOperator]:
        """All tasks after it, at any distance, or before; by id."""
        return [self.dag.get_task(task_id) for task_id in sorted(self.get_flat_relative_ids(upstream))]

    def set_upstream(self, other: Any, edge_modifier: EdgeModifier | None = None) -> None:
        relate(self, other, upstream=True, edge_modifier=edge_modifier)

    def set_downstream(self, other: Any, edge_modifier: EdgeModifier | None = None) -> None:
        relate(self, other, upstream=False, edge_modifier=edge_modifier)

    def connect_references(self, names: Iterable[str]) -> None:
        """The tasks whose values stand in these attributes come before this one."""
        for name in names:
            for task, _key in references(getattr(self, name, None)):
                if task is not self and task.task_id not in self.upstream_task_ids:
                    self.set_upstream(task)

    @property
    def output(self) -> XComArg:
        """What `execute` will return."""
        return XComArg(self)

    def add_inlets(self, inlets: Iterable[Any]) -> None:
        """It reads these as well."""
        self.inlets.extend(inlets)

    def add_outlets(self, outlets: Iterable[Any]) -> None:
        """It writes these as well."""
        self.outlets.extend(outlets)

    inlets: list[Any]
    outlets: list[Any]

    # Setup and teardown

    is_setup: bool
    is_teardown: bool
    on_failure_fail_dagrun: bool

    def as_setup(self) -> BaseOperator:
        """It is a setup task."""
        self.is_setup = True
        return self

    def as_teardown(self, *, setups: Any = None, on_failure_fail_dagrun: bool | None = None) -> BaseOperator:
        """It is a teardown task; these setups (marked as such) come directly before it."""
        self.is_teardown = True
        self.trigger_rule: Any = "all_done_setup_success"
        if on_failure_fail_dagrun is not None:
            self.on_failure_fail_dagrun = on_failure_fail_dagrun
        if setups is not None:
            for setup in setups if isinstance(setups, list | tuple | set) else [setups]:
                setup.as_setup()
                setup.set_downstream(self)
        return self

    def __enter__(self) -> Scope:
        """Tasks made inside run within this setup or before this teardown."""
        return open_scope(self)

    def __exit__(self, *exc: object) -> None:
        close_scope()

    # Running

    def execute(self, context: Any) -> Any:
        """The work; what it returns is pushed as an XCom. Subclasses write it."""
        raise NotImplementedError(
            f"{self.task_type} (task {self.task_id!r}) has no execute(). Write `def execute(self, context)` in the class."
        )

    def pre_execute(self, context: Any) -> None:
        """Runs right before `execute`."""
        hook = self.__dict__.get("_pre_execute_hook")
        if hook is not None:
            hook(context)

    def post_execute(self, context: Any, result: Any = None) -> None:
        """Runs right after `execute`, with what it returned."""
        hook = self.__dict__.get("_post_execute_hook")
        if hook is not None:
            hook(context, result)

    def on_kill(self) -> None:
        """Ends what `execute` started outside of its process, when the try is told to end."""

    def prepare_for_execution(self) -> BaseOperator:
        """A copy whose fields may be rendered without touching this one."""
        other = object.__new__(type(self))  # what copy.copy does, without its detour: every child process pays for it
        other.__dict__.update(self.__dict__, _lock_for_execution=True)
        return other

    def dry_run(self) -> None:
        """Logs the template fields as they are now."""
        for name in self.template_fields:
            self.log.info("%s: %r", name, getattr(self, name, None))

    def resume_execution(self, next_method: str, next_kwargs: dict[str, Any] | None, context: Any) -> Any:
        """Calls the method that a deferral named; raises when its wait brought no event."""
        kwargs = next_kwargs or {}
        if next_method == TRIGGER_FAIL:
            error = TaskDeferralTimeout if kwargs.get("error") == TRIGGER_TIMEOUT else TaskDeferralError
            raise error(kwargs.get("reason") or kwargs.get("error"))
        return getattr(self, next_method)(context, **kwargs)

    def defer(
        self, *, trigger: Any, method_name: str | None, kwargs: dict[str, Any] | None = None,
        timeout: dt.timedelta | float | None = None,
    ) -> NoReturn:
        """Leaves the worker; `method_name` goes on, in a new object, when the trigger fires: `(context, event, **kwargs)`.

        None: the event itself ends the task. `timeout`: the longest wait, a timedelta or seconds.
        """
        raise TaskDeferred(trigger=trigger, method_name=method_name, kwargs=kwargs, timeout=timeout)

    @staticmethod
    def xcom_pull(context: Any, **kwargs: Any) -> Any:
        """What tasks pushed: `ti.xcom_pull`."""
        return context["ti"].xcom_pull(**kwargs)

    @staticmethod
    def xcom_push(context: Any, key: str, value: Any) -> None:
        """Pushes a value: `ti.xcom_push`."""
        context["ti"].xcom_push(key=key, value=value)

    @classmethod
    def partial(cls, **kwargs: Any) -> NoReturn:
        """Refused: dynamic task mapping is not supported yet."""
        raise mapping_refused(f"{cls.__name__}.partial() for task {kwargs.get('task_id')!r}")

    def __deepcopy__(self, memo: dict[int, Any]) -> BaseOperator:
        other = copy.copy(self)
        memo[id(self)] = other
        for name, value in self.__dict__.items():
            shallow = name in self.shallow_copy_attrs or name in _SHARED
            other.__dict__[name] = value if shallow else copy.deepcopy(value, memo)
        return other


_SHARED = frozenset({"_place", "_dag", "task_group"})


def _listed(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple | set) else [value]


def _old_spellings(
    task: BaseOperator, task_id: Any, kwargs: dict[str, Any], defaults: Mapping[str, Any]
) -> dict[str, Any]:
    """Arguments of Airflow 2 under their present names; TypeError for what no version knows."""
    found: dict[str, Any] = {}
    for row in fields.OPERATOR:
        for old in row.spellings:
            if old in kwargs:
                found[row.name] = kwargs.pop(old)
            elif old in defaults:
                found[row.name] = defaults[old]
    for name in fields.IGNORED_BY_OPERATOR:
        if name in kwargs:
            found[name] = kwargs.pop(name)
    if kwargs:
        name = next(iter(kwargs))
        raise TypeError(
            f"{type(task).__name__} (task {task_id!r}){at(task._place)} does not take the argument {name}="
            f"{argument_hint(name, [row.name for row in fields.OPERATOR])}."
        )
    return found


def _note_inert(task: BaseOperator, given: dict[str, Any], old: Mapping[str, Any]) -> None:
    """Arguments without effect are named on the DAG."""
    dag = task.get_dag()
    if dag is None:
        return
    for row in fields.OPERATOR:
        if row.inert is not None and given[row.name] not in (None, False):
            dag.warn(f"Task {task.task_id!r}{at(task._place)}: {row.name}= {row.inert}.")
    for name, why in fields.IGNORED_BY_OPERATOR.items():
        if why and old.get(name) is not None:
            dag.warn(f"Task {task.task_id!r}{at(task._place)}: {name}= {why}.")


class BaseAsyncOperator(BaseOperator):
    """A task whose work is a coroutine: write `async def aexecute(context)`."""

    async def aexecute(self, context: Any) -> Any:
        """The work."""
        raise NotImplementedError(f"{self.task_type} (task {self.task_id!r}) has no aexecute().")

    def execute(self, context: Any) -> Any:
        """Runs `aexecute` to its end."""
        import asyncio  # only tasks of this kind need it

        return asyncio.run(self.aexecute(context))

