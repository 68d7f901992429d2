"""The key of one try of a task instance."""

from __future__ import annotations

from typing import NamedTuple


class TaskInstanceKey(NamedTuple):
    """The key of one try of a task instance."""

    dag_id: str
    task_id: str
    run_id: str
    try_number: int = 1
    map_index: int = -1

    @property
    def primary(self) -> tuple[str, str, str, int]:
        """The key of the task instance, without the try."""
        return self.dag_id, self.task_id, self.run_id, self.map_index

    @property
    def reduced(self) -> TaskInstanceKey:
        """The key of the previous try; the try number is at least 1."""
        return self._replace(try_number=max(1, self.try_number - 1))

    @property
    def key(self) -> TaskInstanceKey:
        """This key: some callers accept a task instance or its key."""
        return self

    def with_try_number(self, try_number: int) -> TaskInstanceKey:
        """Return the key of another try of the same task instance."""
        return self._replace(try_number=try_number)
