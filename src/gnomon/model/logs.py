"""Where the log of an attempt is, relative to the log folder.

One folder a run: making a folder costs an attempt more than running a small task does.
"""

from __future__ import annotations

import re
import zlib

from gnomon.model.ids import UNMAPPED


def attempt_log(dag_id: str, run_id: str, task_id: str, map_index: int, seq: int) -> str:
    """`dag_id=D/run_id=R/task_id=T.[map_index=M.]attempt=N.log`; what a path cannot hold is percent-encoded."""
    mapped = f"map_index={map_index}." if map_index != UNMAPPED else ""
    return f"dag_id={_quoted(dag_id)}/run_id={_quoted(run_id)}/task_id={_quoted(task_id)}.{mapped}attempt={seq}.log"


def trigger_log(dag_id: str, run_id: str, task_id: str, map_index: int, seq: int) -> str:
    """Beside the attempt's: what its trigger says while the task is deferred."""
    return f"{attempt_log(dag_id, run_id, task_id, map_index, seq).removesuffix('.log')}.trigger.log"


def _quoted(text: str) -> str:
    if len(text) <= _SHORT and _UNSAFE.search(text) is None:
        return text
    quoted = text.replace("%", "%25").replace("/", "%2F").replace("\0", "%00").replace("\n", "%0A").encode()
    if len(quoted) <= _NAME_MAX:
        return quoted.decode()
    return f"{quoted[:_NAME_MAX].decode(errors='ignore')}~{zlib.crc32(text.encode()):08x}"


_UNSAFE = re.compile(r"[%/\0\n]")
_SHORT = 48
"""So many characters fit whatever their encoding."""
_NAME_MAX = 196
"""A file name is at most 255 bytes on every common file system; prefix, checksum and numbers take the rest."""
