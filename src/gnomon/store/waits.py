"""What deferred task instances wait for, as their owner writes and reads it. Arguments and payloads are sealed."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from gnomon.model.deferral import NOTHING, Fired, Wait
from gnomon.model.ids import TaskKey
from gnomon.model.records import TaskRecord, WaitRecord
from gnomon.model.states import FINISHED_TASK_STATES
from gnomon.store.cipher import Cipher
from gnomon.store.errors import WrongKey
from gnomon.store.transaction import Row, Transaction

BATCH = 5000
"""Runs that one statement is given."""
_encoder = msgspec.json.Encoder()
_fired_decoder = msgspec.json.Decoder(Fired)


def rows_of(waits: Iterable[WaitRecord], cipher: Cipher) -> list[Row]:
    """The columns of `waits.add`. What a task starts from is one object for all its instances, and sealed once for them."""
    sealed: dict[int, tuple[str, str | None]] = {}
    rows = []
    for wait in waits:
        w = wait.wait
        arguments = sealed.get(id(w))
        if arguments is None:
            next_kwargs = None if w.next_kwargs == NOTHING else cipher.seal(w.next_kwargs)
            arguments = sealed[id(w)] = cipher.seal(w.kwargs), next_kwargs
        rows.append(_row(wait, *arguments, cipher))
    return rows


def _row(wait: WaitRecord, kwargs: str, next_kwargs: str | None, cipher: Cipher) -> Row:
    w = wait.wait
    return (
        wait.run_pk, wait.task_no, wait.map_index, wait.defer_seq, wait.dag_pk, w.classpath, kwargs,
        w.next_method, next_kwargs, w.queue, wait.due_at, _number(w.due_in_s), wait.timeout_at, _number(w.timeout_s), w.ends_task,
        wait.held_slots, sealed_fired(wait.fired, cipher), wait.priority, wait.created_at,
    )


def fired_row(wait: WaitRecord, cipher: Cipher) -> Row:
    """The columns of `waits.fire`."""
    return (*wait.key, wait.held_slots, sealed_fired(wait.fired, cipher))


def gone_row(key: TaskKey, killed: bool) -> Row:
    """The columns of `waits.note`."""
    return (*key, killed)


def of_runs(tx: Transaction, run_pks: Iterable[int]) -> dict[TaskKey, WaitRecord]:
    """The waits of these runs by task instance. What a trigger is called with stays sealed: only who runs it needs to know.

    What the key of this host does not open fails its own task, when that goes on.
    """
    ordered = list(run_pks)
    batches = [ordered[start : start + BATCH] for start in range(0, len(ordered), BATCH)]
    shared: dict[Row, Wait] = {}
    found = (_record(row, tx.cipher, shared) for keys in batches for row in tx.all("waits.of_runs", run_pks=keys))
    return {wait.key: wait for wait in found}


def attach(tx: Transaction, tasks: Iterable[TaskRecord]) -> None:
    """Every unfinished task instance that has deferred has its wait. Nothing is asked when there is none."""
    deferred = [task for task in tasks if task.defer_seq and task.state is not None and task.state not in FINISHED_TASK_STATES]
    if not deferred:
        return
    waits = of_runs(tx, sorted({task.run_pk for task in deferred}))
    for task in deferred:
        task.waiting = waits.get(task.key)


def sealed_fired(fired: Fired | None, cipher: Cipher) -> str | None:
    """How a wait ended, as it may be stored. One that tells nothing but the outcome is kept as it is."""
    if fired is None:
        return None
    text = _encoder.encode(fired).decode()
    return text if fired.is_bare else cipher.seal(text)


def opened_fired(sealed: str | None, cipher: Cipher) -> Fired | None:
    """What `sealed_fired` was given."""
    if sealed is None:
        return None
    fired = _fired_decoder.decode(sealed if is_clear(sealed) else cipher.open(sealed))
    if is_clear(sealed) and not fired.is_bare:
        raise WrongKey("the database holds an event in clear text that should be encrypted: somebody has changed it")
    return fired


def is_clear(text: str) -> bool:
    """Whether it is JSON; what is sealed never looks like it."""
    return text.startswith(("{", "["))


def _number(seconds: float | None) -> float | None:
    """Of one type: the driver of PostgreSQL takes no list of integers and floats."""
    return None if seconds is None else float(seconds)


def _record(row: Row, cipher: Cipher, shared: dict[Row, Wait]) -> WaitRecord:
    """`shared`: what many instances started from is opened once, and kept once."""
    (run_pk, task_no, map_index, defer_seq, dag_pk, classpath, next_method, next_kwargs, queue, due_at, due_in_s,
     timeout_at, timeout_s, ends_task, held_slots, fired, priority, created_at) = row
    same = (next_kwargs, classpath, next_method, queue, timeout_s, due_at if due_in_s is None else None, due_in_s, ends_task)
    wait = shared.get(same)
    if wait is None:
        wait = shared[same] = Wait(
            classpath=classpath, next_method=next_method, next_kwargs=_opened(next_kwargs, cipher), timeout_s=timeout_s, queue=queue,
            due_at=due_at if due_in_s is None else None, due_in_s=due_in_s, ends_task=bool(ends_task),
        )
    return WaitRecord(
        run_pk, task_no, map_index, defer_seq, dag_pk, wait, created_at, priority, due_at, timeout_at, held_slots,
        _readable(fired, cipher),
    )


def _opened(next_kwargs: str | None, cipher: Cipher) -> str:
    """Typed JSON of a mapping; of the reason, when it cannot be opened, which the attempt that goes on says."""
    try:
        return NOTHING if next_kwargs is None else cipher.open(next_kwargs)
    except WrongKey as error:
        return _encoder.encode(str(error)).decode()


def _readable(sealed: str | None, cipher: Cipher) -> Fired | None:
    try:
        return opened_fired(sealed, cipher)
    except WrongKey as error:
        return Fired(outcome="error", reason=f"its event cannot be read: {error}")
