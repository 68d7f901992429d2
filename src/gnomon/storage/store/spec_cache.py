"""Decoded specs and numbers of tasks in memory, for a process that is asked about the same DAGs again and again."""

from __future__ import annotations

import threading
from collections import OrderedDict

from gnomon.model.spec import DagSpec

TASKS_KEPT_MAX = 20_000
"""The most tasks in memory, of all specs together: about 30 MB. The specs that were not needed for the longest time are left out."""


class SpecCache:
    """Keeps specs by the bytes that the database holds, so that a spec which was replaced is never found."""

    def __init__(self) -> None:
        self._kept: OrderedDict[bytes, DagSpec] = OrderedDict()
        self._numbers: dict[tuple[int, int, int], dict[str, int]] = {}
        self._numbers_count = 0
        self._tasks = 0
        self._guard = threading.Lock()

    def find(self, packed: bytes) -> DagSpec | None:
        """The spec; None when it is not in memory."""
        with self._guard:
            spec = self._kept.get(packed)
            if spec is not None:
                self._kept.move_to_end(packed)
            return spec

    def keep(self, packed: bytes, spec: DagSpec) -> None:
        """Keep the spec, which nobody changes."""
        with self._guard:
            if packed in self._kept:
                return
            self._kept[packed] = spec
            self._tasks += len(spec.tasks) + 1
            while self._tasks > TASKS_KEPT_MAX:
                _, left_out = self._kept.popitem(last=False)
                self._tasks -= len(left_out.tasks) + 1

    def find_numbers(self, dag_pk: int, version_pk: int, plan_seq: int) -> dict[str, int] | None:
        """The numbers of the tasks of a DAG with this newest version; None when they are not in memory. Nobody changes them.

        A further task gets its number in the transaction that makes a version the newest, which increases `plan_seq`, also if the version was it before.
        """
        return self._numbers.get((dag_pk, version_pk, plan_seq))

    def keep_numbers(self, dag_pk: int, version_pk: int, plan_seq: int, numbers: dict[str, int]) -> None:
        """Keep the numbers of the tasks of a DAG with this newest version and `plan_seq`."""
        with self._guard:
            self._numbers_count += len(numbers)
            if self._numbers_count > TASKS_KEPT_MAX:
                self._numbers.clear()
                self._numbers_count = len(numbers)
            self._numbers[dag_pk, version_pk, plan_seq] = numbers
