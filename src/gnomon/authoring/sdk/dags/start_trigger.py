"""`start_from_trigger`: builds the deferral of a task that starts with its trigger, without a worker."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable
from typing import Any

from gnomon.authoring.sdk.arguments import converters
from gnomon.authoring.sdk.arguments.code_location import format_location
from gnomon.authoring.sdk.deferral.deferral_checks import (
    LoadClass,
    check_importable,
    check_next_method,
    check_trigger_kwargs,
    encode_kwargs,
    is_timer,
    load_trigger_class,
    read_timer,
)
from gnomon.authoring.sdk.deferral.triggers import BaseTrigger, StartTriggerArgs
from gnomon.authoring.sdk.tasks.operator import BaseOperator
from gnomon.model.deferral import Deferral
from gnomon.model.errors.authoring import DeferralRefused
from gnomon.model.instants import to_instant


def build_start_wait(task: BaseOperator, load_class: LoadClass, file: str) -> Deferral | None:
    """Return the deferral with which the task starts; None for a task that needs a worker first, for example to render a template.

    Raises DeferralRefused, with the task, its line and what to change, for a trigger that cannot work.
    """
    if getattr(task, "is_mapped", False):
        return _build_mapped_wait(task, load_class, file)
    if not task.start_from_trigger:
        return None
    args, cls = check_start_trigger(task, load_class, file)
    of, kwargs = _describe_task(task), args.trigger_kwargs or {}
    kwargs_text = encode_kwargs(kwargs, "trigger_kwargs", of)
    next_text = encode_kwargs(args.next_kwargs or {}, "next_kwargs", of)
    if find_templated_kwargs(task, cls, kwargs):
        return None
    timeout_s = converters.to_seconds(args.timeout)
    wait = Deferral(
        classpath=f"{cls.__module__}.{cls.__qualname__}",
        kwargs=kwargs_text,
        next_method=args.next_method,
        next_kwargs=next_text,
        timeout_s=timeout_s,
        queue=choose_triggerer_queue(task, cls),
    )
    return _attach_timer(wait, cls, kwargs, of) if is_timer(cls) else wait


def _build_mapped_wait(task: Any, load_class: LoadClass, file: str) -> Deferral | None:
    """Return the deferral of every instance of a mapped task; None when instances differ: then an attempt defers each of them."""
    if task.maps_start_trigger() or not task.start_from_trigger:
        return None
    return build_start_wait(MappedStart(task, task.expand_start_trigger_args()), load_class, file)  # type: ignore[arg-type]


class MappedStart:
    """A mapped task whose instance starts from the trigger `start_trigger_args`. Its operator is not made at that point."""

    is_mapped = False
    start_from_trigger = True

    def __init__(self, task: Any, start_trigger_args: StartTriggerArgs | None) -> None:
        self.task = task
        self.start_trigger_args = start_trigger_args

    def __getattr__(self, name: str) -> Any:
        return getattr(self.task, name)


def check_start_trigger(
    task: BaseOperator, load_class: LoadClass, file: str
) -> tuple[StartTriggerArgs, type[BaseTrigger]]:
    """Return the start_trigger_args of the task and the class of the trigger.

    Raises DeferralRefused when they do not fit together.
    """
    of, args = _describe_task(task), task.start_trigger_args
    if not isinstance(args, StartTriggerArgs):
        raise DeferralRefused(
            f"{of}: start_from_trigger is set and start_trigger_args is {args!r}; give it "
            "StartTriggerArgs(trigger_cls='package.module.Class', next_method='execute_complete', trigger_kwargs={...})."
        )
    named: Any = args.trigger_cls
    path = f"{named.__module__}.{named.__qualname__}" if isinstance(named, type) else str(named)
    cls = named if isinstance(named, type) else load_trigger_class(path, load_class, of)
    check_importable(cls, file, of)
    if isinstance(named, type):
        cls = load_trigger_class(path, load_class, of)
    kwargs = args.trigger_kwargs or {}
    if not isinstance(kwargs, dict):
        raise DeferralRefused(f"{of}: trigger_kwargs must be a dict, not a {type(kwargs).__name__}.")
    for name in find_callable_kwargs(kwargs):
        raise DeferralRefused(
            f"{of}: trigger_kwargs[{name!r}] is a function, which cannot be sent to a triggerer; give its result."
        )
    check_trigger_kwargs(cls, kwargs, path, of)
    check_next_method(task, args.next_method, args.next_kwargs or {}, cls.__name__)
    if args.timeout is not None and not isinstance(args.timeout, dt.timedelta | int | float):
        raise DeferralRefused(f"{of}: timeout must be a timedelta or seconds, not {args.timeout!r}.")
    return args, cls


def find_templated_kwargs(task: BaseOperator, cls: type[BaseTrigger], kwargs: dict[str, Any]) -> list[str]:
    """Return the names of the arguments that contain templates; a worker has to render them before the task defers."""
    fields: Collection[str] = {*task.template_fields, *cls.template_fields}
    return [name for name, value in kwargs.items() if name in fields and _has_template(value)]


def choose_triggerer_queue(task: BaseOperator, cls: type[BaseTrigger]) -> str | None:
    """Return the queue of the triggerer: the queue of the task, or None (any triggerer) for the default queue."""
    from gnomon.authoring.sdk.arguments import option_defaults  # only tasks with start_from_trigger need it

    queue = str(getattr(task, "queue", None) or "")
    return (
        queue
        if queue and cls.supports_triggerer_queue and queue != option_defaults.read_text("operators", "default_queue")
        else None
    )


def find_callable_kwargs(kwargs: dict[str, Any]) -> Iterable[str]:
    """Return the names of the arguments that are functions."""
    return (name for name, value in kwargs.items() if callable(value) and not hasattr(value, "resolve"))


def _attach_timer(wait: Deferral, cls: type[BaseTrigger], kwargs: dict[str, Any], of: str) -> Deferral:
    """Return the deferral with the time for which the trigger waits: the owner of the run then keeps the timer."""
    import msgspec  # start-up cost: few tasks start from a timer

    try:
        timer = read_timer(cls(**kwargs))
    except (TypeError, ValueError) as error:
        raise DeferralRefused(f"{of}: trigger_kwargs: {error}.") from None
    if timer is None:
        return wait
    if timer.after is not None:
        return msgspec.structs.replace(wait, due_in_s=timer.after.total_seconds(), ends_task=timer.ends_task)
    return msgspec.structs.replace(wait, due_at=to_instant(timer.moment), ends_task=timer.ends_task)


def _has_template(value: Any) -> bool:
    if isinstance(value, str):
        return "{{" in value or "{%" in value
    if isinstance(value, dict):
        return any(_has_template(item) for item in value.values())
    if isinstance(value, list | tuple | set):
        return any(_has_template(item) for item in value)
    return False


def _describe_task(task: BaseOperator) -> str:
    return f"Task {task.task_id!r}{format_location(task._location)} starts from its trigger"
