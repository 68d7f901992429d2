"""Identities: the group of a DAG, the key of a task instance."""

from __future__ import annotations

import re
import shlex
import zlib
from collections.abc import Iterable
from typing import NamedTuple

GROUPS = 64
DAG_FILE_MODULE = "gnomon_dag_"
"""The prefix of the module name of a DAG file: no other process can import the file by that name."""
RUN_ID_MAX = 250
ALL_RUNS = "~"
"""In place of a run id in an address of the API: all runs."""
UNMAPPED = -1
"""The map index of a task instance of a task that is not mapped."""


def group_of(dag_id: str) -> int:
    """The group of the DAG, 0 to 63; it never changes ("The model" in docs/contributing/ownership.md)."""
    return zlib.crc32(dag_id.encode()) % GROUPS


def find_run_id_fault(text: str) -> str | None:
    """Why the text cannot be a run id, with the remedy; None when it can.

    Spaces, slashes, quotes and letters of any script are legal; characters that terminals and logs cannot show are not, nor the id that stands for
    all runs in addresses of the API.
    """
    if text == ALL_RUNS:
        return f"{ALL_RUNS} stands for all runs in addresses of the API and is no run id; choose another run id"
    if not 1 <= len(text) <= RUN_ID_MAX:
        return f"a run id has 1 to {RUN_ID_MAX} characters; this one has {len(text)}"
    match = _UNWRITABLE.search(text)
    if match is not None:
        return f"a run id is one line of text; this one has the character {match[0]!a}, leave it out"
    return None


PARTITION_KEY_MAX = 250


def find_partition_key_fault(key: object) -> str | None:
    """Why the value cannot be a partition key, with the remedy; None when it can."""
    if not isinstance(key, str):
        return f"a partition key is text, not {key!r}"
    if not key.strip():
        return f"a partition key has at least one character that is no blank, not {key!r}"
    if len(key) > PARTITION_KEY_MAX:
        return f"a partition key has at most {PARTITION_KEY_MAX} characters; this one has {len(key)}"
    match = _UNWRITABLE.search(key)
    return (
        None
        if match is None
        else f"a partition key is one line of text; this one has the character {match[0]!a}, leave it out"
    )


def quote_argument(name: str) -> str:
    """The id or name, quoted as the only argument of a shell command, without options behind it."""
    return quote_arguments(name)


def quote_arguments(*names: str, options: str = "") -> str:
    """The ids or names, quoted as the arguments of a shell command with these options behind them.

    When a name begins with `-`, the options come first and `--` ends them.
    """
    quoted = " ".join(map(shlex.quote, names))
    words = (options, "--", quoted) if any(name.startswith("-") for name in names) else (quoted, options)
    return " ".join(word for word in words if word)


def format_map_indices(indices: Iterable[int]) -> str:
    """Ascending map indices as text: `0-9, 12`; at most a few ranges."""
    ranges: list[list[int]] = []
    for index in indices:
        if ranges and index == ranges[-1][1] + 1:
            ranges[-1][1] = index
        else:
            ranges.append([index, index])
    texts = [str(first) if first == last else f"{first}-{last}" for first, last in ranges[:_MAX_RANGES]]
    return ", ".join(texts) + (" ..." if len(ranges) > _MAX_RANGES else "")


_MAX_RANGES = 5

_UNWRITABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, line and paragraph separators, what changes the direction of writing (an id would look like another one), and lone surrogates,
which UTF-8 cannot hold."""


class TaskKey(NamedTuple):
    """The key of a task instance in the store: its run, the number of its task in the DAG, its map index."""

    run_pk: int
    task_no: int
    map_index: int = UNMAPPED


_NAMES_SHOWN = 5


def shorten_names(names: Iterable[str]) -> str:
    """The first of the names, for a sentence that gives their number."""
    ordered = sorted(names)
    return ", ".join(ordered[:_NAMES_SHOWN]) + (" ..." if len(ordered) > _NAMES_SHOWN else "")
