"""DAG: the tasks of one workflow and when they run, as its author writes it."""

from __future__ import annotations

import datetime as dt
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.authoring.sdk.arguments import converters, timezone
from gnomon.authoring.sdk.arguments.airflow_dialects import AIRFLOW_2, AirflowDialect, find_dialect
from gnomon.authoring.sdk.arguments.code_location import CodeLocation, find_author_location, format_location
from gnomon.authoring.sdk.arguments.converters import check_id
from gnomon.authoring.sdk.arguments.notset import NOTSET, ArgNotSet
from gnomon.authoring.sdk.arguments.params import DagParam, ParamsDict
from gnomon.authoring.sdk.arguments.run_types import check_run_types
from gnomon.authoring.sdk.dags.dag_nodes import DagNodes
from gnomon.authoring.sdk.members.task_group import TaskGroup
from gnomon.authoring.sdk.nodes import authoring_state
from gnomon.authoring.sdk.nodes.dag_copy import copy_dag
from gnomon.authoring.sdk.nodes.foreground_runner import explain_missing_attribute, find_query, run_in_foreground
from gnomon.authoring.sdk.nodes.node_equality import DAG_PARTS, are_equal
from gnomon.authoring.sdk.schedules.schedule_argument import parse_schedule, read_active_runs_limit
from gnomon.authoring.sdk.signatures import fields
from gnomon.authoring.sdk.signatures.old_arguments import suggest_dag_argument
from gnomon.model.errors.authoring import ParamValidationError
from gnomon.model.unchecked_sentences import say_unchecked

if TYPE_CHECKING:
    import jinja2

    from gnomon.model.after import After
    from gnomon.model.sentences import Sentence
    from gnomon.model.slots import DagRunInfo

_ARGUMENTS = fields.Arguments(fields.DAG_FIELDS)


