"""The durations of a DAG's tasks as one row: what a forecast needs of its history, without a scan of the history.

A summary holds for the newest ended run of the DAG, in the order of runs, and for its time zone; both are its key. It is derived from runs and
task instances, and may be deleted at any time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from gnomon.model.instants import Instant
from gnomon.rules.durations.day_class import DayClass
from gnomon.rules.durations.duration_model import DurationModel
from gnomon.storage.store.transaction import Transaction

LENGTHS_KEPT = 20
"""The newest lengths of a return value that are kept."""
FORM = 3
"""Part of each key: a summary of another form is made anew."""


class _Group(msgspec.Struct, array_like=True):
    weekday: int
    is_month_end: bool
    run_type: str
    durations_ms: list[int]


class _Task(msgspec.Struct, array_like=True):
    task_no: int
    tries: int
    failed_tries: int
    lengths: list[int]
    groups: list[_Group]
    arrivals: list[_Group] | None
    version_factor: float


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(list[_Task])


def build_key(newest_at: Instant | None, zone: str) -> str:
    """The key of a summary that is up to date. `newest_at`: the end of the newest ended run; None: there is none."""
    return f"{FORM} {newest_at} {zone}"


def list_newest_ends(tx: Transaction) -> dict[int, Instant | None]:
    """By dag_pk: when the newest ended run of the DAG has ended."""
    return dict(tx.all("duration_summaries.newest_ends"))


def list_summaries(tx: Transaction) -> dict[int, tuple[str, bytes]]:
    """By dag_pk: key and body, which `decode_summary` reads."""
    return {dag_pk: (key, bytes(body)) for dag_pk, key, body in tx.all("duration_summaries.all")}


def put_summaries(tx: Transaction, summaries: Iterable[tuple[int, str, bytes]]) -> None:
    """Store summaries: dag_pk, key, body. One of a DAG that was deleted meanwhile is left out."""
    for dag_pk, key, body in summaries:
        tx.run("duration_summaries.put", dag_pk=dag_pk, key=key, body=body)


def encode_summary(models: Mapping[int, DurationModel]) -> bytes:
    """The models of a DAG's tasks, by task number."""
    return _encoder.encode(
        [
            _Task(
                number,
                model.tries,
                model.failed_tries,
                model.lengths[:LENGTHS_KEPT],
                _encode_groups(model),
                None if model.arrivals is None else _encode_groups(model.arrivals),
                model.version_factor,
            )
            for number, model in models.items()
        ]
    )


def decode_summary(body: bytes) -> dict[int, DurationModel]:
    """The models, by task number. Raises msgspec.DecodeError."""
    return {
        task.task_no: DurationModel(
            _decode_groups(task.groups),
            task.tries,
            task.failed_tries,
            task.lengths,
            None if task.arrivals is None else DurationModel(_decode_groups(task.arrivals)),
            task.version_factor,
        )
        for task in _decoder.decode(body)
    }


def _encode_groups(model: DurationModel) -> list[_Group]:
    return [
        _Group(*finest, [round(duration_s * 1000) for duration_s in durations])
        for finest, durations in model.groups.items()
    ]


def _decode_groups(groups: Iterable[_Group]) -> dict[DayClass, list[float]]:
    return {
        DayClass(group.weekday, group.is_month_end, group.run_type): [
            milliseconds / 1000 for milliseconds in group.durations_ms
        ]
        for group in groups
    }
