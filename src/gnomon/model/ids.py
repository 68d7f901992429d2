"""Identities: the group of a DAG, the key of a task instance."""

from __future__ import annotations

import re
import shlex
import zlib
from typing import NamedTuple

GROUPS = 64
DAG_FILE_MODULE = "gnomon_dag_"
"""Begins the name under which a DAG file is imported: no other process can import it by that name."""
RUN_ID_MAX = 250
UNMAPPED = -1
"""The map index of a task instance that is not one of several."""


def group_of(dag_id: str) -> int:
    """The group, 0 to 63, that a DAG belongs to for ever (OWNERSHIP.md, the model)."""
    return zlib.crc32(dag_id.encode()) % GROUPS


def find_run_id_fault(text: str) -> str | None:
    """What keeps a text from being a run id, with the remedy; None when nothing does.

    Spaces, slashes, quotes, letters of any script: all are legal. What no terminal, address or log shows is not.
    """
    if not 1 <= len(text) <= RUN_ID_MAX:
        return f"a run id has 1 to {RUN_ID_MAX} characters; this one has {len(text)}"
    found = _UNWRITABLE.search(text)
    if found is not None:
        return f"a run id is one line of text; this one has the character {found[0]!a}, leave it out"
    return None


def quote_argument(run_id: str) -> str:
    """The run id as a person can paste it into a command line."""
    return f"-- {shlex.quote(run_id)}" if run_id.startswith("-") else shlex.quote(run_id)


_UNWRITABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Control characters, line and paragraph separators, and halves of a character that UTF-8 cannot hold."""


class TaskKey(NamedTuple):
    """One task instance in the store: the run, the task's number in its DAG, its map index."""

    run_pk: int
    task_no: int
    map_index: int = UNMAPPED
