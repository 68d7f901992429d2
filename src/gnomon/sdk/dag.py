"""DAG: the tasks of one workflow and when they run, as its author writes it."""

from __future__ import annotations

import datetime as dt
import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from gnomon.errors.authoring import DuplicateTaskIdFound, TaskNotFound
from gnomon.sdk import current, fields, timezone, values
from gnomon.sdk.dag_copy import copy_dag
from gnomon.sdk.graph import roots_and_leaves, topological_order
from gnomon.sdk.names import check_id
from gnomon.sdk.notset import NOTSET, ArgNotSet
from gnomon.sdk.params import DagParam, ParamsDict
from gnomon.sdk.place import Place, at, here
from gnomon.sdk.schedule import runs_limit, timetable_of
from gnomon.sdk.suggest import argument_hint
from gnomon.sdk.taskgroup import TaskGroup

if TYPE_CHECKING:
    import jinja2

    from gnomon.model.after import After
    from gnomon.sdk.operator import BaseOperator

_SUFFIXED = re.compile(r"(.+)__(\d+)")


class DAG:
    """One workflow. Arguments: `sdk.fields.DAG`; those of Airflow 2 are taken under their old names too."""

    partial: bool = False
    dag_id: str
    description: str | None
    start_date: dt.datetime | None
    end_date: dt.datetime | None
    catchup: bool
    max_active_runs: int
    max_active_tasks: int
    fail_fast: bool
    auto_register: bool
    tags: set[str]
    depends_on: tuple[After, ...]
    template_undefined: type[jinja2.Undefined] | None
    template_searchpath: Any
    user_defined_macros: dict[str, Any] | None
    user_defined_filters: dict[str, Any] | None
    jinja_environment_kwargs: dict[str, Any] | None
    render_template_as_native_obj: bool
    schedule: Any

    def __init__(
        self,
        dag_id: str,
        description: str | None = None,
        schedule: Any = NOTSET,
        start_date: dt.datetime | None = None,
        end_date: dt.datetime | None = None,
        *,
        default_args: dict[str, Any] | None = None,
        template_searchpath: str | Iterable[str] | None = None,
        template_undefined: type[jinja2.Undefined] | None = None,
        user_defined_macros: dict[str, Any] | None = None,
        user_defined_filters: dict[str, Any] | None = None,
        max_active_tasks: int | ArgNotSet = NOTSET,
        max_active_runs: int | ArgNotSet = NOTSET,
        max_consecutive_failed_dag_runs: int | ArgNotSet = NOTSET,
        dagrun_timeout: dt.timedelta | float | None = None,
        deadline: Any = None,
        sla_miss_callback: Any = None,
        catchup: bool | ArgNotSet = NOTSET,
        catchup_window: dt.timedelta | float | None = None,
        misfire: str | None = None,
        overlap: str = "queue",
        jitter: dt.timedelta | float | None = None,
        depends_on: After | Collection[After] | None = None,
        on_success_callback: Any = None,
        on_failure_callback: Any = None,
        doc_md: str | None = None,
        params: Mapping[str, Any] | None = None,
        access_control: Any = None,
        is_paused_upon_creation: bool | None = None,
        jinja_environment_kwargs: dict[str, Any] | None = None,
        render_template_as_native_obj: bool = False,
        tags: Collection[str] | None = None,
        owner_links: dict[str, str] | None = None,
        auto_register: bool = True,
        fail_fast: bool = False,
        allowed_run_types: Any = None,
        dag_display_name: str | None = None,
        disable_bundle_versioning: bool | None = None,
        rerun_with_latest_version: bool | None = None,
        attempts_per_child: int | ArgNotSet = NOTSET,
        fresh_import: bool = False,
        **kwargs: Any,
    ) -> None:
        given = locals()
        self._place: Place | None = here()
        self.warnings: list[str] = []
        """What the author should know; shown beside the DAG."""
        where = at(self._place)
        check_id("dag_id", dag_id, where)
        _old_spellings(dag_id, kwargs, given, where)
        try:
            fields.keep(fields.DAG, self.__dict__, given)
            self._complete()
        except (TypeError, ValueError) as error:
            raise type(error)(f"DAG {dag_id!r}{where}: {error}") from None

    def _complete(self) -> None:
        """The arguments that depend on one another are settled."""
        state = self.__dict__
        state["fileloc"] = self._place.file if self._place else ""
        state["default_args"] = self._checked_default_args()
        state["params"] = ParamsDict(state["params"])
        given_params = self.default_args.pop("params", None)
        if given_params:
            self.params.update(given_params)
        state["owner_links"] = state["owner_links"] or {}
        state["dag_display_name"] = state["dag_display_name"] or self.dag_id
        self._settle_zone()
        state["timetable"] = timetable_of(self.schedule, self.timezone)
        limit = runs_limit(self.timetable)
        if limit is not None and self.max_active_runs > limit:
            raise ValueError(
                f"max_active_runs={self.max_active_runs} is more than its timetable allows; "
                f"give max_active_runs={limit}"
            )
        self.task_dict: dict[str, BaseOperator] = {}
        self.node_places: dict[str, Place | None] = {}
        self.edge_info: dict[str, dict[str, dict[str, str | None]]] = {}
        self._suffixes: dict[str, int] = {}
        self.task_group = TaskGroup.create_root(self)
        for row in fields.DAG:
            if row.inert is not None and state[row.name]:
                self.warn(f"{row.name}= {row.inert}.")

    default_args: dict[str, Any]
    params: ParamsDict
    timetable: Any
    timezone: dt.tzinfo
    fileloc: str
    dag_display_name: str

    def _checked_default_args(self) -> dict[str, Any]:
        args = dict(self.__dict__["default_args"] or {})
        for name in ("start_date", "end_date"):
            if args.get(name) is not None:
                args[name] = values.as_moment(f"default_args[{name!r}]", args[name])
        return args

    def _settle_zone(self) -> None:
        """Naive dates are in the installation's zone, which is said; the zone of the start is the DAG's."""
        default: dt.tzinfo | None = None
        for target, name in ((self.__dict__, "start_date"), (self.__dict__, "end_date"),
                             (self.default_args, "start_date"), (self.default_args, "end_date")):
            moment = target.get(name)
            if moment is None or moment.utcoffset() is not None:
                continue
            default = default or timezone.default_zone()
            target[name] = timezone.make_aware(moment, default)
            self.warn(
                f"{name} {moment.isoformat(sep=' ')} has no time zone and is read as {timezone.zone_name(default)} "
                f"([core] default_timezone). Write pendulum.datetime({moment.year}, {moment.month}, {moment.day}, "
                "tz='...') to be sure."
            )
        start = self.start_date or self.default_args.get("start_date")
        self.timezone = (start.tzinfo if start is not None else None) or timezone.default_zone()

    def warn(self, sentence: str) -> None:
        """The sentence is shown beside the DAG, once."""
        text = f"DAG {self.dag_id!r}{at(self._place)}: {sentence}"
        if text not in self.warnings:
            self.warnings.append(text)

    def __repr__(self) -> str:
        return f"<DAG: {self.dag_id}>"

    # Being open

    def __enter__(self) -> DAG:
        current.push_dag(self)
        current.push_group(self.task_group)
        return self

    def __exit__(self, *exc: object) -> None:
        current.pop_group()
        current.pop_dag()

    # Nodes

    def add_task(self, task: BaseOperator) -> None:
        """The task belongs to this DAG; DuplicateTaskIdFound when its id is taken."""
        task_id = task.task_id
        if self.task_dict.get(task_id) is task:
            return
        if task.has_dag():
            raise ValueError(f"Task {task_id!r}{at(task._place)} belongs to DAG {task.dag_id!r} already.")
        if task_id in self.node_places:
            raise DuplicateTaskIdFound(
                f"DAG {self.dag_id!r} has two nodes {task_id!r}: {self.where(task_id)} and the task{at(task._place)}. "
                "Give one of them another task_id."
            )
        task.__dict__["_dag"] = self
        self.task_dict[task_id] = task
        self.node_places[task_id] = task._place
        self._note_suffix(task_id)
        self._bound(task, "start_date", max)
        self._bound(task, "end_date", min)

    def _bound(self, task: BaseOperator, name: str, inner: Callable[[list[dt.datetime]], dt.datetime]) -> None:
        """A task begins no earlier than its DAG and ends no later, as in Airflow: outside, a run has no instance of it."""
        own, of_dag = task.__dict__[name], self.__dict__[name]
        if own is not None and own.utcoffset() is None:
            self.warn(f"Task {task.task_id!r}{at(task._place)}: {name} {own.isoformat(sep=' ')} has no time zone and "
                      "is read in [core] default_timezone.")
            own = timezone.make_aware(own)
        both = [moment for moment in (own, of_dag) if moment is not None]
        task.__dict__[name] = inner(both) if both else None

    def add_tasks(self, tasks: Iterable[BaseOperator]) -> None:
        """All of them belong to this DAG."""
        for task in tasks:
            self.add_task(task)

    def where(self, node_id: str) -> str:
        """What and where a node is, in words."""
        kind = "the task" if node_id in self.task_dict else "the task group"
        return f"{kind}{at(self.node_places.get(node_id))}"

    def _note_suffix(self, task_id: str) -> None:
        match = _SUFFIXED.fullmatch(task_id)
        if match:
            prefix, number = match[1], int(match[2])
            self._suffixes[prefix] = max(self._suffixes.get(prefix, 0), number)

    def free_id(self, group: TaskGroup, label: str) -> str:
        """The label itself when it is free in the group, else the label with the next `__1`, `__2`, ..."""
        if group.child_id(label) not in self.node_places:
            return label
        match = _SUFFIXED.fullmatch(label)
        label = match[1] if match else label
        prefix = group.child_id(label)
        number = self._suffixes.get(prefix, 0) + 1
        while f"{prefix}__{number}" in self.node_places:
            number += 1
        self._suffixes[prefix] = number
        return f"{label}__{number}"

    @property
    def tasks(self) -> list[BaseOperator]:
        """Its tasks, in the order of definition."""
        return list(self.task_dict.values())

    @property
    def task_ids(self) -> list[str]:
        """The ids of its tasks, in the order of definition."""
        return list(self.task_dict)

    def has_task(self, task_id: str) -> bool:
        """Whether it has a task of that id."""
        return task_id in self.task_dict

    def get_task(self, task_id: str) -> BaseOperator:
        """The task of that id; TaskNotFound when there is none."""
        try:
            return self.task_dict[task_id]
        except KeyError:
            raise TaskNotFound(f"DAG {self.dag_id!r} has no task {task_id!r}.") from None

    @property
    def task_group_dict(self) -> dict[str | None, TaskGroup]:
        """Group id to group."""
        return {key: group for key, group in self.task_group.get_task_group_dict().items() if key is not None}

    @property
    def roots(self) -> list[BaseOperator]:
        """Its tasks with nothing before them."""
        return roots_and_leaves(self.tasks, leaves=False)

    @property
    def leaves(self) -> list[BaseOperator]:
        """Its tasks with nothing after them."""
        return roots_and_leaves(self.tasks, leaves=True)

    @property
    def teardowns(self) -> list[BaseOperator]:
        """Its teardown tasks."""
        return [task for task in self.tasks if task.is_teardown]

    @property
    def owner(self) -> str:
        """The owners of its tasks, sorted, joined by `, `."""
        return ", ".join(sorted({str(task.owner) for task in self.tasks if task.owner}))

    def topological_sort(self) -> tuple[BaseOperator, ...]:
        """Every task after all that come before it."""
        return tuple(topological_order(self.task_dict, self.dag_id))

    def check_cycle(self) -> None:
        """Passes when no tasks wait for one another in a circle; AirflowDagCycleException otherwise."""
        topological_order(self.task_dict, self.dag_id)

    def set_dependency(self, upstream_task_id: str, downstream_task_id: str) -> None:
        """The second task comes directly after the first."""
        self.get_task(upstream_task_id).set_downstream(self.get_task(downstream_task_id))

    def get_edge_info(self, upstream_task_id: str, downstream_task_id: str) -> dict[str, str | None]:
        """What is noted about an edge (`label`)."""
        return self.edge_info.get(upstream_task_id, {}).get(downstream_task_id, {})

    def set_edge_info(self, upstream_task_id: str, downstream_task_id: str, info: dict[str, str | None]) -> None:
        """This is noted about an edge."""
        self.edge_info.setdefault(upstream_task_id, {})[downstream_task_id] = info

    # Params and templates

    def param(self, name: str, default: Any = NOTSET) -> DagParam:
        """The value of a param in the run, to hand to a task."""
        return DagParam(self, name, default)

    @property
    def task(self) -> Any:
        """`@dag.task`: the task decorators, for tasks of this DAG."""
        from gnomon.sdk.decorators import TaskDecorators  # decorators know DAGs, not the other way round

        return TaskDecorators(dag=self)

    @property
    def folder(self) -> str:
        """The folder of the file that defines it."""
        return os.path.dirname(self.fileloc)

    @property
    def filepath(self) -> str:
        """The file that defines it."""
        return self.fileloc

    def template_folders(self) -> list[str]:
        """Where template files are looked for: beside the DAG file, then in template_searchpath."""
        paths = self.template_searchpath or ()
        return [self.folder, *([paths] if isinstance(paths, str) else map(str, paths))]

    def get_template_env(self, *, force_sandboxed: bool = False) -> jinja2.Environment:
        """The Jinja environment of its tasks."""
        from gnomon.sdk import template  # Jinja is loaded when something is rendered
        from gnomon.sdk.templated import Templated

        owner: Any = Templated()
        owner.render_template_as_native_obj = False if force_sandboxed else None
        return template.environment_for(owner, self)

    def resolve_template_files(self) -> None:
        """Fields of its tasks that name a template file hold its content."""
        for task in self.tasks:
            task.resolve_template_files()

    def validate(self) -> None:
        """Passes when it can be scheduled as written; see `sdk.build`."""
        from gnomon.sdk.check import check_dag  # not needed to write a DAG

        check_dag(self)

    # Names of Airflow 2

    @property
    def schedule_interval(self) -> Any:
        """What was given as `schedule`."""
        return self.schedule

    @property
    def concurrency(self) -> int:
        """`max_active_tasks`."""
        return self.max_active_tasks

    @property
    def fail_stop(self) -> bool:
        """`fail_fast`."""
        return self.fail_fast

    __deepcopy__ = copy_dag

    def test(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the DAG once in the foreground, as `gnomon dags test` does."""
        return run_in_foreground(self, *args, **kwargs)

    def cli(self) -> Any:
        """Refused: use the `gnomon` command."""
        raise NotImplementedError("dag.cli() is gone; use `gnomon dags test FILE` on the command line, or dag.test().")


def run_in_foreground(dag: DAG, *args: Any, **kwargs: Any) -> Any:
    """What `dag.test()` does: the installed runner is called; without one, RuntimeError says what to do."""
    if _foreground is None:
        raise RuntimeError(f"dag.test() needs a runner. Run `gnomon dags test {dag.fileloc or dag.dag_id}` instead.")
    return _foreground(dag, *args, **kwargs)


_foreground: Any = None


def set_foreground(runner: Any) -> None:
    """`dag.test()` calls `runner(dag, **arguments)` from now on."""
    global _foreground
    _foreground = runner


def _old_spellings(dag_id: str, kwargs: dict[str, Any], given: dict[str, Any], where: str) -> None:
    """Arguments of Airflow 2 stand under their present names; TypeError for what no version knows."""
    for row in fields.DAG:
        for old in row.spellings:
            if old not in kwargs:
                continue
            value = kwargs.pop(old)
            if value is NOTSET:
                continue
            if given[row.name] is not NOTSET and given[row.name] != row.default:
                raise TypeError(f"DAG {dag_id!r}{where}: {old}= and {row.name}= say the same thing; give one of them.")
            given[row.name] = value
    for name in fields.IGNORED_BY_DAG:
        kwargs.pop(name, None)
    if kwargs:
        name = next(iter(kwargs))
        raise TypeError(
            f"DAG {dag_id!r}{where}: there is no argument {name}={argument_hint(name, [row.name for row in fields.DAG])}."
        )


def __getattr__(name: str) -> Any:
    """`dag`, the decorator, stands beside the class; its module imports this one."""
    if name == "dag":
        from gnomon.sdk.dag_decorator import dag

        return dag
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
