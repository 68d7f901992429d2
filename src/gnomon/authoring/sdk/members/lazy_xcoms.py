"""Values that a mapped task reads from the server element by element: those of all instances of a mapped task, and those of one list."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

from gnomon.authoring.sdk.arguments.notset import NOTSET, is_given
from gnomon.authoring.sdk.connections import channel
from gnomon.authoring.sdk.members.resolved_sequences import ResolvedSequence, read_element
from gnomon.authoring.sdk.runtime.xcom import decode_xcom
from gnomon.model.task_api_requests import XCOM_BATCH, GetXComBatch, GetXComCount


class LazyXComSequence(ResolvedSequence):
    """The values that the instances of a task pushed under one key, in the order of their map indexes.

    An instance that pushed nothing has no element. A loop reads the values in batches, an index reads one value. `xcom_arg` is a
    PlainXComArg, `ti` a task instance of the run, `total` the number of values if the scheduler has counted them.
    """

    def __init__(self, *, xcom_arg: Any, ti: Any, total: int | None = None) -> None:
        self._xcom_arg = xcom_arg
        self._run_id: str = ti.run_id
        self._length: int | None = None
        self._total = total
        self._last: tuple[int, Sequence[Any]] = (-1, ())

    def __len__(self) -> int:
        if self._length is None:
            task, key = self._xcom_arg.operator, self._xcom_arg.key
            question = GetXComCount(dag_id=task.dag_id, run_id=self._run_id, task_id=task.task_id, key=key)
            self._length = cast(int, channel.ask(question))
        return self._length

    def __iter__(self) -> Iterator[Any]:
        start = 0
        while batch := self._read(start, XCOM_BATCH):
            yield from batch
            start += len(batch)

    def __getitem__(self, index: Any) -> Any:
        if not isinstance(index, slice):
            return super().__getitem__(_to_index(index))
        start, stop, step = index.indices(len(self))
        if step != 1:
            return super().__getitem__(index)
        values: list[Any] = []
        while start + len(values) < stop and (batch := self._read(start + len(values), stop - start - len(values))):
            values += batch
        return values

    def has_element(self, number: int) -> bool:
        return bool(self._read_one(number))

    def _element(self, number: int) -> Any:
        elements = self._read_one(number)
        if not elements:
            raise IndexError(number)
        return elements[0]

    def _read_one(self, number: int) -> Sequence[Any]:
        """Return the value with this number in a sequence; an empty one behind the end."""
        if self._last[0] != number:
            self._last = number, self._read(number, 1)
        return self._last[1]

    def _read(self, start: int, limit: int) -> Sequence[Any]:
        """Return at most `limit` values from number `start` on; fewer when they are large, none behind the end."""
        task, key = self._xcom_arg.operator, self._xcom_arg.key
        question = GetXComBatch(
            dag_id=task.dag_id,
            run_id=self._run_id,
            task_id=task.task_id,
            key=key,
            start=start,
            limit=min(limit, XCOM_BATCH),
            total=self._total,
        )
        names = {"key": key, "task_id": task.task_id, "dag_id": task.dag_id, "run_id": self._run_id}
        return [decode_xcom(text, **names, map_index=None) for text in cast("list[str]", channel.ask(question))]

    def __repr__(self) -> str:
        if self._length is None:
            return "LazyXComSequence(<unevaluated length>)"
        return f"LazyXComSequence([{self._length} item{'' if self._length == 1 else 's'}])"


class LazyElements(ResolvedSequence):
    """The elements of the list, tuple or dict that a task that is not mapped pushed.

    An element is read without the others, and with it the number of elements. `check` gets an empty container of the type, or any
    other value that the task pushed, and raises for one that cannot be mapped over. Reads the whole value only where the server has
    no elements of it, as with a back end of the author.
    """

    def __init__(self, *, xcom_arg: Any, context: Mapping[str, Any], check: Callable[[Any], Any]) -> None:
        self._xcom_arg = xcom_arg
        self._context = context
        self._check = check
        self._whole: Any = NOTSET
        self._length: int | None = None
        self._last: tuple[int, Any] = (-1, NOTSET)

    def __len__(self) -> int:
        if self._length is None:
            self._read_one(0)
        return cast(int, self._length)

    def has_element(self, number: int) -> bool:
        if self._length is None:
            self._read_one(number)
        return number < len(self)

    def _element(self, number: int) -> Any:
        value = self._read_one(number)
        if not is_given(value):
            task_id, length = self._xcom_arg.operator.task_id, self._length
            raise IndexError(
                f"the value of task {task_id!r} has {length} elements now, so this instance has none; clear the mapped task"
            )
        return value

    def _read_one(self, number: int) -> Any:
        """Return the element; NOTSET behind the end."""
        if self._last[0] != number:
            self._last = number, self._ask(number)
        return self._last[1]

    def _ask(self, number: int) -> Any:
        task, key = self._xcom_arg.operator, self._xcom_arg.key
        if not is_given(self._whole):
            pulled = self._context["ti"].pull_xcom_element(task.task_id, task.dag_id, key, number)
            if pulled is not None:
                self._check(pulled.container())
                self._length = pulled.length
                return pulled.value
            self._whole = self._check(self._xcom_arg.resolve(self._context))
            self._length = len(self._whole)
        return read_element(self._whole, number) if number < len(self._whole) else NOTSET


def _to_index(index: Any) -> int:
    try:
        return int(index.__index__())
    except AttributeError:
        raise TypeError(f"An index is a whole number or a slice, not {type(index).__name__}.") from None
