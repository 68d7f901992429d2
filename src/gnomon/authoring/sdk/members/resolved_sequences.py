"""The values of `XComArg.map()`, `zip()` and `concat()` in a run: sequences over pulled values, computed element by element."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, overload

from gnomon.authoring.sdk.arguments.notset import is_given


class ResolvedSequence(Sequence[Any]):
    """A sequence whose elements are computed when they are read. As an XCom, and as a pickle, it is a list."""

    is_stored_as_list = True
    """For `serde`, which knows no class of this package."""

    def to_list(self) -> list[Any]:
        """Return all elements."""
        return list(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (self.to_list(),)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str | bytes):
            return NotImplemented
        return len(self) == len(other) and all(mine == theirs for mine, theirs in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self._element(number) for number in range(*index.indices(len(self)))]
        number = index + len(self) if index < 0 else index
        if number < 0:
            raise IndexError(index)
        return self._element(number)

    def __iter__(self) -> Iterator[Any]:
        return (self._element(number) for number in range(len(self)))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} elements)"

    def has_element(self, number: int) -> bool:
        """Return whether there is an element at that place. Reads no more than `_element` for the same place does."""
        return number < len(self)

    @abstractmethod
    def _element(self, number: int) -> Any:
        """Return the element; raises IndexError from the end on."""


class MappedValues(ResolvedSequence):
    """Each element of `values` after the functions of `XComArg.map()`."""

    def __init__(self, values: Any, functions: Sequence[Callable[[Any], Any]]) -> None:
        self._values = values
        self._functions = functions

    def __len__(self) -> int:
        return len(self._values)

    def has_element(self, number: int) -> bool:
        return has_element(self._values, number)

    def _element(self, number: int) -> Any:
        value = read_element(self._values, number)
        for function in self._functions:
            value = function(value)
        return value


class ZippedValues(ResolvedSequence):
    """Tuples of the elements at one place; as long as the shortest part, or with a fill value as the longest part."""

    def __init__(self, parts: Sequence[Any], fillvalue: Any) -> None:
        self._parts = parts
        self._fillvalue = fillvalue

    def __len__(self) -> int:
        lengths = [len(part) for part in self._parts]
        return max(lengths) if is_given(self._fillvalue) else min(lengths)

    def has_element(self, number: int) -> bool:
        has_elements = (has_element(part, number) for part in self._parts)
        return any(has_elements) if is_given(self._fillvalue) else all(has_elements)

    def _element(self, number: int) -> Any:
        if not self.has_element(number):
            raise IndexError(number)
        return tuple(
            read_element(part, number) if has_element(part, number) else self._fillvalue for part in self._parts
        )


class ConcatenatedValues(ResolvedSequence):
    """The elements of the first part, then those of the next."""

    def __init__(self, parts: Sequence[Any]) -> None:
        self._parts = parts

    def __len__(self) -> int:
        return sum(len(part) for part in self._parts)

    def has_element(self, number: int) -> bool:
        for part in self._parts:
            if has_element(part, number):
                return True
            number -= len(part)
        return False

    def _element(self, number: int) -> Any:
        for part in self._parts:
            if has_element(part, number):
                return read_element(part, number)
            number -= len(part)
        raise IndexError(number)


def has_element(container: Any, number: int) -> bool:
    """Return whether `read_element` finds an element at that place."""
    return container.has_element(number) if isinstance(container, ResolvedSequence) else number < len(container)


def read_element(container: Any, number: int) -> Any:
    """Return the element of a sequence at that place, or the (key, value) of a dict. Raises IndexError behind the end."""
    if not isinstance(container, dict):
        return container[number]
    for item in islice(container.items(), number, None):
        return item
    raise IndexError(number)
