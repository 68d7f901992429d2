"""Triggers: what a deferred task waits for, run beside thousands of others in one loop.

An author writes a class with `serialize` and `async run`; the module has to be importable by a triggerer, so it stands in
the plugins folder or in a package. `run` never blocks, yields one TriggerEvent and may run in two places at once; it begins
anew from what `serialize` gave. airflow-surface.md section C is the reference.
"""

from __future__ import annotations

import datetime as dt
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from gnomon.model.states import TaskInstanceState
from gnomon.sdk.templating.lazy_environment import LazyEnvironment
from gnomon.sdk.templating.templater import Templater

if TYPE_CHECKING:
    import logging

    import jinja2


class TriggerEvent:
    """It has happened; the task goes on, and its method gets `payload` as `event`."""

    def __init__(self, payload: Any = None) -> None:
        self.payload = payload

    def __repr__(self) -> str:
        return f"TriggerEvent<{self.payload!r}>"

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    __hash__ = None  # type: ignore[assignment] # payloads are mutable


class BaseTaskEndEvent(TriggerEvent):
    """It has happened, and the task is over by it: no worker is asked. `xcoms`: what the task pushes, by key."""

    task_instance_state: ClassVar[TaskInstanceState]

    def __init__(self, *, xcoms: Mapping[str, Any] | None = None) -> None:
        super().__init__(str(self.task_instance_state))
        self.xcoms = None if xcoms is None else dict(xcoms)


class TaskSuccessEvent(BaseTaskEndEvent):
    """The task has succeeded."""

    task_instance_state = TaskInstanceState.SUCCESS


class TaskFailedEvent(BaseTaskEndEvent):
    """The try has failed; the usual retries follow."""

    task_instance_state = TaskInstanceState.FAILED


class TaskSkippedEvent(BaseTaskEndEvent):
    """The task is skipped."""

    task_instance_state = TaskInstanceState.SKIPPED


TaskFailureEvent = TaskFailedEvent
"""The name in some documents."""


@dataclass
class StartTriggerArgs:
    """With what a task begins that starts from its trigger, before any worker: `start_trigger_args` of an operator."""

    trigger_cls: str
    """`package.module.Class`."""
    next_method: str | None = None
    """The operator's method that goes on; None: the event has to end the task."""
    trigger_kwargs: dict[str, Any] | None = None
    next_kwargs: dict[str, Any] | None = None
    timeout: dt.timedelta | None = None


class Timer(NamedTuple):
    """What a trigger waits for when that is nothing but a time."""

    moment: dt.datetime
    """Aware."""
    after: dt.timedelta | None = None
    """What was asked for, when it was a span from now on."""
    ends_task: bool = False


class BaseTrigger(Templater, ABC):
    """Something that a task waits for. Write `serialize` and `async run`."""

    supports_triggerer_queue: ClassVar[bool] = True
    template_fields: Collection[str] = ()  # type: ignore[misc] # a trigger may set its own
    trigger_id: Any = None
    task_instance: Any = None
    """While it runs: the waiting task instance (dag_id, run_id, task_id, map_index, try_number)."""

    def __init__(self, **kwargs: Any) -> None:
        """Subclasses keep here what `serialize` gives."""

    @abstractmethod
    def serialize(self) -> tuple[str, dict[str, Any]]:
        """`package.module.Class`, and the keyword arguments that make this trigger again."""

    @abstractmethod
    def run(self) -> AsyncIterator[TriggerEvent]:
        """Yields a TriggerEvent when it has happened; write it as `async def` with `yield`. Only the first event counts."""

    async def cleanup(self) -> None:
        """Called when `run` is over, however it ended: event, error, cancelled, moved to another triggerer."""

    async def on_kill(self) -> None:
        """Called before `cleanup` when somebody ended the wait: cleared, marked, killed, timed out."""

    @property
    def log(self) -> logging.Logger:
        """The logger of its class."""
        import logging  # not needed to write a DAG

        return logging.getLogger(f"airflow.triggers.{type(self).__module__}.{type(self).__name__}")

    def render_template_fields(self, context: Mapping[str, Any], jinja_env: jinja2.Environment | None = None) -> None:
        """Every template field that it has holds its value for the run of `context`."""
        names = [name for name in self.template_fields if hasattr(self, name)]
        env = jinja_env if jinja_env is not None else LazyEnvironment(self, context)
        self._do_render_template_fields(self, names, context, env, set())

    @staticmethod
    def repr(classpath: str, kwargs: Mapping[str, Any]) -> str:
        """How a trigger is shown."""
        return f"<{classpath} {', '.join(f'{name}={value}' for name, value in kwargs.items())}>"

    def __repr__(self) -> str:
        return self.repr(*self.serialize())


class BaseEventTrigger(BaseTrigger):
    """A trigger that an asset may be watched with, once assets schedule; a task waits for it as for any other, by its `run`.

    What follows is there to be written by subclasses; nobody calls it yet.
    """

    supports_triggerer_queue = False
    asset_state_store: Any = None
    """What a watcher remembers from one start to the next; None: there are no such stores yet."""

    @staticmethod
    def hash(classpath: str, kwargs: Mapping[str, Any]) -> int:
        """Equal for equal class and arguments, in every process."""
        import hashlib  # asset watchers alone ask

        from gnomon.serde import dumps

        digest = hashlib.sha256(f"{classpath}\0{dumps(dict(sorted(kwargs.items())))}".encode()).digest()
        return int.from_bytes(digest[:8], "big", signed=True)

    def shared_stream_key(self) -> Any:
        """Equal for triggers that read one stream together; None: it shares its source with no other trigger."""
        return None

    @classmethod
    def open_shared_stream(cls, kwargs: dict[str, Any]) -> AsyncIterator[Any]:  # noqa: ARG003 - for those who write it
        """The stream that all triggers of one key read; `kwargs`: what the first of them serialized."""
        raise _missing_method_error(cls, "open_shared_stream")

    @classmethod
    def create_shared_stream_producer(cls, kwargs: dict[str, Any]) -> Any:  # noqa: ARG003 - for those who write it
        """As `open_shared_stream`, for a source that wants to hear what became of each event."""
        raise _missing_method_error(cls, "create_shared_stream_producer")

    def filter_shared_stream(self, shared_stream: AsyncIterator[Any]) -> AsyncIterator[TriggerEvent]:
        """What of the stream is an event of this trigger."""
        raise _missing_method_error(type(self), "filter_shared_stream")


def _missing_method_error(cls: type, method: str) -> NotImplementedError:
    return NotImplementedError(f"{cls.__name__} has a shared_stream_key() and no {method}(); write it, or return None there.")
