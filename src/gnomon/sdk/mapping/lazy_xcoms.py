"""The values of all instances of a mapped task, read from the server when they are used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

from gnomon.model.task_api_requests import XCOM_BATCH, GetXComBatch, GetXComCount
from gnomon.sdk.mapping.resolved_sequences import ResolvedSequence
from gnomon.sdk.runtime import channel
from gnomon.sdk.runtime.xcom import decode_xcom


class LazyXComSequence(ResolvedSequence):
    """The values that the instances of a task pushed under one key, in the order of their map indexes.

    An instance that pushed nothing has no element. A loop reads the values in batches, an index reads one value. `xcom_arg` is a
    PlainXComArg, `ti` a task instance of the run.
    """

    def __init__(self, *, xcom_arg: Any, ti: Any) -> None:
        self._xcom_arg = xcom_arg
        self._run_id: str = ti.run_id
        self._length: int | None = None

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

    def _element(self, number: int) -> Any:
        found = self._read(number, 1)
        if not found:
            raise IndexError(number)
        return found[0]

    def _read(self, start: int, limit: int) -> Sequence[Any]:
        """Return at most `limit` values from number `start` on; fewer when they are large, none behind the end."""
        task, key = self._xcom_arg.operator, self._xcom_arg.key
        question = GetXComBatch(
            dag_id=task.dag_id, run_id=self._run_id, task_id=task.task_id, key=key, start=start, limit=min(limit, XCOM_BATCH)
        )
        names = {"key": key, "task_id": task.task_id, "dag_id": task.dag_id, "run_id": self._run_id}
        return [decode_xcom(text, **names, map_index=None) for text in cast("list[str]", channel.ask(question))]

    def __repr__(self) -> str:
        if self._length is None:
            return "LazyXComSequence(<unevaluated length>)"
        return f"LazyXComSequence([{self._length} item{'' if self._length == 1 else 's'}])"


def _to_index(index: Any) -> int:
    try:
        return int(index.__index__())
    except AttributeError:
        raise TypeError(f"An index is a whole number or a slice, not {type(index).__name__}.") from None
