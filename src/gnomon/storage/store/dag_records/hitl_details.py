"""Questions of tasks to people, and the answers. The owner of the DAG writes both."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import msgspec

from gnomon.model.hitl import HITLRequest, HITLResponse
from gnomon.model.ids import TaskKey
from gnomon.model.records import HITLDetail, TaskRecord
from gnomon.storage.store.record_codec import encode_task_state
from gnomon.storage.store.transaction import Row, Transaction

_encoder = msgspec.json.Encoder()
_request_decoder = msgspec.json.Decoder(HITLRequest)
_response_decoder = msgspec.json.Decoder(HITLResponse)


@dataclass(frozen=True, slots=True)
class NamedHITLDetail:
    """A question and the names of its task instance."""

    dag_id: str
    run_id: str
    task_id: str
    detail: HITLDetail


def write_details(
    tx: Transaction,
    details: Sequence[HITLDetail],
    responses: Sequence[tuple[TaskKey, int, HITLResponse]],
    tasks: Iterable[TaskRecord],
) -> None:
    """Insert the questions, then store the answers, and the states of these task instances with their questions: only one that has deferred can have one."""
    if details:
        tx.send_many("hitl_details.add", [_encode_detail(detail) for detail in details])
    if responses:
        tx.send_many(
            "hitl_details.set_response",
            [
                (*key, defer_seq, _encoder.encode(response).decode(), response.responded_at)
                for key, defer_seq, response in responses
            ],
        )
    deferred = [task for task in tasks if task.defer_seq]
    if deferred:
        tx.send_many(
            "hitl_details.set_states",
            [(task.run_pk, task.task_no, task.map_index, encode_task_state(task.state)) for task in deferred],
        )


def list_open_details(tx: Transaction, dag_id: str | None = None) -> list[NamedHITLDetail]:
    """The questions that tasks wait with, the oldest first; of one DAG, or of all."""
    details = (decode_named_detail(row) for row in tx.all("hitl_details.open"))
    return [named for named in details if dag_id is None or named.dag_id == dag_id]


def list_run_details(tx: Transaction, run_pk: int) -> list[NamedHITLDetail]:
    """All questions of a run, answered or not, the oldest first."""
    return [decode_named_detail(row) for row in tx.all("hitl_details.of_run", run_pk=run_pk)]


def decode_question(text: str | None) -> HITLRequest | None:
    """The question of a deferral; None for a deferral without one."""
    return None if text is None else _request_decoder.decode(text)


def _encode_detail(detail: HITLDetail) -> Row:
    request = _encoder.encode(detail.request).decode()
    return (*detail.key, detail.defer_seq, detail.try_number, request, detail.created_at, detail.due_at)


def decode_named_detail(row: Row) -> NamedHITLDetail:
    """A question from the columns of `hitl_details.of_run`."""
    (
        run_pk,
        task_no,
        map_index,
        defer_seq,
        try_number,
        request,
        created_at,
        due_at,
        response,
        dag_id,
        run_id,
        task_id,
    ) = row
    detail = HITLDetail(
        run_pk,
        task_no,
        map_index,
        defer_seq,
        try_number,
        _request_decoder.decode(request),
        created_at,
        due_at,
        None if response is None else _response_decoder.decode(response),
    )
    return NamedHITLDetail(dag_id, run_id, task_id, detail)
