"""Facts that travel to a worker with an attempt, and back from it as its result."""

from __future__ import annotations

import re
import zlib

import msgspec

from gnomon.model.deferral import Deferral, Resumption
from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import Instant

XCOM_MAX_BYTES = 16 * 1024 * 1024
"""The largest XCom: bytes of its JSON text in UTF-8. A larger value belongs in a file or an object store, and its address here."""
_SHOWN_MAX = 60
"""Characters of a refused XCom that its refusal shows."""


def utf8_bytes(text: str) -> int:
    """How many bytes the text takes in UTF-8."""
    return len(text) if text.isascii() else len(text.encode())


def xcom_excess(what: str, text: str) -> str | None:
    """Why this JSON text is too large for an XCom, in a sentence about `what`; None for one within the limit.

    The sentence shows the beginning of the value only: a reason and a log must stay readable.
    """
    size = utf8_bytes(text)
    if size <= XCOM_MAX_BYTES:
        return None
    return (
        f"{what} takes {size} bytes, the limit is {XCOM_MAX_BYTES} bytes: store the value elsewhere and push its address "
        f"(the value begins with {text[:_SHOWN_MAX]!r})"
    )


class RunFacts(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One DAG run as a task may see it."""

    run_pk: int
    dag_id: str
    run_id: str
    run_type: str
    run_after: Instant
    logical_at: Instant | None = None
    interval_start: Instant | None = None
    interval_end: Instant | None = None
    queued_at: Instant | None = None
    started_at: Instant | None = None
    ended_at: Instant | None = None
    state: str = "running"
    conf: dict[str, object] = {}
    clear_number: int = 0


class Attempt(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One attempt of one task instance: all that a worker needs to run it."""

    attempt_id: str
    group_no: int
    epoch: int
    run: RunFacts
    task_id: str
    task_no: int
    map_index: int = UNMAPPED
    kind: str = "task"
    """task | callback"""
    try_number: int = 1
    max_tries: int = 0
    seq: int = 1
    """Counts the attempts of this task instance, retries that cost no try included."""
    file: str
    """The DAG file, absolute; for a zip `archive.zip/member.py`."""
    input_hash: str = ""
    """Names the zygote: attempts with equal (file, input_hash) may share one."""
    zygote_max_age_s: float | None = None
    """An older zygote must not be used: the file looked further than its inputs when it was imported. None: any age."""
    fresh: bool = False
    """Run in a new interpreter instead of a fork."""
    attempts_per_child: int = 1
    timeout_s: float | None = None
    log: str = ""
    """The log file, relative to the log folder."""
    resume: Resumption | None = None
    """It goes on after a wait: this is called instead of `execute`."""
    started_at: Instant | None = None
    """Of a try that goes on: when it started first."""
    deadline_at: Instant | None = None
    """When `execution_timeout` of this try ends, waits included; None: `timeout_s` counts from `execute` on."""


class XComItem(msgspec.Struct, frozen=True, kw_only=True):
    """One value that an attempt pushed; `value` is typed JSON text (serde)."""

    key: str
    value: str


class AttemptResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How an attempt ended: one frame from child to worker to scheduler, kept until acknowledged."""

    attempt_id: str
    group_no: int
    run_pk: int
    task_no: int
    map_index: int = UNMAPPED
    outcome: str
    """success | failed | skipped | up_for_reschedule | deferred | lost"""
    retryable: bool = True
    """False for AirflowFailException and the like: no further try whatever is left."""
    entered: bool = True
    """False: it is known that author code was not entered; the attempt costs no try."""
    started_at: Instant | None = None
    """When the child entered `execute`, by its own clock."""
    ended_at: Instant | None = None
    reason: str | None = None
    exit_code: int | None = None
    """Negative: the signal that killed the child."""
    fresh_reason: str | None = None
    """Why this file's tasks need a fresh interpreter from now on, when that was found out."""
    xcoms: tuple[XComItem, ...] = ()
    skip_task_ids: tuple[str, ...] = ()
    """Tasks of the same run that a branch or short circuit skips."""
    resume_at: Instant | None = None
    """up_for_reschedule: when to try again."""
    wait: Deferral | None = None
    """deferred: what it waits for."""


def escape_unstorable(text: str) -> str:
    """The same text; a null character, which PostgreSQL cannot hold, and half a character, which UTF-8 cannot, is shown as its escape."""
    if text.isascii() and "\0" not in text:
        return text
    return text.replace("\0", "\\x00").encode("utf-8", "backslashreplace").decode()


def build_attempt_log_path(dag_id: str, run_id: str, task_id: str, map_index: int, seq: int) -> str:
    """`dag_id=D/run_id=R/task_id=T.[map_index=M.]attempt=N.log`; what a path cannot hold is percent-encoded."""
    mapped = f"map_index={map_index}." if map_index != UNMAPPED else ""
    return f"dag_id={_quote(dag_id)}/run_id={_quote(run_id)}/task_id={_quote(task_id)}.{mapped}attempt={seq}.log"


def build_trigger_log_path(dag_id: str, run_id: str, task_id: str, map_index: int, seq: int) -> str:
    """Beside the attempt's: what its trigger says while the task is deferred."""
    return f"{build_attempt_log_path(dag_id, run_id, task_id, map_index, seq).removesuffix('.log')}.trigger.log"


def _quote(text: str) -> str:
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
