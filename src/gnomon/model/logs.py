"""Where the log of an attempt is, relative to the log folder."""

from __future__ import annotations

import re

from gnomon.model.ids import UNMAPPED


def attempt_log(dag_id: str, run_id: str, task_id: str, map_index: int, seq: int) -> str:
    """`dag_id=D/run_id=R/task_id=T/[map_index=M/]attempt=N.log`; characters that a path cannot hold are percent-encoded."""
    parts = [f"dag_id={_quoted(dag_id)}", f"run_id={_quoted(run_id)}", f"task_id={_quoted(task_id)}"]
    if map_index != UNMAPPED:
        parts.append(f"map_index={map_index}")
    parts.append(f"attempt={seq}.log")
    return "/".join(parts)


def _quoted(text: str) -> str:
    if len(text) <= _SHORT and _UNSAFE.search(text) is None:
        return text
    quoted = text.replace("%", "%25").replace("/", "%2F").replace("\0", "%00").replace("\n", "%0A")
    return quoted if len(quoted.encode()) <= _NAME_MAX else quoted.encode()[:_NAME_MAX].decode(errors="ignore")


_UNSAFE = re.compile(r"[%/\0\n]")
_SHORT = 58
"""So many characters fit whatever their encoding."""
_NAME_MAX = 235
"""A file name is at most 255 bytes on every common file system; the prefix takes the rest."""
