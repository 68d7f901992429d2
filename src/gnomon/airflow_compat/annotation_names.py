"""Names of Airflow that author code writes in annotations: aliases, protocols and type variables; nothing is done with them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Collection
from typing import Any, Literal, ParamSpec, Protocol, TypeVar, Union, runtime_checkable

from dateutil.relativedelta import relativedelta

from gnomon.author_code.context.template_context import Context
from gnomon.authoring.sdk.tasks.operator import BaseOperator
from gnomon.rules.timetables.base import Timetable

FParams = ParamSpec("FParams")
FReturn = TypeVar("FReturn")
OperatorSubclass = TypeVar("OperatorSubclass", bound=BaseOperator)
ScheduleInterval = Union[None, str, dt.timedelta, relativedelta]
ScheduleArg = Union[ScheduleInterval, Timetable, Collection[Any]]
DagStateChangeCallback = Callable[[Context], None]
TaskStateChangeCallback = Callable[[Context], None]
TaskStateChangeCallbackAttrType = Union[None, TaskStateChangeCallback, list[TaskStateChangeCallback]]
TimeUnit = Literal["days", "hours", "minutes", "seconds"]


@runtime_checkable
class ExpandableFactory(Protocol):
    """What can be expanded: a function of `@task`, or the partial of one."""

    def expand(self, **kwargs: Any) -> Any:
        """Map over the values."""
        ...

    def expand_kwargs(self, kwargs: Any, *, strict: bool = True) -> Any:
        """Map over dicts of arguments."""
        ...

    def partial(self, **kwargs: Any) -> Any:
        """Give arguments that are the same for all instances."""
        ...


@runtime_checkable
class Task(ExpandableFactory, Protocol[FParams, FReturn]):
    """A function that `@task`, or a decorator made by `task_decorator_factory`, has made."""

    function: Callable[FParams, FReturn]

    def __call__(self, *args: FParams.args, **kwargs: FParams.kwargs) -> Any: ...

    def override(self, **kwargs: Any) -> Task[FParams, FReturn]:
        """Change arguments of the task."""
        ...
