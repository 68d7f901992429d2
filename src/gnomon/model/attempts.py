"""The messages about an attempt: `Attempt` to the worker, `AttemptResult` back; limits of XComs and paths of logs."""

from __future__ import annotations

import functools
import hashlib
import json
import re
import zlib
from collections.abc import Callable
from typing import Any

import msgspec

from gnomon.model.assets import AssetEmission
from gnomon.model.deferral import Deferral, Resumption
from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import Instant
from gnomon.model.run_callbacks import CallbackRequest
from gnomon.model.storable_text import find_unstorable

XCOM_MAX_BYTES = 16 * 1024 * 1024
"""The largest XCom: bytes of its JSON text in UTF-8. For a larger value, push the address of a file or an object."""
RETURN_VALUE = "return_value"
"""The XCom key of the return value, as in Airflow."""
BACKEND_VALUE = "__xcom_of_backend__"
"""The only key of the dict that is stored for a value that an XCom back end serialized in its own way."""
_SHOWN_MAX = 60
"""Characters of a refused XCom that the error message shows."""


def utf8_bytes(text: str) -> int:
    """The number of bytes of the text in UTF-8."""
    return len(text) if text.isascii() else len(text.encode())


XCOM_KEY_MAX = 512
"""Characters of the key of an XCom, as in Airflow; the index of PostgreSQL refuses a key of more than 2,700 bytes."""


def xcom_excess(what: str, text: str) -> str | None:
    """A sentence that says why this JSON text is too large for an XCom, with `what` as its subject; None within the limit.

    The sentence shows only the beginning of the value, so that reasons and logs stay readable.
    """
    size = utf8_bytes(text)
    if size <= XCOM_MAX_BYTES:
        return None
    return (
        f"{what} takes {size} bytes, the limit is {XCOM_MAX_BYTES} bytes: store the value elsewhere and push its address "
        f"(the value begins with {text[:_SHOWN_MAX]!r})"
    )


def measure_json(text: str) -> int | None:
    """The number of elements of a value in typed JSON (gnomon.model.serde); None for a value without elements, such as a number."""
    value = json.loads(text)
    if isinstance(value, dict) and "__classname__" in value:
        return None  # an object of a class
    if isinstance(value, dict) and "__type" in value:
        value = value.get("__value")  # a tuple, a set, or a dict as a list of pairs
    return len(value) if isinstance(value, dict | list) else None


def xcom_fault(what: str, key: str, text: str) -> str | None:
    """Why an XCom with this key and this JSON text cannot be stored, with `what` as the subject; None: it can."""
    if len(key) > XCOM_KEY_MAX:
        return f"the key of an XCom has at most {XCOM_KEY_MAX} characters, and this one has {len(key):,}; it begins with {key[:_SHOWN_MAX]!r}"
    if (fault := find_unstorable(key)) is not None:
        return f"{what} cannot be stored: its key contains {fault}"
    if (fault := find_unstorable(text)) is not None:
        return f"{what} is not JSON: its text contains {fault}"
    return xcom_excess(what, text)


