"""Callbacks of deadlines: a function, a coroutine function or a notifier class, with its arguments."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

from gnomon.authoring.sdk.runtime.notifier import BaseNotifier

_DOTTED_PATH = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)+")


class Callback:
    """What is called when a deadline is missed: `callback_callable`, or the object of that dotted path, with `kwargs`.

    It also gets the argument `context`, if it takes one. Raises ImportError for a text that is no dotted path, and ValueError when
    `kwargs` has the key `context`.
    """

    def __init__(self, callback_callable: Callable[..., Any] | str, kwargs: Mapping[str, Any] | None = None) -> None:
        if kwargs and "context" in kwargs:
            raise ValueError(
                f"kwargs of {type(self).__name__} cannot have the key 'context': the context is given by that name; rename the argument"
            )
        self.kwargs: dict[str, Any] = dict(kwargs or {})
        self.target: Callable[..., Any] | None = callback_callable if callable(callback_callable) else None
        """The function or class itself; None when only its path was given."""
        self.path: str = self.get_callback_path(callback_callable)

    @classmethod
    def get_callback_path(cls, callback: Callable[..., Any] | str) -> str:
        """The dotted path of the function, checked; a path is returned without spaces around it."""
        if callable(callback):
            cls.verify_callable(callback)
            return f"{callback.__module__}.{callback.__qualname__}"
        if not isinstance(callback, str) or not _DOTTED_PATH.fullmatch(callback.strip()):
            raise ImportError(
                f"{callback!r} is no function and no dotted path; give {cls.__name__} a function, or a path such as 'package.module.function'"
            )
        return callback.strip()

    @classmethod
    def verify_callable(cls, callback: Callable[..., Any]) -> None:
        """Raise AttributeError when this class of callbacks cannot call it."""

    def serialize(self) -> dict[str, Any]:
        """The path and the arguments."""
        return {"path": self.path, "kwargs": self.kwargs}

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return self.serialize() == other.serialize()

    def __hash__(self) -> int:
        return hash((type(self), self.path, tuple(sorted(self.kwargs))))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.path}>"


class AsyncCallback(Callback):
    """A callback that is awaited: a coroutine function, or a notifier class with `async_notify`."""

    @classmethod
    def verify_callable(cls, callback: Callable[..., Any]) -> None:
        if not (inspect.iscoroutinefunction(callback) or hasattr(callback, "__await__") or _is_notifier(callback)):
            raise AttributeError(f"{callback!r} is not awaitable; define it with `async def`, or use SyncCallback")


class SyncCallback(Callback):
    """A callback that is called: a function, or a notifier class. `executor`: the executor whose worker calls it; None: the default one."""

    def __init__(
        self,
        callback_callable: Callable[..., Any] | str,
        kwargs: Mapping[str, Any] | None = None,
        executor: str | None = None,
    ) -> None:
        super().__init__(callback_callable, kwargs)
        self.executor = executor

    def serialize(self) -> dict[str, Any]:
        return {**super().serialize(), "executor": self.executor}


def _is_notifier(callback: object) -> bool:
    return isinstance(callback, type) and issubclass(callback, BaseNotifier)