class DAG(DagNodes):
    """One workflow. `sdk.arguments.fields.DAG_FIELDS` describes the arguments; the names of Airflow 2 are accepted too.

    Raises TypeError or ValueError, with the DAG and its line, for an argument that is not valid.
    """

    partial: bool = False

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
        alerts: Any = None,
        baselines: Any = None,
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
        disable_bundle_versioning: bool | ArgNotSet | None = NOTSET,
        rerun_with_latest_version: bool | ArgNotSet | None = NOTSET,
        attempts_per_child: int | ArgNotSet = NOTSET,
        fresh_import: bool = False,
        **kwargs: Any,
    ) -> None:
        self._location: CodeLocation | None = find_author_location()
        self.warning_sentences: list[Sentence] = []
        """Warnings for the author; `gnomon dags list` and `show` print them."""
        where = format_location(self._location)
        check_id("dag_id", dag_id, where)
        self.airflow_dialect: AirflowDialect = find_dialect(
            name for name in fields.AIRFLOW_2_ARGUMENTS if kwargs.get(name, NOTSET) is not NOTSET
        )
        """The version of Airflow whose defaults the DAG follows."""
        old = rename_old_dag_arguments(
            dag_id, where, kwargs, schedule=schedule, max_active_tasks=max_active_tasks, fail_fast=fail_fast
        )
        checked = _ARGUMENTS.kept
        try:
            self.dag_id: str = dag_id
            self.description: str | None = checked("description", description)
            self.schedule: Any = checked("schedule", self.airflow_dialect.fill_schedule(old["schedule"]))
            self.start_date: dt.datetime | None = checked("start_date", start_date)
            self.end_date: dt.datetime | None = checked("end_date", end_date)
            self.default_args: dict[str, Any] = _checked_default_args(checked("default_args", default_args))
            self.template_searchpath: str | Iterable[str] | None = checked("template_searchpath", template_searchpath)
            self.template_undefined: type[jinja2.Undefined] | None = checked("template_undefined", template_undefined)
            self.user_defined_macros: dict[str, Any] | None = checked("user_defined_macros", user_defined_macros)
            self.user_defined_filters: dict[str, Any] | None = checked("user_defined_filters", user_defined_filters)
            self.max_active_tasks: int = checked("max_active_tasks", old["max_active_tasks"])
            self.max_active_runs: int = checked("max_active_runs", max_active_runs)
            self.max_consecutive_failed_dag_runs: int = checked(
                "max_consecutive_failed_dag_runs", max_consecutive_failed_dag_runs
            )
            self.dagrun_timeout: dt.timedelta | None = checked("dagrun_timeout", dagrun_timeout)
            self.deadline: Any = checked("deadline", deadline)
            self.alerts: Any = checked("alerts", alerts)
            self.baselines: Any = checked("baselines", baselines)
            self.sla_miss_callback: Any = checked("sla_miss_callback", sla_miss_callback)
            self.catchup: bool = checked("catchup", self.airflow_dialect.fill_catchup(catchup))
            self.catchup_window: dt.timedelta | None = checked("catchup_window", catchup_window)
            self.misfire: str | None = checked("misfire", misfire)
            self.overlap: str = checked("overlap", overlap)
            self.jitter: dt.timedelta | None = checked("jitter", jitter)
            self.depends_on: tuple[After, ...] = checked("depends_on", depends_on)
            self.on_success_callback: Any = checked("on_success_callback", on_success_callback)
            self.on_failure_callback: Any = checked("on_failure_callback", on_failure_callback)
            self.doc_md: str | None = checked("doc_md", doc_md)
            self.params: ParamsDict = ParamsDict(checked("params", params))
            self.params._fill_missing_param_source("dag")
            self.access_control: Any = checked("access_control", access_control)
            self.is_paused_upon_creation: bool | None = checked("is_paused_upon_creation", is_paused_upon_creation)
            self.jinja_environment_kwargs: dict[str, Any] | None = checked(
                "jinja_environment_kwargs", jinja_environment_kwargs
            )
            self.render_template_as_native_obj: bool = checked(
                "render_template_as_native_obj", render_template_as_native_obj
            )
            self.tags: set[str] = checked("tags", tags)
            self.owner_links: dict[str, str] = converters.as_links(
                "owner_links", checked("owner_links", owner_links) or {}
            )
            self.auto_register: bool = checked("auto_register", auto_register)
            self.fail_fast: bool = checked("fail_fast", old["fail_fast"])
            self.allowed_run_types: Any = checked("allowed_run_types", allowed_run_types)
            self.dag_display_name: str = checked("dag_display_name", dag_display_name) or dag_id
            self.disable_bundle_versioning: bool = checked(
                "disable_bundle_versioning", NOTSET if disable_bundle_versioning is None else disable_bundle_versioning
            )
            self.rerun_with_latest_version: bool | None = checked(
                "rerun_with_latest_version", NOTSET if rerun_with_latest_version is None else rerun_with_latest_version
            )
            self.attempts_per_child: int = checked("attempts_per_child", attempts_per_child)
            self.fresh_import: bool = checked("fresh_import", fresh_import)
            self._resolve_arguments(_find_text_ends(end_date, default_args))
            sentence = self.airflow_dialect.describe_differences(old["schedule"], self.timetable, catchup)
            if sentence is not None:
                self.warn(sentence)
        except (TypeError, ValueError, ParamValidationError) as error:
            raise type(error)(f"DAG {dag_id!r}{where}: {error}") from None

    def _resolve_arguments(self, text_ends: Collection[str]) -> None:
        """Compute the attributes that depend on several arguments, and warn about arguments without effect."""
        self.fileloc: str = self._location.file if self._location else ""
        given_params = converters.as_named_values("default_args['params']", self.default_args.pop("params", None))
        if given_params:
            self.params.update(given_params)
        self._zone: dt.tzinfo = self._resolve_timezone(text_ends)
        if (
            "start_date" in text_ends or self.airflow_dialect.number != AIRFLOW_2
        ):  # Airflow 2: of default_args, only a text
            self.start_date = self.start_date or self.default_args.get("start_date")
        self.timetable: Any = parse_schedule(self.schedule, self._zone, self.airflow_dialect)
        limit = read_active_runs_limit(self.timetable)
        if limit is not None and self.max_active_runs > limit:
            raise ValueError(
                f"max_active_runs={self.max_active_runs} is more than its timetable allows; "
                f"give max_active_runs={limit}"
            )
        check_run_types(self.allowed_run_types, self.timetable)
        self.task_dict = {}
        self.node_locations = {}
        self.edge_info = {}
        self._suffixes = {}
        self.task_group = TaskGroup.create_root(self)
        for sentence in fields.iter_without_effect(fields.DAG_FIELDS, self.__dict__):
            self.warn(sentence)

    def _resolve_timezone(self, text_ends: Collection[str]) -> dt.tzinfo:
        """Return the zone of the start date; give naive dates the zone of the installation and warn about each.

        An end date that was given as text (`text_ends`) is read in the zone of the start date, as in Airflow.
        """
        default: dt.tzinfo | None = None
        for target, name in (
            (self.__dict__, "start_date"),
            (self.default_args, "start_date"),
            (self.__dict__, "end_date"),
            (self.default_args, "end_date"),
        ):
            moment = target.get(name)
            if moment is None or moment.utcoffset() is not None:
                continue
            start = self.start_date or self.default_args.get("start_date")
            if (
                name == "end_date"
                and start is not None
                and ("default_args" if target is self.default_args else "end_date") in text_ends
            ):
                target[name] = timezone.make_aware(moment, start.tzinfo)
                continue
            default = default or timezone.default_zone()
            target[name] = timezone.make_aware(moment, default)
            self.warn(
                say_unchecked(
                    "date_has_no_time_zone",
                    name=name,
                    value=moment.isoformat(sep=" "),
                    zone=timezone.zone_name(default),
                    example=f"{moment.year}, {moment.month}, {moment.day}",
                )
            )
        start = self.start_date or self.default_args.get("start_date")
        return (start.tzinfo if start is not None else None) or timezone.default_zone()

    def warn(self, sentence: Sentence) -> None:
        """Add a warning to the DAG, unless the DAG has the same warning."""
        place = format_location(self._location)
        warning = say_unchecked("warning_of_dag", dag=self.dag_id, place=place, message=sentence)
        if warning not in self.warning_sentences:
            self.warning_sentences.append(warning)

    @property
    def warnings(self) -> list[str]:
        """The warnings in English."""
        from gnomon.model.sentences import (
            render,  # needs the whole catalogue: whoever loads the file for a task reads no warning
        )

        return list(map(render, self.warning_sentences))

    def __repr__(self) -> str:
        return f"<DAG: {self.dag_id}>"

    def __eq__(self, other: object) -> bool:
        return are_equal(self, other, DAG_PARTS)

    def __hash__(self) -> int:
        return hash((type(self), self.dag_id))

    def __lt__(self, other: DAG) -> bool:
        return self.dag_id < other.dag_id

    # `with DAG(...):`

    def __enter__(self) -> DAG:
        authoring_state.push_dag(self)
        authoring_state.push_group(self.task_group)
        return self

    def __exit__(self, *exc: object) -> None:
        authoring_state.pop_group()
        authoring_state.pop_dag()

    # Params and templates

    def param(self, name: str, default: Any = NOTSET) -> DagParam:
        """Return a reference to the value that a param has in the run, as an argument for a task. Raises ParamValidationError for a default that is not valid."""
        try:
            return DagParam(self, name, default)
        except ParamValidationError as error:
            raise ParamValidationError(f"DAG {self.dag_id!r}{format_location(self._location)}: {error}") from None

    @property
    def task(self) -> Any:
        """`@dag.task`: the decorators of `@task` for tasks of this DAG."""
        from gnomon.authoring.sdk.tasks.task_decorators import TaskDecorators  # only `@dag.task` needs them

        return TaskDecorators(dag=self)

    @property
    def timezone(self) -> Any:
        """The time zone of the schedule, as pendulum's class: that of the start date, else of the installation."""
        return timezone.pendulum_zone(self._zone)

    @property
    def code_location(self) -> CodeLocation | None:
        """The line of the author's file that made the DAG."""
        return self._location

    @property
    def folder(self) -> str:
        """The folder of the file that defines the DAG."""
        return os.path.dirname(self.fileloc)

    @property
    def filepath(self) -> str:
        """The file that defines the DAG."""
        return self.fileloc

    def template_folders(self) -> list[str]:
        """Return the folders of template files: the folder of the DAG file, then template_searchpath."""
        paths = self.template_searchpath or ()
        return [self.folder, *([paths] if isinstance(paths, str) else map(str, paths))]

    def get_template_env(self, *, force_sandboxed: bool = False) -> jinja2.Environment:
        """Return the Jinja environment of the tasks."""
        from gnomon.authoring.sdk.templating import rendering  # Jinja is loaded when something is rendered
        from gnomon.authoring.sdk.templating.templater import Templater

        owner: Any = Templater()
        owner.render_template_as_native_obj = False if force_sandboxed else None
        return rendering.get_environment(owner, self)

    def resolve_template_files(self) -> None:
        """Replace each template field that names a template file by the content of the file, in every task."""
        for task in self.tasks:
            task.resolve_template_files()

    def validate(self) -> None:
        """Check that the DAG can be scheduled as written; `sdk.dags.dag_checks.check_dag` says what it raises."""
        from gnomon.authoring.sdk.dags.dag_checks import check_dag  # not needed to write a DAG

        check_dag(self)

    def iter_dagrun_infos_between(
        self, earliest: dt.datetime | None, latest: dt.datetime, *, align: bool = True
    ) -> Iterator[DagRunInfo]:
        """Return the runs of its timetable from `earliest` (default: the first start date) to `latest`; see `iterate_run_infos`.

        Raises ValueError when `earliest` is None and there is no start date.
        """
        from gnomon.authoring.sdk.nodes.run_infos import find_earliest, iterate_run_infos  # not needed to write a DAG

        return iterate_run_infos(
            self, self.timetable, find_earliest(self) if earliest is None else earliest, latest, align=align
        )

    # Names of Airflow 2

    @property
    def schedule_interval(self) -> Any:
        """The argument `schedule`."""
        return self.schedule

    @property
    def concurrency(self) -> int:
        """`max_active_tasks`."""
        return self.max_active_tasks

    @property
    def fail_stop(self) -> bool:
        """`fail_fast`."""
        return self.fail_fast

    orientation = "LR"
    default_view = "grid"
    pickle_id = parent_dag = None
    is_subdag = False

    @property
    def safe_dag_id(self) -> str:
        """The id with `__dot__` in place of dots."""
        return self.dag_id.replace(".", "__dot__")

    @property
    def has_on_success_callback(self) -> bool:
        return bool(self.on_success_callback)

    @property
    def has_on_failure_callback(self) -> bool:
        return bool(self.on_failure_callback)

    @property
    def normalized_schedule_interval(self) -> Any:
        """The argument `schedule`, a preset such as `@daily` as cron; None for a timetable, and for `@once`."""
        if self.schedule == "@once" or hasattr(self.schedule, "next_dagrun_info"):
            return None
        from gnomon.rules.timetables.cron.cron_fields import CRON_PRESETS  # not needed to write a DAG

        return CRON_PRESETS.get(self.schedule, self.schedule) if isinstance(self.schedule, str) else self.schedule

    @property
    def full_filepath(self) -> str:
        """The file that defines the DAG."""
        return self.fileloc

    @property
    def relative_fileloc(self) -> Path:
        """The file that defines the DAG, relative to the DAG folder if it is there."""
        from gnomon.ground.config import current_config  # not needed to write a DAG

        path = Path(self.fileloc)
        folder = current_config().dags_folder
        return path.relative_to(folder) if path.is_relative_to(folder) else path

    @property
    def task_count(self) -> int:
        """The number of tasks."""
        return len(self.task_dict)

    def sub_dag(self, *args: Any, **kwargs: Any) -> DAG:
        """Return a part of the DAG: `partial_subset` under its name in Airflow 1."""
        return self.partial_subset(*args, **kwargs)

    def following_schedule(self, dttm: dt.datetime) -> dt.datetime | None:
        """Return the logical date of the run after the one of `dttm`; None when there is none."""
        from gnomon.authoring.sdk.nodes.run_infos import find_following  # not needed to write a DAG

        return find_following(self.timetable, dttm)

    def previous_schedule(self, dttm: dt.datetime) -> dt.datetime | None:
        """Return the logical date of the run before the one of `dttm`; None when there is none."""
        from gnomon.authoring.sdk.nodes.run_infos import find_preceding  # not needed to write a DAG

        return find_preceding(self.timetable, dttm)

    def get_run_dates(self, start_date: dt.datetime, end_date: dt.datetime | None = None) -> list[dt.datetime]:
        """Return the logical dates of the timetable from `start_date` to `end_date` (default: now)."""
        infos = self.iter_dagrun_infos_between(start_date, end_date or timezone.utcnow(), align=True)
        return [info.logical_date for info in infos if info.logical_date is not None]

    __deepcopy__ = copy_dag

    def test(
        self,
        run_after: dt.datetime | None = None,
        logical_date: dt.datetime | ArgNotSet | None = NOTSET,
        run_conf: dict[str, Any] | None = None,
        conn_file_path: str | None = None,
        variable_file_path: str | None = None,
        use_executor: bool = False,
        mark_success_pattern: str | re.Pattern[str] | None = None,
        *,
        session: Any = None,
        execution_date: dt.datetime | ArgNotSet | None = NOTSET,
    ) -> Any:
        """Run the DAG once, to its end, in this process, so that a debugger stops in its tasks. Returns the run, with its `state`.

        Tasks run one after the other; triggers of deferred tasks run in an event loop of this process; a retry is not delayed. The run has
        a database of its own, with copies of the home's Variables, connections and pools.

        `run_after`: the instant that the run is due (default: now). `logical_date`: the logical date (default: now; None: a run without one);
        `execution_date` is its name in Airflow 2. `run_conf`: the conf, which also sets params. `conn_file_path` and `variable_file_path`: files
        (.env, .json, .yaml) with connections and Variables, which take precedence over the environment. `use_executor`: run tasks in
        processes of a worker, as in production. `mark_success_pattern`: tasks whose whole id matches this regular expression end as success
        without being run. `session` has no effect, because there is no metadata session.

        Raises UserError when the DAG, an argument or a file is not valid, and RuntimeError while a DAG file is loaded by Gnomon.
        """
        return run_in_foreground(
            self,
            run_after=run_after,
            logical_date=logical_date,
            run_conf=run_conf,
            conn_file_path=conn_file_path,
            variable_file_path=variable_file_path,
            use_executor=use_executor,
            mark_success_pattern=mark_success_pattern,
            session=session,
            execution_date=execution_date,
        )

    def __getattr__(self, name: str) -> Any:
        query = None if name.startswith("_") else find_query(self, name)
        if query is not None:
            return query
        raise AttributeError(explain_missing_attribute(self.__dict__.get("dag_id", ""), name))

    def cli(self) -> Any:
        """Raise NotImplementedError: the command line is `gnomon`."""
        raise NotImplementedError(
            "Gnomon has no dag.cli(). Use `gnomon dags test FILE` on the command line, or dag.test()."
        )


