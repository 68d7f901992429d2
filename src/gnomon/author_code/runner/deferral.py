"""Deferral: from the exception of a task to a stored Deferral, and from its result back into the task."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from gnomon.author_code.loading.class_loader import load_class
from gnomon.author_code.runner.hitl_deferral import make_hitl_event
from gnomon.author_code.runner.runner_log import RunnerLog
from gnomon.authoring.sdk.arguments.timezone import to_pendulum
from gnomon.authoring.sdk.dags.start_trigger import (
    MappedStart,
    check_start_trigger,
    choose_triggerer_queue,
    find_templated_kwargs,
)
from gnomon.authoring.sdk.deferral.deferral_checks import (
    check_importable,
    check_next_method,
    check_trigger_kwargs,
    encode_kwargs,
    load_trigger_class,
    read_timer,
)
from gnomon.authoring.sdk.deferral.triggers import BaseTrigger
from gnomon.authoring.sdk.members.task_execution import TRIGGER_FAIL, TRIGGER_FAILURE, TRIGGER_TIMEOUT
from gnomon.authoring.sdk.serialization.value_codec import loads
from gnomon.authoring.sdk.tasks.decorated_operators import DecoratedOperator, FunctionOperator
from gnomon.model.deferral import EMPTY_KWARGS, Deferral, DeferralResult, Resumption
from gnomon.model.errors.authoring import AirflowException, AirflowSkipException, DeferralRefused, TaskDeferred
from gnomon.model.errors.error_text import class_name, error_text, error_traceback
from gnomon.model.instants import to_instant

log = RunnerLog("gnomon.task")

_OWN_PACKAGE = "gnomon."
_WITHOUT_EVENT = {"timeout": TRIGGER_TIMEOUT}
"""Outcome of a wait without an event to the argument of `resume_execution`; any other outcome is TRIGGER_FAILURE."""


def create_deferral(task: Any, deferred: TaskDeferred, file: str) -> Deferral:
    """The record of the deferral for the store. Raises DeferralRefused, with a text for the author, when the task could not resume.

    `file`: the DAG file of the task.
    """
    subject = f"Task {task.task_id!r} defers"
    trigger = deferred.trigger
    kwargs = deferred.kwargs or {}
    _check_operator(task)
    if isinstance(trigger, type):
        raise DeferralRefused(
            f"{subject}: {trigger.__name__} is a class; give it an object of it: {trigger.__name__}(...)."
        )
    if not isinstance(trigger, BaseTrigger):
        raise DeferralRefused(
            f"{subject}: the {type(trigger).__name__} is no trigger; give it an object of a class derived from BaseTrigger."
        )
    next_kwargs = encode_kwargs(kwargs, "the kwargs", subject)
    check_next_method(task, deferred.method_name, kwargs, type(trigger).__name__)
    check_importable(type(trigger), file, subject)
    path, arguments = _serialize_trigger(trigger, subject)
    cls = load_trigger_class(path, load_class, subject)
    if cls is not type(trigger):
        check_importable(cls, file, subject)
        _warn_about_parent(type(trigger), cls)
    text = encode_kwargs(arguments, f"the arguments of {type(trigger).__name__}", subject)
    check_trigger_kwargs(
        cls, arguments, path, f"{subject}: what serialize() of {type(trigger).__name__} returns does not fit"
    )
    timer = read_timer(trigger)
    return Deferral(
        classpath=path if timer is None else _path(type(trigger)),
        kwargs=text if timer is None else EMPTY_KWARGS,
        next_method=deferred.method_name,
        next_kwargs=next_kwargs,
        timeout_s=None if deferred.timeout is None else deferred.timeout.total_seconds(),
        queue=choose_triggerer_queue(task, type(trigger)),
        due_at=None if timer is None else to_instant(timer.moment),
        ends_task=timer is not None and timer.ends_task,
    )


def defer_at_start(task: Any, context: Any, file: str) -> NoReturn:
    """Raise TaskDeferred for a task with `start_from_trigger` whose trigger has templated arguments: they are rendered here."""
    args, cls = check_start_trigger(task, load_class, file)
    kwargs = dict(args.trigger_kwargs or {})
    for name in find_templated_kwargs(task, cls, kwargs):
        kwargs[name] = task.render_template(kwargs[name], context)
    timeout: Any = args.timeout
    raise TaskDeferred(trigger=cls(**kwargs), method_name=args.next_method, kwargs=args.next_kwargs, timeout=timeout)


def defer_mapped_at_start(task: Any, context: Any, file: str) -> None:
    """Raise TaskDeferred for an instance of a mapped task that starts from its trigger; its operator is made when it resumes.

    The trigger, its arguments and `start_from_trigger` itself come from `partial` and `expand`, else from the class.
    """
    if task.expand_start_from_trigger(context=context):
        defer_at_start(MappedStart(task, task.expand_start_trigger_args(context=context)), context, file)


def resume_task(task: Any, resume: Resumption, context: Any) -> object:
    """Call the method that the deferral named with the result of the wait, and return its value."""
    result = resume.result
    if result.outcome in _TASK_ENDINGS:
        return _TASK_ENDINGS[result.outcome](result)
    if result.outcome != "event":
        failure = {
            "error": _WITHOUT_EVENT.get(result.outcome, TRIGGER_FAILURE),
            "reason": result.reason,
            "traceback": result.traceback,
        }
        failed: object = task.resume_execution(TRIGGER_FAIL, failure, context)
        return failed
    if not callable(getattr(task, resume.next_method, None)):
        raise DeferralRefused(
            f"Task {task.task_id!r} deferred to resume in {resume.next_method}(), and {type(task).__name__} no longer has that "
            "method. Put it back, or clear the task so that it begins again."
        )
    kwargs = loads(resume.next_kwargs)
    if not isinstance(kwargs, dict):
        raise DeferralRefused(
            f"Task {task.task_id!r} cannot resume, because the kwargs of its deferral cannot be read: {kwargs}"
        )
    value: object = task.resume_execution(resume.next_method, {**kwargs, "event": _event(result)}, context)
    return value


def _skip(result: DeferralResult) -> NoReturn:
    raise AirflowSkipException(result.reason or "its trigger skipped it")


def _fail(result: DeferralResult) -> NoReturn:
    raise AirflowException(result.reason or "its trigger ended it as failed")


_TASK_ENDINGS: dict[str, Callable[[DeferralResult], object]] = {
    "success": lambda _: None,
    "skipped": _skip,
    "failed": _fail,
}
"""Outcomes that end the task: only its callbacks are called. Their XComs are stored already."""


def _event(result: DeferralResult) -> object:
    if result.response is not None:
        return make_hitl_event(result.response)
    return loads(result.payload) if result.due_at is None else to_pendulum(result.due_at)


def _check_operator(task: Any) -> None:
    """Refuse a function as task: it has no method to resume in. An author's subclass of these operators can have one."""
    if isinstance(task, FunctionOperator | DecoratedOperator) and type(task).__module__.startswith(_OWN_PACKAGE):
        raise DeferralRefused(
            f"Task {task.task_id!r} is a function ({type(task).__name__}), and a function cannot resume after a deferral: the "
            "task resumes in a method of its operator. Write an operator class with execute() and that method, or a sensor "
            "with deferrable=True."
        )


