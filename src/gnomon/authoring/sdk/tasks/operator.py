"""BaseOperator: the class of a task."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from gnomon.authoring.sdk.arguments.code_location import CodeLocation, format_location
from gnomon.authoring.sdk.arguments.converters import check_id
from gnomon.authoring.sdk.arguments.notset import NOTSET, ArgNotSet
from gnomon.authoring.sdk.arguments.params import ParamsDict, merge_params
from gnomon.authoring.sdk.mapping.operator_partial import PartialMethod
from gnomon.authoring.sdk.members.operator_meta import OperatorMeta
from gnomon.authoring.sdk.members.task_execution import TaskExecution
from gnomon.authoring.sdk.members.task_membership import TaskMembership, join_dag
from gnomon.authoring.sdk.members.task_relations import TaskRelations
from gnomon.authoring.sdk.nodes import authoring_state
from gnomon.authoring.sdk.nodes.dag_copy import copy_task
from gnomon.authoring.sdk.nodes.node_equality import TASK_PARTS, are_equal
from gnomon.authoring.sdk.signatures.old_arguments import (
    Callback,
    TaskArguments,
    listed_template_fields,
    rename_old_task_arguments,
    store_task_arguments,
    warn_no_effect,
)
from gnomon.model.errors.authoring import ParamValidationError

if TYPE_CHECKING:
    from gnomon.authoring.sdk.deferral.triggers import StartTriggerArgs
    from gnomon.authoring.sdk.nodes.node_types import DagNode, GroupNode
    from gnomon.model.after import After


class BaseOperator(TaskArguments, TaskMembership, TaskExecution, TaskRelations, metaclass=OperatorMeta):
    """A task of a DAG. A subclass defines `execute(context)`. `sdk.arguments.fields.OPERATOR_FIELDS` describes the arguments.

    Raises TypeError or ValueError, with the task and its line, for an argument that is not valid.
    """

    template_fields: ClassVar[Collection[str]] = ()
    template_ext: ClassVar[Sequence[str]] = ()
    template_fields_renderers: ClassVar[dict[str, str]] = {}
    ui_color: str = "#fff"
    ui_fgcolor: str = "#000"
    operator_extra_links: Collection[Any] = ()
    shallow_copy_attrs: Sequence[str] = ()
    start_trigger_args: StartTriggerArgs | None = None
    """Set on the class; each task gets its own copy at the beginning of `__init__`."""
    start_from_trigger: bool = False
    overwrite_rtif_after_execution: bool = False
    runs_code: ClassVar[bool] = True
    """False on a class whose `execute` does nothing. A task of it without callbacks needs no process."""
    supports_lineage = False
    returns_dag_result: bool = False
    """Whether what the task returns is a result of its run (`DAG.add_result`, `@result`)."""
    deps: ClassVar[frozenset[Any]] = frozenset()

    _location: CodeLocation | None
    _depends_on: tuple[After, ...] = ()

    def __init__(
        self,
        task_id: str,
        *,
        owner: str | ArgNotSet = NOTSET,
        email: str | Iterable[str] | None = None,
        email_on_retry: bool | ArgNotSet = NOTSET,
        email_on_failure: bool | ArgNotSet = NOTSET,
        retries: int | ArgNotSet | None = NOTSET,
        retry_delay: dt.timedelta | float | ArgNotSet = NOTSET,
        retry_exponential_backoff: float | bool = 0,
        max_retry_delay: dt.timedelta | float | None = None,
        retry_policy: Any = None,
        restartable: bool | ArgNotSet = NOTSET,
        start_date: dt.datetime | None = None,
        end_date: dt.datetime | None = None,
        depends_on_past: bool = False,
        ignore_first_depends_on_past: bool | ArgNotSet = NOTSET,
        wait_for_past_depends_before_skipping: bool = False,
        wait_for_downstream: bool = False,
        depends_on: After | Collection[After] | None = None,
        dag: DagNode | None = None,
        params: Mapping[str, Any] | None = None,
        default_args: dict[str, Any] | None = None,
        priority_weight: int = 1,
        weight_rule: Any = NOTSET,
        queue: str | ArgNotSet = NOTSET,
        pool: str | None = "default_pool",
        pool_slots: int = 1,
        execution_timeout: dt.timedelta | ArgNotSet | None = NOTSET,
        expected_duration: dt.timedelta | float | None = None,
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
        task_group: GroupNode | None = None,
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
        old = rename_old_task_arguments(self, task_id, kwargs)
        group = (
            task_group
            if task_group is not None
            else authoring_state.current_group(dag or authoring_state.current_dag())
        )
        dag = dag or (group.dag if group is not None else None) or authoring_state.current_dag()
        check_id("task_id", task_id, format_location(self._location))
        store_task_arguments(
            self,
            old,
            task_id=task_id,
            owner=owner,
            email=email,
            email_on_retry=email_on_retry,
            email_on_failure=email_on_failure,
            retries=retries,
            retry_delay=retry_delay,
            retry_exponential_backoff=retry_exponential_backoff,
            max_retry_delay=max_retry_delay,
            retry_policy=retry_policy,
            restartable=restartable,
            start_date=start_date,
            end_date=end_date,
            depends_on_past=depends_on_past,
            ignore_first_depends_on_past=ignore_first_depends_on_past,
            wait_for_past_depends_before_skipping=wait_for_past_depends_before_skipping,
            wait_for_downstream=wait_for_downstream,
            depends_on=depends_on,
            dag=dag,
            params=params,
            default_args=default_args,
            priority_weight=priority_weight,
            weight_rule=weight_rule,
            queue=queue,
            pool=pool,
            pool_slots=pool_slots,
            execution_timeout=execution_timeout,
            expected_duration=expected_duration,
            on_execute_callback=on_execute_callback,
            on_failure_callback=on_failure_callback,
            on_success_callback=on_success_callback,
            on_retry_callback=on_retry_callback,
            on_skipped_callback=on_skipped_callback,
            pre_execute=pre_execute,
            post_execute=post_execute,
            trigger_rule=trigger_rule,
            resources=resources,
            run_as_user=run_as_user,
            map_index_template=map_index_template,
            max_active_tis_per_dag=max_active_tis_per_dag,
            max_active_tis_per_dagrun=max_active_tis_per_dagrun,
            executor=executor,
            executor_config=executor_config,
            do_xcom_push=do_xcom_push,
            multiple_outputs=multiple_outputs,
            inlets=inlets,
            outlets=outlets,
            task_group=task_group,
            doc=doc,
            doc_md=doc_md,
            doc_json=doc_json,
            doc_yaml=doc_yaml,
            doc_rst=doc_rst,
            task_display_name=task_display_name,
            logger_name=logger_name,
            allow_nested_operators=allow_nested_operators,
            render_template_as_native_obj=render_template_as_native_obj,
        )
        state = self.__dict__
        state["task_group"] = group
        state["params"] = self._merge_params(dag, params)
        state["upstream_task_ids"] = set()
        state["downstream_task_ids"] = set()
        state["is_setup"] = state["is_teardown"] = state["on_failure_fail_dagrun"] = False
        state["_dag"] = None
        if (
            "_mapped_from" in state
        ):  # the task of one map index: the mapped task itself is in the DAG, and task_id is complete
            state["_dag"] = dag
        else:
            state["task_id"] = (
                task_id
                if group is None
                else check_id("task_id", group.child_id(task_id), format_location(self._location))
            )
            join_dag(self, dag, group)
            warn_no_effect(self, old)
        if isinstance(self.template_fields, str):
            state["template_fields"] = listed_template_fields(self, self.template_fields)

    def _merge_params(self, dag: DagNode | None, params: Mapping[str, Any] | None) -> ParamsDict:
        defaults = self.__dict__.get("_default_params")
        try:
            merged = merge_params(dag.params if dag is not None else None, defaults, params)
        except ParamValidationError as error:
            raise ParamValidationError(f"Task {self.task_id!r}{format_location(self._location)}: {error}") from None
        if defaults or params:
            merged.set_source("task", {*(defaults or ()), *(params or ())})
        return merged

    def __repr__(self) -> str:
        return f"<Task({self.task_type}): {self.task_id}>"

    def __eq__(self, other: object) -> bool:
        return are_equal(self, other, TASK_PARTS)

    def __hash__(self) -> int:
        return hash((type(self), self.__dict__.get("task_id")))

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "on_failure_fail_dagrun" and value and not self.is_teardown:
            raise ValueError(f"Cannot set on_failure_fail_dagrun of task {self.task_id!r}: it is not a teardown task.")
        object.__setattr__(self, name, value)
        state = self.__dict__
        # A copy that is executed gets rendered values and makes no edges.
        if "_ready" in state and "_lock_for_execution" not in state and name in self.template_fields:
            self.connect_references([name])

    if TYPE_CHECKING:  # TaskRelations has the same members, typed as TaskNode

        @property
        def upstream_list(self) -> list[BaseOperator]: ...
        @property
        def downstream_list(self) -> list[BaseOperator]: ...
        def get_direct_relatives(self, upstream: bool = False) -> list[BaseOperator]: ...
        def get_flat_relatives(self, upstream: bool = False, depth: int | None = None) -> list[BaseOperator]: ...

    @property
    def operator_name(self) -> str:
        """The name of the operator in listings: `custom_operator_name`, or the class name."""
        return getattr(self, "custom_operator_name", None) or self.task_type

    @property
    def operator_class(self) -> type[BaseOperator]:
        """The class of the task."""
        return type(self)

    @property
    def is_mapped(self) -> bool:
        """False; True for a MappedOperator."""
        return False

    @property
    def inherits_from_empty_operator(self) -> bool:
        """Whether `execute` of the class does nothing."""
        return not self.runs_code

    partial = PartialMethod()

    __deepcopy__ = copy_task


class BaseAsyncOperator(BaseOperator):
    """A task whose work is a coroutine. A subclass defines `async def aexecute(context)`."""

    async def aexecute(self, context: Any) -> Any:
        """Do the work of the task. Subclasses override it."""
        raise NotImplementedError(f"{self.task_type} (task {self.task_id!r}) has no aexecute().")

    def execute(self, context: Any) -> Any:
        """Run `aexecute` in a new event loop and return its result."""
        import asyncio  # only tasks of this kind need it

        return asyncio.run(self.aexecute(context))
