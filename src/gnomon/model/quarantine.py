"""What a scheduler has set aside: a message that could not be read or applied, a DAG, or a whole group."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import Instant

DAG_KIND = "dag"
"""The kind of the row of a DAG that is set aside."""
GROUP_KIND = "group"
"""The kind of the row of a group that is set aside."""
_DAG_PREFIX = "dag:"
_GROUP_PREFIX = "group:"
REASON_MAX = 2000
"""Characters of a stored reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuarantinedItem:
    """A row of the table `quarantine`. Fields about a DAG, a run, a task or an attempt are None when they are not known."""

    kind: str
    """The kind of the message, DAG_KIND or GROUP_KIND."""
    group_no: int
    reason: str
    error_class: str
    at: Instant
    body: bytes = b""
    key: str | None = None
    dag_pk: int | None = None
    dag_id: str | None = None
    run_pk: int | None = None
    run_id: str | None = None
    task_id: str | None = None
    task_no: int | None = None
    map_index: int = UNMAPPED
    attempt: str | None = None
    returns_with_dag: bool = False
    """The message waits for its DAG, which is set aside, and returns to the mailbox with it."""
    quarantine_pk: int | None = None
    """None: not stored yet."""

    @property
    def is_dag(self) -> bool:
        """Whether it is a DAG that is set aside. The key decides: a message may be of any kind."""
        return self.key is not None and self.key.startswith(_DAG_PREFIX)

    @property
    def is_group(self) -> bool:
        """Whether it is a group that is set aside."""
        return self.key is not None and self.key.startswith(_GROUP_PREFIX)

    @property
    def is_message(self) -> bool:
        """False for a DAG or a group."""
        return not self.is_dag and not self.is_group


def message_key(key: str | None) -> str | None:
    """The key of the row of a message with this key: none where a DAG or a group that is set aside could have it."""
    return None if key is None or key.startswith((_DAG_PREFIX, _GROUP_PREFIX)) else key


def dag_key(dag_pk: int) -> str:
    """The key of the row of a DAG that is set aside."""
    return f"{_DAG_PREFIX}{dag_pk}"


def group_key(group_no: int) -> str:
    """The key of the row of a group that is set aside."""
    return f"{_GROUP_PREFIX}{group_no}"
