"""Identities: the group of a DAG, the key of a task instance."""

from __future__ import annotations

import zlib
from typing import NamedTuple

GROUPS = 64
RUN_ID_MAX = 250
UNMAPPED = -1
"""The map index of a task instance that is not one of several."""


def group_of(dag_id: str) -> int:
    """The group, 0 to 63, that a DAG belongs to for ever (OWNERSHIP.md, the model)."""
    return zlib.crc32(dag_id.encode()) % GROUPS


class TaskKey(NamedTuple):
    """One task instance in the store: the run, the task's number in its DAG, its map index."""

    run_pk: int
    task_no: int
    map_index: int = UNMAPPED
