"""What deferred task instances wait for, as their owner writes and reads it. Arguments and payloads are encrypted."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from gnomon.model.deferral import EMPTY_KWARGS, Deferral, DeferralResult
from gnomon.model.ids import TaskKey
from gnomon.model.records import DeferralRecord, TaskRecord
from gnomon.model.sentences import render, say
from gnomon.model.states import FINISHED_TASK_STATES
from gnomon.storage.store.dag_records.hitl_details import decode_question
from gnomon.storage.store.encryption.cipher import Cipher
from gnomon.storage.store.errors import WrongKey
from gnomon.storage.store.transaction import Row, Transaction

RUNS_PER_STATEMENT = 5000
"""The largest number of runs in one statement."""
_result_encoder = msgspec.json.Encoder()
_result_decoder = msgspec.json.Decoder(DeferralResult)


def encode_deferrals(records: Iterable[DeferralRecord], cipher: Cipher) -> list[Row]:
    """The columns of `deferrals.add`. All instances of a task share one start trigger, so that it is encrypted once for them."""
    encrypted: dict[int, tuple[str, str | None]] = {}
    rows = []
    for record in records:
        request = record.request
        arguments = encrypted.get(id(request))
        if arguments is None:
            next_kwargs = None if request.next_kwargs == EMPTY_KWARGS else cipher.encrypt(request.next_kwargs)
            arguments = encrypted[id(request)] = cipher.encrypt(request.kwargs), next_kwargs
        rows.append(_encode_deferral(record, *arguments, cipher))
    return rows


def _encode_deferral(record: DeferralRecord, kwargs: str, next_kwargs: str | None, cipher: Cipher) -> Row:
    request = record.request
    return (
        record.run_pk,
        record.task_no,
        record.map_index,
        record.defer_seq,
        record.dag_pk,
        request.classpath,
        kwargs,
        request.next_method,
        next_kwargs,
        request.queue,
        record.due_at,
        _to_float(request.due_in_s),
        record.timeout_at,
        _to_float(request.timeout_s),
        request.ends_task,
        record.held_slots,
        encrypt_result(record.result, cipher),
        record.priority,
        record.created_at,
    )


def encode_result_row(record: DeferralRecord, cipher: Cipher) -> Row:
    """The columns of `deferrals.set_result`."""
    return (*record.key, record.held_slots, encrypt_result(record.result, cipher))


def encode_trigger_end(key: TaskKey, on_kill: bool) -> Row:
    """The columns of `deferrals.end_triggers`."""
    return (*key, on_kill)


def load_deferrals(tx: Transaction, run_pks: Iterable[int]) -> dict[TaskKey, DeferralRecord]:
    """The deferrals of these runs by task instance, without the arguments of the triggers, which only a triggerer needs.

    A value that the key of this host does not decrypt fails its own task when the task continues.
    """
    ordered = list(run_pks)
    batches = [ordered[start : start + RUNS_PER_STATEMENT] for start in range(0, len(ordered), RUNS_PER_STATEMENT)]
    shared: dict[Row, Deferral] = {}
    records = (
        _decode_deferral(row, tx.cipher, shared)
        for keys in batches
        for row in tx.all("deferrals.of_runs", run_pks=keys)
    )
    return {record.key: record for record in records}


def attach_deferrals(tx: Transaction, tasks: Iterable[TaskRecord]) -> None:
    """Set `deferral` of every unfinished task instance that has deferred. Without one no statement is executed."""
    deferred = [
        task for task in tasks if task.defer_seq and task.state is not None and task.state not in FINISHED_TASK_STATES
    ]
    if not deferred:
        return
    records = load_deferrals(tx, sorted({task.run_pk for task in deferred}))
    for task in deferred:
        task.deferral = records.get(task.key)


def encrypt_result(result: DeferralResult | None, cipher: Cipher) -> str | None:
    """The stored form of a result. A result without data of an author is not encrypted."""
    if result is None:
        return None
    text = _result_encoder.encode(result).decode()
    return text if result.is_bare else cipher.encrypt(text)


def decrypt_result(stored: str | None, cipher: Cipher) -> DeferralResult | None:
    """The inverse of `encrypt_result`. Raises WrongKey, also for a result in clear text that should be encrypted."""
    if stored is None:
        return None
    result = _result_decoder.decode(stored if is_plaintext(stored) else cipher.decrypt(stored))
    if is_plaintext(stored) and not result.is_bare:
        raise WrongKey(say("event_is_in_clear_text"))
    return result


def is_plaintext(text: str) -> bool:
    """Whether a stored text is JSON; an encrypted text never looks like JSON."""
    return text.startswith(("{", "["))


def _to_float(seconds: float | None) -> float | None:
    """Converts integers, because the driver of PostgreSQL takes no list of integers and floats."""
    return None if seconds is None else float(seconds)


def _decode_deferral(row: Row, cipher: Cipher, shared: dict[Row, Deferral]) -> DeferralRecord:
    """`shared` holds start triggers that many instances have in common, so that each is decrypted and kept once."""
    (
        run_pk,
        task_no,
        map_index,
        defer_seq,
        dag_pk,
        classpath,
        next_method,
        next_kwargs,
        queue,
        due_at,
        due_in_s,
        timeout_at,
        timeout_s,
        ends_task,
        held_slots,
        result,
        priority,
        created_at,
        question,
    ) = row
    shared_key = (
        next_kwargs,
        classpath,
        next_method,
        queue,
        timeout_s,
        due_at if due_in_s is None else None,
        due_in_s,
        ends_task,
        question,
    )
    request = shared.get(shared_key)
    if request is None:
        request = shared[shared_key] = Deferral(
            classpath=classpath,
            next_method=next_method,
            next_kwargs=_decrypt_kwargs(next_kwargs, cipher),
            timeout_s=timeout_s,
            queue=queue,
            due_at=due_at if due_in_s is None else None,
            due_in_s=due_in_s,
            ends_task=bool(ends_task),
            hitl=decode_question(question),
        )
    return DeferralRecord(
        run_pk,
        task_no,
        map_index,
        defer_seq,
        dag_pk,
        request,
        created_at,
        priority,
        due_at,
        timeout_at,
        held_slots,
        _decrypt_or_error(result, cipher),
    )


def _decrypt_kwargs(next_kwargs: str | None, cipher: Cipher) -> str:
    """Typed JSON of a mapping; when it cannot be decrypted, of the reason, which the attempt that continues reports."""
    try:
        return EMPTY_KWARGS if next_kwargs is None else cipher.decrypt(next_kwargs)
    except WrongKey as error:
        return _result_encoder.encode(str(error)).decode()


def _decrypt_or_error(stored: str | None, cipher: Cipher) -> DeferralResult | None:
    try:
        return decrypt_result(stored, cipher)
    except WrongKey as error:
        return DeferralResult(outcome="error", reason=render(say("event_cannot_be_read", error=str(error))))