def _find_text_ends(end_date: Any, default_args: dict[str, Any] | None) -> set[str]:
    """Return the arguments, of end_date and default_args, in which the end date is text; `start_date` when that of default_args is."""
    defaults = default_args or {}
    end_dates = {
        "end_date": end_date,
        "default_args": defaults.get("end_date"),
        "start_date": defaults.get("start_date"),
    }
    return {name for name, value in end_dates.items() if isinstance(value, str)}


def _checked_default_args(default_args: dict[str, Any] | None) -> dict[str, Any]:
    args = dict(default_args or {})
    for name in ("start_date", "end_date"):
        if args.get(name) is not None:
            args[name] = converters.as_moment(f"default_args[{name!r}]", args[name])
    return args


def rename_old_dag_arguments(dag_id: str, where: str, kwargs: dict[str, Any], **arguments: Any) -> dict[str, Any]:
    """Return `arguments` with the arguments of Airflow 2 under their present names.

    Raises TypeError for an argument that no version has, and for one that is given under both names.
    """
    for row in fields.DAG_FIELDS:
        for old in row.old_names:
            if old not in kwargs:
                continue
            value = kwargs.pop(old)
            if value is NOTSET:
                continue
            if (
                old != "concurrency" and arguments[row.name] is not NOTSET and arguments[row.name] != row.default
            ):  # as in Airflow 2, concurrency= wins
                raise TypeError(
                    f"DAG {dag_id!r}{where}: {old}= and {row.name}= are the same argument; give one of them."
                )
            arguments[row.name] = value
    for name in fields.IGNORED_BY_DAG:
        kwargs.pop(name, None)
    if kwargs:
        name = next(iter(kwargs))
        raise TypeError(f"DAG {dag_id!r}{where}: DAG has no argument {name}={suggest_dag_argument(name)}.")
    return arguments
