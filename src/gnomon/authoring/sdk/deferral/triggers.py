"""Base classes of triggers and events. A triggerer runs thousands of triggers in one event loop.

An author defines a class with `serialize` and `async run` in a module that a triggerer can import: in the plugins folder or
in a package. `run` must not block and yields one TriggerEvent. It may run in two processes at once, and starts again from
the result of `serialize`. The reference is section C of airflow-surface.md.
"""

from __future__ import annotations

import datetime as dt
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from gnomon.authoring.sdk.templating.lazy_environment import LazyEnvironment
from gnomon.authoring.sdk.templating.templater import Templater
from gnomon.model.states import TaskInstanceState

if TYPE_CHECKING:
    import logging

    import jinja2


class TriggerEvent:
    """The event of a trigger: the task continues, and its next method gets `payload` as `event`.

    In a watcher of an asset, each event becomes one event of the asset. A trigger that yields an event again after a crash gives
    both the same `uid`, for example the position of a message in its queue: an asset event of that uid is stored once. Gnomon's own.
    """

    uid: str | None = None

    def __init__(self, payload: Any = None, *, uid: str | None = None) -> None:
        self.payload = payload
        if uid is not None:
            self.uid = uid

    def __repr__(self) -> str:
        return f"TriggerEvent<{self.payload!r}>"

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    __hash__ = None  # type: ignore[assignment] # payloads are mutable


class BaseTaskEndEvent(TriggerEvent):
    """An event that ends the task without a worker. `xcoms` has the XComs of the task, by key."""

    task_instance_state: ClassVar[TaskInstanceState]

    def __init__(self, *, xcoms: Mapping[str, Any] | None = None) -> None:
        super().__init__(str(self.task_instance_state))
        self.xcoms = None if xcoms is None else dict(xcoms)


class TaskSuccessEvent(BaseTaskEndEvent):
    """Ends the task as succeeded."""

    task_instance_state = TaskInstanceState.SUCCESS


class TaskFailedEvent(BaseTaskEndEvent):
    """Ends the try as failed; the task is retried as usual."""

    task_instance_state = TaskInstanceState.FAILED


class TaskSkippedEvent(BaseTaskEndEvent):
    """Ends the task as skipped."""

    task_instance_state = TaskInstanceState.SKIPPED


TaskFailureEvent = TaskFailedEvent
"""Another name that documents of Airflow use."""


@dataclass
class StartTriggerArgs:
    """The trigger with which a task starts, before it needs a worker: `start_trigger_args` of an operator."""

    trigger_cls: str
    """`package.module.Class`."""
    next_method: str | None = None
    """The method of the operator that is called next; None when the event must end the task."""
    trigger_kwargs: dict[str, Any] | None = None
    next_kwargs: dict[str, Any] | None = None
    timeout: dt.timedelta | None = None


class Timer(NamedTuple):
    """The time for which a trigger waits that waits for nothing else."""

    moment: dt.datetime
    """An aware datetime."""
    after: dt.timedelta | None = None
    """The span of a trigger that waits from its start."""
    ends_task: bool = False


class BaseTrigger(Templater, ABC):
    """A trigger: the condition for which a deferred task waits. Subclasses define `serialize` and `async run`."""

    supports_triggerer_queue: ClassVar[bool] = True
    template_fields: Collection[str] = ()  # type: ignore[misc] # a trigger may set its own
    trigger_id: Any = None
    task_instance: Any = None
    """While the trigger runs: the waiting task instance (dag_id, run_id, task_id, map_index, try_number)."""

    def __init__(self, **kwargs: Any) -> None:
        """Subclasses store the arguments that `serialize` returns."""

    @abstractmethod
    def serialize(self) -> tuple[str, dict[str, Any]]:
        """Return the path `package.module.Class` and the keyword arguments that make an equal trigger."""

    @abstractmethod
    def run(self) -> AsyncIterator[TriggerEvent]:
        """Wait for the condition and yield a TriggerEvent. Define it as `async def` with `yield`; a task uses only the first event."""

    async def cleanup(self) -> None:
        """Called when `run` has ended for any reason: an event, an error, a cancellation, a move to another triggerer."""

    async def on_kill(self) -> None:
        """Called before `cleanup` when the task was cleared, marked or killed, or its wait timed out."""

    @property
    def log(self) -> logging.Logger:
        """The logger of the class."""
        import logging  # not needed to write a DAG

        return logging.getLogger(f"airflow.triggers.{type(self).__module__}.{type(self).__name__}")

    def render_template_fields(self, context: Mapping[str, Any], jinja_env: jinja2.Environment | None = None) -> None:
        """Replace each template field that the trigger has by its value for the run of `context`."""
        names = [name for name in self.template_fields if hasattr(self, name)]
        env = jinja_env if jinja_env is not None else LazyEnvironment(self, context)
        self._do_render_template_fields(self, names, context, env, set())

    @staticmethod
    def repr(classpath: str, kwargs: Mapping[str, Any]) -> str:
        """Return the text of a trigger for logs."""
        return f"<{classpath} {', '.join(f'{name}={value}' for name, value in kwargs.items())}>"

    def __repr__(self) -> str:
        return self.repr(*self.serialize())


class BaseEventTrigger(BaseTrigger):
    """A trigger that can also watch an asset (`AssetWatcher`). A task waits for it as for any other trigger.

    As a watcher, `run` is a stream: it goes on after an event, and the next statement of `run` is executed when the event is stored. So a
    trigger that acknowledges a message after the `yield` loses none; when it may yield a message twice, it gives its events a `uid`.
    A `run` that ends is started again: soon after an event, with a growing delay after an exception or without an event.
    """

    supports_triggerer_queue = False
    asset_state_store: Any = None
    """While the trigger watches: the stores of the watched assets, `asset_state_store[ASSET].get(key)`; None while a task waits for it."""

    @staticmethod
    def hash(classpath: str, kwargs: Mapping[str, Any]) -> int:
        """Return a number that is equal in every process for equal class and arguments."""
        import hashlib  # only asset watchers use it

        from gnomon.authoring.sdk.serialization.value_codec import dumps

        digest = hashlib.sha256(f"{classpath}\0{dumps(dict(sorted(kwargs.items())))}".encode()).digest()
        return int.from_bytes(digest[:8], "big", signed=True)

    def shared_stream_key(self) -> Any:
        """Return a key that is equal for triggers that share a stream; None for a trigger with its own source."""
        return None

    @classmethod
    def open_shared_stream(cls, kwargs: dict[str, Any]) -> AsyncIterator[Any]:  # noqa: ARG003 - subclasses use it
        """Open the stream for all triggers of one key; `kwargs` are those of the first of these triggers."""
        raise _missing_method_error(cls, "open_shared_stream")

    @classmethod
    def create_shared_stream_producer(cls, kwargs: dict[str, Any]) -> Any:  # noqa: ARG003 - subclasses use it
        """As `open_shared_stream`, for a source that needs an acknowledgement of each event."""
        raise _missing_method_error(cls, "create_shared_stream_producer")

    def filter_shared_stream(self, shared_stream: AsyncIterator[Any]) -> AsyncIterator[TriggerEvent]:
        """Yield the events of this trigger from the shared stream."""
        raise _missing_method_error(type(self), "filter_shared_stream")


def _missing_method_error(cls: type, method: str) -> NotImplementedError:
    return NotImplementedError(
        f"{cls.__name__} has a shared_stream_key() but no {method}(). Define {method}(), or return None in shared_stream_key()."
    )
