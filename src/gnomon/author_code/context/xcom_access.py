"""XComs of a running task: pulled by a request to the server, pushed as a part of the result of the attempt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, cast

from gnomon.authoring.sdk.arguments.notset import NOTSET, ArgNotSet
from gnomon.authoring.sdk.connections.channel import Channel
from gnomon.authoring.sdk.runtime.xcom import decode_xcom, encode_xcom, find_backend
from gnomon.model.attempts import Attempt, xcom_fault
from gnomon.model.errors.authoring import XComOverLimit
from gnomon.model.task_api_requests import GetXComElement, GetXComs

MapIndexes = int | Iterable[int] | None | ArgNotSet


_CONTAINERS: dict[str, type[Any]] = {"list": list, "tuple": tuple, "dict": dict}


class PulledElement(NamedTuple):
    """One element of a container: the type and the number of elements of the container, and the value; NOTSET behind the end."""

    container: type[Any]
    length: int
    value: Any


class AttemptXComs:
    """The XComs that an attempt pulls and pushes. A pushed XCom can be pulled at once by the same attempt."""

    def __init__(self, attempt: Attempt, channel: Channel) -> None:
        self._attempt = attempt
        self._channel = channel
        self.pushed_xcoms: dict[str, str] = {}
        """The pushed values by key, as typed JSON."""

    def push(self, key: str, value: object) -> None:
        """Push the current state of `value` under `key`.

        Raises NotSerializable, with the key, the type and the path inside the value, or XComOverLimit (a ValueError), with the
        key, the size and the limit.
        """
        if not isinstance(key, str) or not key:
            raise ValueError(f"xcom_push in task {self._attempt.task_id!r}: the key must be text, not {key!r}.")
        what = f"XCom {key!r} of task {self._attempt.task_id!r}"
        text = encode_xcom(value, what=what, key=key)
        fault = xcom_fault(what, key, text)
        if fault is not None:
            raise XComOverLimit(fault)
        self.pushed_xcoms[key] = text

    def pull(
        self,
        task_ids: str | Iterable[str] | None,
        dag_id: str | None,
        key: str,
        include_prior_dates: bool,
        map_indexes: MapIndexes,
        default: Any,
        run_id: str | None,
    ) -> Any:
        """Return one value for one task, a list for several tasks; `default` for a missing value.

        Without `task_ids`: the value of the task itself (Airflow 3); if it has none, the newest value that a task of the run
        pushed under the key (Airflow 2).
        """
        ids = (task_ids,) if isinstance(task_ids, str) else None if task_ids is None else tuple(task_ids)
        where = (dag_id or self._attempt.run.dag_id, run_id or self._attempt.run.run_id)
        indexes = _to_map_indexes(map_indexes)
        if ids is None:
            return self._own_or_newest(where, key, indexes, include_prior_dates, default)
        by_task = self._collect(where, key, ids, indexes, include_prior_dates)
        is_single_task = isinstance(task_ids, str)
        if is_single_task and isinstance(map_indexes, int | None):
            return next(iter(by_task.values()), default)
        values = _order_values(by_task, ids, indexes, default)
        if is_single_task and indexes is None and len(values) == 1:
            return values[0]
        return values

    def pull_element(self, task_id: str, dag_id: str, key: str, number: int) -> PulledElement | None:
        """Return the element at this place of the list, tuple or dict that a task of the run pushed, without the others.

        None when `pull` has to read the value: of a mapped task, of another type, of a back end of the author, which reads whole values.
        """
        if find_backend() is not None:
            return None
        answer = self._channel.ask(
            GetXComElement(dag_id=dag_id, run_id=self._attempt.run.run_id, task_id=task_id, key=key, number=number)
        )
        if answer is None:
            return None
        element = cast(dict[str, Any], answer)
        value = (
            NOTSET
            if element["value"] is None
            else self._decode(key, task_id, -1, (dag_id, self._attempt.run.run_id), element["value"])
        )
        return PulledElement(_CONTAINERS[element["container"]], element["length"], value)

    def _own_or_newest(
        self, where: tuple[str, str], key: str, indexes: Sequence[int] | None, prior: bool, default: Any
    ) -> Any:
        if where == self._own_run and key in self.pushed_xcoms:
            return self._decode(key, self._attempt.task_id, self._attempt.map_index, where, self.pushed_xcoms[key])
        task_id, map_index = self._attempt.task_id, self._attempt.map_index
        own = self._collect(where, key, (task_id,), indexes, prior)
        if own:
            return own[task_id, map_index] if (task_id, map_index) in own else next(iter(own.values()))
        return next(reversed(list(self._collect(where, key, None, indexes, prior).values())), default)

    def _collect(
        self,
        where: tuple[str, str],
        key: str,
        task_ids: tuple[str, ...] | None,
        indexes: Sequence[int] | None,
        prior: bool,
    ) -> dict[tuple[str, int], object]:
        """Return (task id, map index) to the newest value."""
        values: dict[tuple[str, int], object] = {}
        if self._needs_question(where, key, task_ids, indexes):
            question = GetXComs(
                dag_id=where[0],
                run_id=where[1],
                key=key,
                task_ids=task_ids,
                map_indexes=None if indexes is None else tuple(indexes),
                include_prior_dates=prior,
            )
            for item in cast(list[dict[str, Any]], self._channel.ask(question)):
                place = item["task_id"], item["map_index"]
                if place not in values:
                    values[place] = self._decode(key, *place, where, item["value"])
        task_id, map_index = self._attempt.task_id, self._attempt.map_index
        includes_own = (task_ids is None or task_id in task_ids) and (indexes is None or map_index in indexes)
        if includes_own and where == self._own_run and key in self.pushed_xcoms:
            values[task_id, map_index] = self._decode(key, task_id, map_index, where, self.pushed_xcoms[key])
        return values

    def _decode(self, key: str, task_id: str, map_index: int, where: tuple[str, str], text: str) -> object:
        """The value of an XCom, as the back end of `[core] xcom_backend` reads it."""
        return decode_xcom(text, key=key, task_id=task_id, dag_id=where[0], run_id=where[1], map_index=map_index)

    def _needs_question(
        self, where: tuple[str, str], key: str, task_ids: tuple[str, ...] | None, indexes: Sequence[int] | None
    ) -> bool:
        is_own_value = task_ids == (self._attempt.task_id,) and where == self._own_run and key in self.pushed_xcoms
        return not (is_own_value and indexes is None and self._attempt.map_index < 0)

    @property
    def _own_run(self) -> tuple[str, str]:
        return self._attempt.run.dag_id, self._attempt.run.run_id


def _to_map_indexes(map_indexes: MapIndexes) -> tuple[int, ...] | None:
    if map_indexes is None:
        return (-1,)
    if isinstance(map_indexes, int):
        return (map_indexes,)
    if isinstance(map_indexes, ArgNotSet):
        return None
    return tuple(map_indexes)


def _order_values(
    values_by_place: dict[tuple[str, int], object], task_ids: Sequence[str], indexes: Sequence[int] | None, default: Any
) -> list[Any]:
    """Return the values in the order of the tasks, each with all or the given map indexes; `default` for a missing value."""
    values: list[Any] = []
    for task_id in task_ids:
        if indexes is not None:
            values.extend(values_by_place.get((task_id, index), default) for index in indexes)
        else:
            task_values = [values_by_place[key] for key in sorted(key for key in values_by_place if key[0] == task_id)]
            values.extend(task_values or [default])
    return values