def _serialize_trigger(trigger: BaseTrigger, subject: str) -> tuple[str, dict[str, Any]]:
    name = type(trigger).__name__
    try:
        serialized: Any = trigger.serialize()
    except Exception as error:
        where = traceback.extract_tb(error_traceback(error))[-1]
        raise DeferralRefused(
            f"{subject}: serialize() of {name} raised {class_name(error)}: {error_text(error)} ({where.filename}:{where.lineno})."
        ) from error
    expected = "return ('package.module.Class', {argument: value})."
    if not isinstance(serialized, tuple | list) or len(serialized) != 2:
        raise DeferralRefused(f"{subject}: serialize() of {name} returned {_describe_shape(serialized)}; {expected}")
    path, arguments = serialized
    if not isinstance(path, str) or "." not in path or not isinstance(arguments, Mapping):
        raise DeferralRefused(f"{subject}: serialize() of {name} returned {_describe_shape(serialized)}; {expected}")
    return path, dict(arguments)


def _warn_about_parent(trigger_class: type[BaseTrigger], stored: type[BaseTrigger]) -> None:
    """Log a warning when the class inherits `serialize`, which names its parent, so that the parent's `run` would run."""
    if issubclass(trigger_class, stored) and trigger_class.run is not stored.run:
        log.warning(
            "serialize() of %s names %s, so %s.run() waits and %s.run() never runs; let its serialize() return %r",
            trigger_class.__name__,
            _path(stored),
            stored.__name__,
            trigger_class.__name__,
            _path(trigger_class),
        )


def _path(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


def _describe_shape(value: Any) -> str:
    """The types of a value, without its contents: arguments of triggers are secret, reasons are not."""
    if value is None:
        return "None"
    if isinstance(value, tuple | list):
        return f"({', '.join(type(item).__name__ for item in value)})"
    return f"a value of type {type(value).__name__}"
