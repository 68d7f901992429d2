"""The template context: a dict whose values are computed when they are first read."""

from __future__ import annotations

from collections.abc import Callable, Collection, ItemsView, Iterator, KeysView, Mapping, ValuesView
from functools import partial
from typing import Any, Self

from gnomon.author_code.context.lazy_proxy import LazyProxy
from gnomon.author_code.context.runtime_task_instance import RuntimeTaskInstance
from gnomon.author_code.context.template_variables import (
    COSTLY_VARIABLES,
    VARIABLES_WITH_DATE,
    VARIABLES_WITHOUT_DATE,
    ContextSource,
)
from gnomon.authoring.sdk.connections.channel import Channel
from gnomon.model.attempts import Attempt, RunFacts

_MISSING = object()


class Context(dict[str, Any]):
    """The template context. `Context({...})` and `Context(key=value)` make one as `dict` does.

    The context of a task is made by `Context.lazily`.
    """

    _makers: Mapping[str, Callable[[Any], Any]]
    """Shared by all contexts: a copy would write to the memory page of each key, which every child process then copies."""
    _removed: set[str]
    """The keys of `_makers` that were deleted."""
    _source: Any
    _costly: Collection[str]

    def __new__(cls, *_: Any, **__: Any) -> Self:
        context = super().__new__(cls)
        # Not in __init__, because pickle sets items without a call of __init__.
        context._makers, context._removed, context._source, context._costly = {}, set(), None, ()
        return context

    @classmethod
    def lazily(
        cls,
        makers: Mapping[str, Callable[[Any], Any]],
        source: Any,
        values: Mapping[str, Any] | None = None,
        costly: Collection[str] = (),
    ) -> Self:
        """Return a context that has every key from the start and computes each value when it is first read.

        `makers` maps a key to the function that computes its value from `source`. `costly` has the keys whose values need a
        request to the server or a call of the timetable.
        """
        context = cls(values or {})
        context._makers, context._source, context._costly = makers, source, costly
        return context

    def __missing__(self, key: str) -> Any:
        if not self._can_compute(key):
            raise KeyError(key)
        value = self._makers[key](self._source)
        self[key] = value
        return value

    def __delitem__(self, key: str) -> None:
        if super().__contains__(key) or not self._can_compute(key):
            super().__delitem__(key)
        if key in self._makers:
            self._removed.add(key)

    def __contains__(self, key: object) -> bool:
        return super().__contains__(key) or self._can_compute(key)

    # With this __iter__, `dict(context)` and `f(**context)` also read through __getitem__, lazy values included.
    def __iter__(self) -> Iterator[str]:
        return iter([*super().__iter__(), *self._list_lazy()])

    def __len__(self) -> int:
        return super().__len__() + len(self._list_lazy())

    def __repr__(self) -> str:
        return f"<Context: {', '.join(self)}>"

    def __or__(self, other: Mapping[str, Any]) -> Context:  # type: ignore[override]
        merged = self.copy()
        merged.update(other)
        return merged

    def __copy__(self) -> Context:
        return self.copy()

    def keys(self) -> KeysView[str]:  # type: ignore[override]
        return KeysView(self)

    def values(self) -> ValuesView[Any]:  # type: ignore[override]
        return ValuesView(self)

    def items(self) -> ItemsView[str, Any]:  # type: ignore[override]
        return ItemsView(self)

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value, or `default` when the key is missing."""
        return self[key] if key in self else default  # noqa: SIM401 - this method is dict.get

    def pop(self, key: str, default: Any = _MISSING) -> Any:
        """Remove the key and return its value. Raises KeyError when it is missing and there is no default."""
        if key not in self:
            if default is _MISSING:
                raise KeyError(key)
            return default
        value = self[key]
        del self[key]
        return value

    def setdefault(self, key: str, default: Any = None) -> Any:
        """Return the value; a missing key is first set to `default`."""
        if key not in self:
            self[key] = default
        return self[key]

    def copy(self) -> Context:
        """Return another context with the same keys; values that were not read stay uncomputed in both."""
        computed = {key: super(Context, self).__getitem__(key) for key in self.list_computed()}
        context = Context.lazily(self._makers, self._source, computed, self._costly)
        context._removed.update(self._removed)
        return context

    def to_kwargs(self) -> dict[str, Any]:
        """Return a plain dict of all keys, for `**kwargs`; a costly value that was not read is a `LazyProxy`."""
        lazy = self._list_lazy()
        return {
            key: LazyProxy(partial(self.__getitem__, key)) if key in self._costly and key in lazy else self[key]
            for key in self
        }

    def list_computed(self) -> list[str]:
        """Return the keys whose values are computed."""
        return list(super().__iter__())

    def _can_compute(self, key: object) -> bool:
        return key in self._makers and key not in self._removed

    def _list_lazy(self) -> list[str]:
        """The keys whose values are not computed yet."""
        return [key for key in self._makers if key not in self._removed and not super(Context, self).__contains__(key)]


def build_context(*, task: Any, dag: Any, run: RunFacts, attempt: Attempt, channel: Channel) -> Context:
    """Return the template context of the attempt; its `ti` collects the XComs that the attempt pushes.

    The runner adds `exception` and `reason` before it calls callbacks.
    """
    ti = RuntimeTaskInstance(task=task, attempt=attempt, channel=channel, dag=dag)
    context = Context.lazily(
        VARIABLES_WITHOUT_DATE if run.logical_at is None else VARIABLES_WITH_DATE,
        ContextSource(dag, ti),
        costly=COSTLY_VARIABLES,
    )
    ti.bind(context)
    context.update(ti.context_carrier)  # `traceparent`, with traces
    return context
