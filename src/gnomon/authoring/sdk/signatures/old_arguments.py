"""The arguments of a task: old names are translated, values are checked and stored, arguments without effect get a warning."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from gnomon.authoring.sdk.arguments.airflow_dialects import AIRFLOW_2, read_dialect
from gnomon.authoring.sdk.arguments.code_location import format_location
from gnomon.authoring.sdk.arguments.executor_config import iter_config_warnings
from gnomon.authoring.sdk.arguments.notset import NOTSET
from gnomon.authoring.sdk.arguments.task_warnings import warn_about_task
from gnomon.authoring.sdk.signatures import fields
from gnomon.model.errors.error_text import error_text, error_traceback
from gnomon.model.errors.product import find_close_matches
from gnomon.model.unchecked_sentences import say_unchecked

if TYPE_CHECKING:
    from gnomon.authoring.sdk.arguments.params import ParamsDict
    from gnomon.authoring.sdk.nodes.node_types import GroupNode, TaskNode
    from gnomon.model.after import After


Callback = Any
"""A function of the context, or a list of them."""
CALLBACKS = (
    "on_execute_callback",
    "on_success_callback",
    "on_failure_callback",
    "on_retry_callback",
    "on_skipped_callback",
)
"""The callbacks of a task."""


class TaskArguments:
    """The attributes that hold the arguments of a task, with their types after the checks of `OPERATOR_FIELDS`.

    `dag` and `default_args` are not stored; `depends_on`, `pre_execute` and `post_execute` are stored under other names,
    because methods and classes of authors use these names.
    """

    task_id: str
    owner: str
    email: str | Iterable[str] | None
    email_on_retry: bool
    email_on_failure: bool
    retries: int
    retry_delay: dt.timedelta
    retry_exponential_backoff: float
    max_retry_delay: dt.timedelta | None
    retry_policy: Any
    restartable: bool
    start_date: dt.datetime | None
    end_date: dt.datetime | None
    depends_on_past: bool
    ignore_first_depends_on_past: bool
    wait_for_past_depends_before_skipping: bool
    wait_for_downstream: bool
    _depends_on: tuple[After, ...]
    params: ParamsDict
    priority_weight: int
    weight_rule: Any
    queue: str
    pool: str | None
    pool_slots: int
    execution_timeout: dt.timedelta | None
    expected_duration: dt.timedelta | None
    on_execute_callback: Callback
    on_failure_callback: Callback
    on_success_callback: Callback
    on_retry_callback: Callback
    on_skipped_callback: Callback
    _pre_execute_hook: Any
    _post_execute_hook: Any
    trigger_rule: Any
    resources: dict[str, Any] | None
    run_as_user: str | None
    map_index_template: str | None
    max_active_tis_per_dag: int | None
    max_active_tis_per_dagrun: int | None
    executor: str | None
    executor_config: dict[str, Any]
    do_xcom_push: bool
    multiple_outputs: bool
    inlets: list[Any]
    outlets: list[Any]
    task_group: GroupNode | None = None
    doc: str | None
    doc_md: str | None
    doc_json: str | None
    doc_yaml: str | None
    doc_rst: str | None
    task_display_name: str
    logger_name: str | None
    allow_nested_operators: bool
    render_template_as_native_obj: bool | None


def rename_old_task_arguments(task: TaskNode, task_id: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
    """Remove the arguments of Airflow 2 from `kwargs` and return them under their present names.

    Raises TypeError for an argument that no version has.
    """
    defaults: Mapping[str, Any] = task.__dict__.get("_defaults") or {}
    renamed: dict[str, Any] = {}
    for row in fields.OPERATOR_FIELDS:
        for old in row.old_names:
            if old in kwargs:
                renamed[row.name] = kwargs.pop(old)
            elif old in defaults:
                renamed[row.name] = defaults[old]
    for name in fields.IGNORED_BY_OPERATOR:
        if name in kwargs:
            renamed[name] = kwargs.pop(name)
    if kwargs:
        name = next(iter(kwargs))
        raise TypeError(
            f"{type(task).__name__} (task {task_id!r}){format_location(task._location)} does not take the argument {name}="
            f"{suggest_argument(name, [row.name for row in fields.OPERATOR_FIELDS])}."
        )
    return renamed


def store_task_arguments(task: TaskNode, old: Mapping[str, Any], /, **arguments: Any) -> None:
    """Check every argument and store it in the task; an argument that was not given gets its default.

    `old` has the arguments that were given under an older name. The values are stored without `__setattr__`, which connects
    tasks, and without properties of authors' classes that have the name of an argument.
    Raises TypeError or ValueError for a value that is not valid.
    """
    arguments.update(old)
    state = task.__dict__
    own = state.get("depends_on", NOTSET)  # an author's class may use the name for something else
    try:
        mapped = state.get("_mapped_from")  # of one map index: defaults were found when the mapped task was made
        fields.store_arguments(fields.OPERATOR_FIELDS, state, arguments, None if mapped is None else mapped.__dict__)
    except (TypeError, ValueError) as error:
        raise type(error)(f"Task {arguments['task_id']!r}{format_location(task._location)}: {error}.") from None
    state["_depends_on"] = state.pop("depends_on")
    if own is not NOTSET:
        state["depends_on"] = own
    for name in ("dag", "default_args"):
        state.pop(name)
    for name in ("pre_execute", "post_execute"):
        hook = state.pop(name)
        if hook is not None:
            state[f"_{name}_hook"] = hook
    if state["wait_for_downstream"]:
        state["depends_on_past"] = True
    state["executor_config"] = state["executor_config"] or {}
    dag = arguments.get("dag")
    if mapped is None and (read_dialect() if dag is None else dag.airflow_dialect).number != AIRFLOW_2:
        for name in CALLBACKS:  # lists in Airflow 3, what the author gave in Airflow 2
            state[name] = _to_list(state[name])
    state["inlets"] = _to_list(state["inlets"])
    state["outlets"] = _to_list(state["outlets"])


def warn_no_effect(task: TaskNode, old: Mapping[str, Any]) -> None:
    """Add a warning to the DAG for each argument without effect."""
    dag = task.get_dag()
    if dag is None:
        return
    for sentence in fields.iter_without_effect(fields.OPERATOR_FIELDS, task.__dict__):
        warn_about_task(task, sentence)
    for sentence in iter_config_warnings(task.__dict__["executor_config"]):
        warn_about_task(task, sentence)
    if isinstance(task.__dict__["email"], list) and None in task.__dict__["email"]:
        warn_about_task(task, say_unchecked("email_has_no_address"))
    for name, code in fields.IGNORED_BY_OPERATOR.items():
        if code and old.get(name) is not None:
            warn_about_task(task, say_unchecked("argument_is_idle", name=name, why=say_unchecked(code)))


def listed_template_fields(task: TaskNode, name: str) -> list[str]:
    """Return the one field that a text as `template_fields` names, as Airflow does, and add a warning to the DAG."""
    dag = task.get_dag()
    if dag is not None:
        warn_about_task(task, say_unchecked("template_fields_is_a_text", class_path=type(task).__name__, name=name))
    return [name]


def _to_list(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple | set) else [value]


_OF_ONE_TASK = ("task_id", "task_group", "task_display_name", "dag", "default_args")
_UNEXPECTED = re.compile(r"(\w+)(?:\.__init__)?\(\) got an unexpected keyword argument '(\w+)'")

_PYTHON_HINT = re.compile(r"\. Did you mean '\w+'\?$")
"""CPython 3.13 and later end some of these messages with a name that may be meant."""


def suggest_argument(name: str, known_names: Iterable[str]) -> str:
    """Return `; did you mean x=` for a message, or an empty text when no known name is similar."""
    near = find_close_matches(name, known_names, cutoff=0.7)
    return f"; did you mean {near[0]}=" if near else ""


def suggest_dag_argument(name: str) -> str:
    """As `suggest_argument` for a DAG; an argument of its tasks stands in `default_args`."""
    if any(row.name == name and name not in _OF_ONE_TASK for row in fields.OPERATOR_FIELDS):
        return f"; it is an argument of a task: for all tasks of the DAG, write default_args={{{name!r}: ...}}"
    return suggest_argument(name, [row.name for row in fields.DAG_FIELDS])


def add_suggestion(text: str, error: BaseException) -> str:
    """Return the text of an error with a hint about a keyword that a class or function does not take, instead of that of Python."""
    hint = _suggest_keyword(error)
    return f"{_PYTHON_HINT.sub('', text)}{hint}" if hint else text


def _suggest_keyword(error: BaseException) -> str:
    """The hint for the message; an empty text for other errors.

    The callee is the object that its name has in the frame of the call; a call by a dotted name gets no hint.
    """
    if isinstance(error, AttributeError) and error.name in _MAPPING_METHODS:
        return _suggest_mapping(error.obj, error.name)
    match = _UNEXPECTED.match(error_text(error)) if isinstance(error, TypeError) else None
    trace = error_traceback(error)
    if match is None or trace is None:
        return ""
    while trace.tb_next is not None:
        trace = trace.tb_next
    local_names = trace.tb_frame.f_locals
    callees = [trace.tb_frame.f_globals.get(match[1], local_names.get(match[1]))]
    if trace.tb_frame.f_code.co_name == "__init__":  # it may pass keywords to its base class
        callees.insert(0, type(local_names.get("self")))
    known_names = list(dict.fromkeys(name for callee in callees for name in _read_keywords(callee)))
    if not known_names or match[2] in known_names:  # then the callee is another object of that name
        return ""
    return suggest_argument(match[2], known_names) or f"; it takes {', '.join(known_names)}"


_MAPPING_METHODS = ("expand", "expand_kwargs", "partial")


def _suggest_mapping(called_on: object, method: str) -> str:
    """A hint for an operator or a result of a task that is mapped after it was made."""
    if hasattr(type(called_on), "execute") and hasattr(called_on, "task_id"):
        return f"; an operator is mapped instead of made: {type(called_on).__name__}.partial(task_id={called_on.task_id!r}, ...).expand(...)"
    if hasattr(called_on, "operator"):
        return f"; this is the result of a task, and a task is mapped once: give all its arguments to one {method}()"
    return ""


def _read_keywords(callee: object) -> list[str]:
    import inspect  # only when something is wrong

    try:
        parameters = inspect.signature(callee).parameters.values()  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return []
    return [item.name for item in parameters if item.kind in (item.POSITIONAL_OR_KEYWORD, item.KEYWORD_ONLY)]