class RunFacts(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The fields of a DAG run that a task may see."""

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
    partition_key: str | None = None
    partition_date: Instant | None = None
    bundle_version: str | None = None
    """The version of the DAG bundle whose code its tasks run; None: that of the present files."""


class TaskInstanceFacts(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The fields of a task instance of a run that a task may see."""

    task_id: str
    map_index: int = UNMAPPED
    state: str | None = None
    try_number: int = 0
    max_tries: int = 0
    started_at: Instant | None = None
    ended_at: Instant | None = None
    operator: str = ""
    """The class name of the task; empty for a task that the version of the run does not have."""
    queue: str = "default"
    pool: str = "default_pool"
    pool_slots: int = 1
    priority_weight: int = 1
    hostname: str = ""
    """The worker that has or had the newest attempt; empty before the first."""
    rendered_map_index: str | None = None


class InstanceOverrides(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What `task_instance_mutation_hook` set for one try of a task instance; None: the value of the task."""

    try_number: int
    """The number of tries before this one."""
    queue: str | None = None
    pool: str | None = None
    pool_slots: int | None = None
    priority_weight: int | None = None
    executor: str | None = None
    without_effect: tuple[str, ...] = ()
    """Other attributes that the hook set, which are not taken over."""


class ElementSource(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Which element of a return value an instance gets that is mapped over it, and the attempt that returned the value."""

    task_id: str
    """The task that returned the value; it is not mapped, and in the same run."""
    number: int
    """The place of the element; it may be behind the end."""
    seq: int
    defer_seq: int = 0


class XComElement(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One element of the list, tuple or dict that a task returned."""

    task_id: str
    number: int
    container: str
    """`list`, `tuple` or `dict`."""
    length: int
    value: str | None = None
    """The JSON text of the element, for a dict of the tuple of key and value; None behind the end."""


class Attempt(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One attempt of one task instance: everything that a worker needs to run it."""

    attempt_id: str
    group_no: int
    epoch: int
    run: RunFacts
    task_id: str
    task_no: int
    map_index: int = UNMAPPED
    kind: str = "task"
    """task | callback"""
    callback: CallbackRequest | None = None
    """For kind callback: what to call; `task_id` is then the task of the context, or empty."""
    try_number: int = 1
    max_tries: int = 0
    seq: int = 1
    """The number of the attempt within its task instance; attempts that use no try count too."""
    file: str
    """The DAG file, absolute; for a zip `archive.zip/member.py`."""
    bundle_name: str | None = None
    """The DAG bundle of the file; its version is that of the run. None: the DAG folder, or the examples."""
    input_hash: str = ""
    """The key of the zygote: attempts with equal (file, input_hash) may share one."""
    zygote_max_age_s: float | None = None
    """The maximum age of the zygote, because the file read more than its inputs at import. None: any age."""
    fresh: bool = False
    """Run in a new interpreter instead of a fork."""
    calls_listeners: bool = False
    """True when a plugin has a listener of task instances."""
    computes_links: bool = False
    """True when the task has links, of its operator or of plugins, whose URLs its code computes."""
    attempts_per_child: int = 1
    timeout_s: float | None = None
    log: str = ""
    """The log file, relative to the log folder."""
    resume: Resumption | None = None
    """The method to call instead of `execute`, when the attempt resumes after a deferral."""
    started_at: Instant | None = None
    """When the try started, for an attempt that resumes."""
    deadline_at: Instant | None = None
    """When `execution_timeout` of this try ends, deferrals included; None: `timeout_s` counts from `execute`."""
    expanded_count: int | None = None
    """The number of instances of the task at its expansion; None: it is not mapped."""
    factor_lengths: tuple[tuple[int, ...], ...] = ()
    """The lengths of the factors: those of the outermost mapped group first, those of the task's own expansion last.

    `map_index` is a number in the mixed radix of all these lengths; the last factor varies fastest.
    """
    queue: str = "default"
    """The queue of the task, for executors with a message broker."""
    executor_config: dict[str, Any] | None = None
    """What the task's `executor_config` says of its pod, for the KubernetesExecutor."""
    elements: tuple[ElementSource, ...] = ()
    """What the instance is mapped over in the return values of tasks that are not mapped, where its place in them is known."""
    overrides: InstanceOverrides | None = None
    """What `task_instance_mutation_hook` set for this try; None: no cluster policy has the hook."""


class XComItem(msgspec.Struct, frozen=True, kw_only=True):
    """One value that an attempt pushed; `value` is typed JSON text (serde)."""

    key: str
    value: str


class AttemptResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The result of an attempt: sent by the child to the worker and to the scheduler, kept until it is acknowledged."""

    attempt_id: str
    group_no: int
    run_pk: int
    task_no: int
    map_index: int = UNMAPPED
    outcome: str
    """success | failed | skipped | up_for_reschedule | deferred | awaiting_input | lost"""
    retryable: bool = True
    """False for AirflowFailException and similar errors: no further try, even if tries are left."""
    retry_delay_s: float | None = None
    """The delay before the next try that the task's retry policy decided; None: the delay of the task."""
    callbacks_called: bool = False
    """True when the process itself has called the callbacks of the task for its outcome."""
    entered: bool = True
    """False: author code was certainly not entered, and the attempt uses no try."""
    is_own_fault: bool = False
    """For lost: the process ended by itself, out of memory for example, and not because of a worker or a node. It costs a try also of a restartable task."""
    started_at: Instant | None = None
    """When the child entered `execute`, by the clock of its machine."""
    ended_at: Instant | None = None
    reason: str | None = None
    exit_code: int | None = None
    """Negative: the signal that killed the child."""
    fresh_reason: str | None = None
    """Why tasks of this file need a new interpreter from now on, if this attempt showed that they do."""
    xcoms: tuple[XComItem, ...] = ()
    skip_task_ids: tuple[str, ...] = ()
    """Tasks of the same run that a branch or short circuit skips."""
    resume_at: Instant | None = None
    """For up_for_reschedule: when the next attempt may start. For a callback that computes a deadline: the deadline."""
    wait: Deferral | None = None
    """For deferred: the trigger to wait for. For awaiting_input: the question."""
    return_length: int | None = None
    """The number of elements of the return value, if a mapped task or group of the DAG maps over it.

    None: there is no return value, it has no length, or nothing maps over it.
    """
    rendered_map_index: str | None = None
    """The rendered `map_index_template`; None: the task has none."""
    rendered_fields: str | None = None
    """A JSON object: by name the template fields as they were after rendering, cut to a length; None: all are empty, or were not rendered."""
    asset_events: tuple[AssetEmission, ...] | None = None
    """For success: the events to record. None: one for each asset among the outlets of the task's spec."""


def build_attempt_log_path(
    dag_id: str, run_id: str, task_id: str, map_index: int, seq: int, *, is_former: bool = False
) -> str:
    """`dag_id=D/run_id=R/task_id=T.[map_index=M.]attempt=N.log`; characters that a path cannot have are percent-encoded, and long ids end with a hash.

    `is_former`: as long ids were written at first, with a checksum that other ids can be made to have: to read logs of that time.
    """
    mapped = f"map_index={map_index}." if map_index != UNMAPPED else ""
    ending = _build_former_ending if is_former else _build_ending
    return f"dag_id={_quote(dag_id, ending)}/run_id={_quote(run_id, ending)}/task_id={_quote(task_id, ending)}.{mapped}attempt={seq}.log"


def build_watcher_log_path(identity: str) -> str:
    """The log of a trigger that watches assets, relative to the log folder; `identity` is that of its class and arguments."""
    return f"asset_watchers/{identity[:16]}.log"


def build_trigger_log_path(
    dag_id: str, run_id: str, task_id: str, map_index: int, seq: int, *, is_former: bool = False
) -> str:
    """The path of the trigger's log, beside the log of the attempt that deferred."""
    return f"{build_attempt_log_path(dag_id, run_id, task_id, map_index, seq, is_former=is_former).removesuffix('.log')}.trigger.log"


def build_callback_log_path(dag_id: str, run_id: str, kind: str, callback_id: str) -> str:
    """The path of the log of a callback of a run, beside the logs of the tasks."""
    return f"dag_id={_quote(dag_id, _build_ending)}/run_id={_quote(run_id, _build_ending)}/callback={kind}.{callback_id}.log"


@functools.lru_cache(maxsize=1024)  # a scheduler writes each name many times
def _quote(text: str, build_ending: Callable[[str], str]) -> str:
    if len(text) <= _SHORT and _UNSAFE.search(text) is None:
        return text
    quoted = text.replace("%", "%25").replace("/", "%2F").replace("\0", "%00").replace("\n", "%0A").encode()
    if len(quoted) <= _NAME_MAX:
        return quoted.decode()
    ending = build_ending(text)
    return f"{quoted[: _HASHED_MAX - len(ending)].decode(errors='ignore')}{ending}"


def _build_ending(text: str) -> str:
    return f"~{hashlib.blake2b(text.encode(), digest_size=8).hexdigest()}"


def _build_former_ending(text: str) -> str:
    return f"~{zlib.crc32(text.encode()):08x}"


_UNSAFE = re.compile(r"[%/\0\n]")
_SHORT = 48
"""A name of this many characters fits in any encoding."""
_NAME_MAX = 196
"""A file name is at most 255 bytes on every common file system; prefix, hash and numbers take the rest."""
_HASHED_MAX = _NAME_MAX + 9
"""Longer than any name without a hash, so that no id is the hashed name of another one."""
