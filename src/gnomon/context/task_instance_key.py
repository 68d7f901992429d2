"""The name of one try of one task instance, as authors and callbacks handle it."""

from __future__ import annotations

from typing import NamedTuple


class TaskInstanceKey(NamedTuple):
    """One try of one task instance."""

    dag_id: str
    task_id: str
    run_id: str
    try_number: int = 1
    map_index: int = -1

    @property
    def primary(self) -> tuple[str, str, str, int]:
        """The task instance, whatever its try."""
        return self.dag_id, self.task_id, self.run_id, self.map_index

    @property
    def reduced(self) -> TaskInstanceKey:
        """The try before this one, at least 1."""
        return self._replace(try_number=max(1, self.try_number - 1))

    @property
    def key(self) -> TaskInstanceKey:
        """Itself: some callers take a task instance or its key."""
        return self

    def with_try_number(self, try_number: int) -> TaskInstanceKey:
        """Another try of the same task instance."""
        return self._replace(try_number=try_number)
