"""LazyProxy: a value that is computed when it is first used, for keyword arguments that may stay unused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

_MISSING = object()


class LazyProxy:
    """Behaves as the result of `make`, except for `is`: test its truth instead of `is None`."""

    __slots__ = ("_made", "_make")

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._made: Any = _MISSING

    def _value(self) -> Any:
        if self._made is _MISSING:
            self._made = self._make()
        return self._made

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # isinstance reads it
        return type(self._value())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._value(), name)

    def __bool__(self) -> bool:
        return bool(self._value())

    def __str__(self) -> str:
        return str(self._value())

    def __repr__(self) -> str:
        return repr(self._value())

    def __format__(self, spec: str) -> str:
        return format(self._value(), spec)

    def __hash__(self) -> int:
        return hash(self._value())

    def __len__(self) -> int:
        return len(self._value())

    def __iter__(self) -> Iterator[Any]:
        return iter(self._value())

    def __getitem__(self, key: Any) -> Any:
        return self._value()[key]

    def __contains__(self, item: object) -> bool:
        return item in self._value()

    def __eq__(self, other: object) -> bool:
        return bool(self._value() == _unwrap(other))

    def __lt__(self, other: Any) -> bool:
        return bool(self._value() < _unwrap(other))

    def __le__(self, other: Any) -> bool:
        return bool(self._value() <= _unwrap(other))

    def __gt__(self, other: Any) -> bool:
        return bool(self._value() > _unwrap(other))

    def __ge__(self, other: Any) -> bool:
        return bool(self._value() >= _unwrap(other))

    def __add__(self, other: Any) -> Any:
        return self._value() + _unwrap(other)

    def __radd__(self, other: Any) -> Any:
        return other + self._value()

    def __sub__(self, other: Any) -> Any:
        return self._value() - _unwrap(other)

    def __rsub__(self, other: Any) -> Any:
        return other - self._value()


def _unwrap(value: Any) -> Any:
    return value._value() if type(value) is LazyProxy else value
