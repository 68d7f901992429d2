"""What deferred task instances wait for, as their owner writes and reads it. Arguments and payloads are sealed."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from gnomon.model.deferral import EMPTY_KWARGS, Deferral, DeferralResult
from gnomon.model.ids import TaskKey
from gnomon.model.records import DeferralRecord, TaskRecord
from gnomon.model.states import FINISHED_TASK_STATES
from gnomon.store.encryption.cipher import Cipher
from gnomon.store.errors import WrongKey
from gnomon.store.transaction import Row, Transaction

RUNS_PER_STATEMENT = 5000
"""Runs that one statement is given."""
_result_encoder = msgspec.json.Encoder()
_result_decoder = msgspec.json.Decoder(DeferralResult)


def encode_deferrals(waits: Iterable[DeferralRecord], cipher: Cipher) -> list[Row]:
    """The columns of `waits.add`. What a task starts from is one object for all its instances, and sealed once for them."""
    sealed: dict[int, tuple[str, str | None]] = {}
    rows = []
    for wait in waits:
        w = wait.request
        arguments = sealed.get(id(w))
        if arguments is None:
            next_kwargs = None if w.next_kwargs == EMPTY_KWARGS else cipher.encrypt(w.next_kwargs)
            arguments = sealed[id(w)] = cipher.encrypt(w.kwargs), next_kwargs
        rows.append(_encode_deferral(wait, *arguments, cipher))
    return rows


def _encode_deferral(wait: DeferralRecord, kwargs: str, next_kwargs: str | None, cipher: Cipher) -> Row:
    w = wait.request
    return (
        wait.run_pk, wait.task_no, wait.map_index, wait.defer_seq, wait.dag_pk, w.classpath, kwargs,
        w.next_method, next_kwargs, w.queue, wait.due_at, _to_float(w.due_in_s), wait.timeout_at, _to_float(w.timeout_s), w.ends_task,
        wait.held_slots, encrypt_result(wait.result, cipher), wait.priority, wait.created_at,
    )


def encode_result_row(wait: DeferralRecord, cipher: Cipher) -> Row:
    """The columns of `waits.fire`."""
    return (*wait.key, wait.held_slots, encrypt_result(wait.result, cipher))


def encode_end_note(key: TaskKey, killed: bool) -> Row:
    """The columns of `waits.note`."""
    return (*key, killed)


def load_deferrals(tx: Transaction, run_pks: Iterable[int]) -> dict[TaskKey, DeferralRecord]:
    """The waits of these runs by task instance. What a trigger is called with stays sealed: only who runs it needs to know.

    What the key of this host does not open fails its own task, when that goes on.
    """
    ordered = list(run_pks)
    batches = [ordered[start : start + RUNS_PER_STATEMENT] for start in range(0, len(ordered), RUNS_PER_STATEMENT)]
    shared: dict[Row, Deferral] = {}
    found = (_decode_deferral(row, tx.cipher, shared) for keys in batches for row in tx.all("waits.of_runs", run_pks=keys))
    return {wait.key: wait for wait in found}


def attach_deferrals(tx: Transaction, tasks: Iterable[TaskRecord]) -> None:
    """Every unfinished task instance that has deferred has its wait. Nothing is asked when there is none."""
    deferred = [task for task in tasks if task.defer_seq and task.state is not None and task.state not in FINISHED_TASK_STATES]
    if not deferred:
        return
    waits = load_deferrals(tx, sorted({task.run_pk for task in deferred}))
    for task in deferred:
        task.deferral = waits.get(task.key)


def encrypt_result(fired: DeferralResult | None, cipher: Cipher) -> str | None:
    """How a wait ended, as it may be stored. One that tells nothing but the outcome is kept as it is."""
    if fired is None:
        return None
    text = _result_encoder.encode(fired).decode()
    return text if fired.is_bare else cipher.encrypt(text)


def decrypt_result(sealed: str | None, cipher: Cipher) -> DeferralResult | None:
    """What `encrypt_result` was given."""
    if sealed is None:
        return None
    fired = _result_decoder.decode(sealed if is_plaintext(sealed) else cipher.decrypt(sealed))
    if is_plaintext(sealed) and not fired.is_bare:
        raise WrongKey("the database holds an event in clear text that should be encrypted: somebody has changed it")
    return fired


def is_plaintext(text: str) -> bool:
    """Whether it is JSON; what is sealed never looks like it."""
    return text.startswith(("{", "["))


def _to_float(seconds: float | None) -> float | None:
    """Of one type: the driver of PostgreSQL takes no list of integers and floats."""
    return None if seconds is None else float(seconds)


def _decode_deferral(row: Row, cipher: Cipher, shared: dict[Row, Deferral]) -> DeferralRecord:
    """`shared`: what many instances started from is opened once, and kept once."""
    (run_pk, task_no, map_index, defer_seq, dag_pk, classpath, next_method, next_kwargs, queue, due_at, due_in_s,
     timeout_at, timeout_s, ends_task, held_slots, fired, priority, created_at) = row
    same = (next_kwargs, classpath, next_method, queue, timeout_s, due_at if due_in_s is None else None, due_in_s, ends_task)
    wait = shared.get(same)
    if wait is None:
        wait = shared[same] = Deferral(
            classpath=classpath, next_method=next_method, next_kwargs=_decrypt_kwargs(next_kwargs, cipher), timeout_s=timeout_s, queue=queue,
            due_at=due_at if due_in_s is None else None, due_in_s=due_in_s, ends_task=bool(ends_task),
        )
    return DeferralRecord(
        run_pk, task_no, map_index, defer_seq, dag_pk, wait, created_at, priority, due_at, timeout_at, held_slots,
        _decrypt_or_error(fired, cipher),
    )


def _decrypt_kwargs(next_kwargs: str | None, cipher: Cipher) -> str:
    """Typed JSON of a mapping; of the reason, when it cannot be opened, which the attempt that goes on says."""
    try:
        return EMPTY_KWARGS if next_kwargs is None else cipher.decrypt(next_kwargs)
    except WrongKey as error:
        return _result_encoder.encode(str(error)).decode()


def _decrypt_or_error(sealed: str | None, cipher: Cipher) -> DeferralResult | None:
    try:
        return decrypt_result(sealed, cipher)
    except WrongKey as error:
        return DeferralResult(outcome="error", reason=f"its event cannot be read: {error}")
