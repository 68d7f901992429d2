"""What tasks hand to one another: pulling by question, pushing into the result of the attempt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

from gnomon.errors.authoring import XComOverLimit
from gnomon.model.attempts import Attempt, xcom_excess
from gnomon.model.task_api_requests import GetXComs
from gnomon.sdk.arguments.notset import ArgNotSet
from gnomon.sdk.runtime.channel import Channel
from gnomon.serde import dumps, loads

MapIndexes = int | Iterable[int] | None | ArgNotSet


class AttemptXComs:
    """The XComs that one attempt may see, and those it pushes; its own count at once."""

    def __init__(self, attempt: Attempt, channel: Channel) -> None:
        self._attempt = attempt
        self._channel = channel
        self.pushed_xcoms: dict[str, str] = {}
        """By key, as typed JSON."""

    def push(self, key: str, value: object) -> None:
        """The attempt pushes `value`, as it is now, under `key`. NotSerializable names key, type and place inside.

        XComOverLimit (a ValueError) names key, size and limit.
        """
        if not isinstance(key, str) or not key:
            raise ValueError(f"xcom_push in task {self._attempt.task_id!r}: the key must be text, not {key!r}.")
        what = f"XCom {key!r} of task {self._attempt.task_id!r}"
        text = dumps(value, what=what)
        excess = xcom_excess(what, text)
        if excess is not None:
            raise XComOverLimit(excess)
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
        """One value for one task, a list for several; `default` for one that is not there.

        No `task_ids`: the task's own value (Airflow 3); when it has none, the newest that any task of the run pushed
        under the key (Airflow 2).
        """
        wanted = (task_ids,) if isinstance(task_ids, str) else None if task_ids is None else tuple(task_ids)
        where = (dag_id or self._attempt.run.dag_id, run_id or self._attempt.run.run_id)
        indexes = _to_map_indexes(map_indexes)
        if wanted is None:
            return self._own_or_newest(where, key, indexes, include_prior_dates, default)
        found = self._collect(where, key, wanted, indexes, include_prior_dates)
        one_task = isinstance(task_ids, str)
        if one_task and isinstance(map_indexes, int | None):
            return next(iter(found.values()), default)
        values = _order_values(found, wanted, indexes, default)
        if one_task and indexes is None and len(values) == 1:
            return values[0]
        return values

    def _own_or_newest(
        self, where: tuple[str, str], key: str, indexes: Sequence[int] | None, prior: bool, default: Any
    ) -> Any:
        if where == self._own_run and key in self.pushed_xcoms:
            return loads(self.pushed_xcoms[key])
        own = self._collect(where, key, (self._attempt.task_id,), indexes, prior)
        if own:
            return next(iter(own.values()))
        return next(reversed(list(self._collect(where, key, None, indexes, prior).values())), default)

    def _collect(
        self,
        where: tuple[str, str],
        key: str,
        task_ids: tuple[str, ...] | None,
        indexes: Sequence[int] | None,
        prior: bool,
    ) -> dict[tuple[str, int], object]:
        """(task id, map index) to the newest value."""
        found: dict[tuple[str, int], object] = {}
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
                found.setdefault((item["task_id"], item["map_index"]), loads(item["value"]))
        task_id, map_index = self._attempt.task_id, self._attempt.map_index
        mine = (task_ids is None or task_id in task_ids) and (indexes is None or map_index in indexes)
        if mine and where == self._own_run and key in self.pushed_xcoms:
            found[task_id, map_index] = loads(self.pushed_xcoms[key])
        return found

    def _needs_question(
        self, where: tuple[str, str], key: str, task_ids: tuple[str, ...] | None, indexes: Sequence[int] | None
    ) -> bool:
        mine = task_ids == (self._attempt.task_id,) and where == self._own_run and key in self.pushed_xcoms
        return not (mine and indexes is None and self._attempt.map_index < 0)

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
    found: dict[tuple[str, int], object], task_ids: Sequence[str], indexes: Sequence[int] | None, default: Any
) -> list[Any]:
    """The values task by task; of each all map indexes, or those asked for, `default` where nothing is."""
    values: list[Any] = []
    for task_id in task_ids:
        if indexes is not None:
            values.extend(found.get((task_id, index), default) for index in indexes)
        else:
            here = [found[place] for place in sorted(place for place in found if place[0] == task_id)]
            values.extend(here or [default])
    return values
