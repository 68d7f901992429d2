"""The dependencies of all DAGs on others: `dag_edge`, the graph that is read without their specs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from gnomon.model.instants import Instant
from gnomon.model.spec import DagSpec, collect_edges
from gnomon.model.upstream_edges import AfterSpec, Edge
from gnomon.store.dag_records import dags
from gnomon.store.ownership import mailbox
from gnomon.store.transaction import Row, Transaction, notify_on_commit

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(AfterSpec)


@dataclass(frozen=True, slots=True)
class DagEdge:
    """One dependency of a DAG that is in a file."""

    dag_pk: int
    dag_id: str
    group_no: int
    paused: bool
    error: str | None
    """The DAG's `dependency_error`."""
    edge: Edge
    is_known: bool
    """Whether what it depends on is in a file, too."""


def replace_edges(tx: Transaction, specs: Sequence[tuple[int, DagSpec]]) -> None:
    """The dependencies of these DAGs (dag_pk, spec) are those of the specs."""
    tx.many("edges.forget", [(dag_pk,) for dag_pk, _ in specs])
    tx.many("edges.add", [_encode_edge(dag_pk, edge) for dag_pk, spec in specs for edge in collect_edges(spec)])


def list_edges(tx: Transaction) -> list[DagEdge]:
    """The dependencies of all DAGs that are in a file, by DAG id."""
    return [_decode_edge(row) for row in tx.all("edges.list")]


def list_edges_on(tx: Transaction, dag_id: str) -> list[DagEdge]:
    """The dependencies of DAGs that are in a file on this DAG, whether there is one or not."""
    return [_decode_edge(row) for row in tx.all("edges.on", dag_id=dag_id)]


def list_connected_dags(tx: Transaction) -> dict[str, tuple[int, int]]:
    """The DAGs that are in a file and have dependencies, or are depended on by such: by id, dag_pk and newest version_pk."""
    return {dag_id: (dag_pk, version_pk) for dag_id, dag_pk, version_pk in tx.all("edges.among")}


def list_dependency_errors(tx: Transaction) -> dict[int, str]:
    """By dag_pk why its dependencies can never be met; DAGs without such an error are left out."""
    return dict(tx.all("edges.errors"))


def set_dependency_errors(tx: Transaction, errors: Mapping[int, str | None], at: Instant | None = None) -> list[int]:
    """These errors stand on the DAGs (None: none does), and the owners of those for which that is news are told.

    Returns the keys of those. What was planned for them before is refused; DAGs that are not named keep what they have.
    """
    stand = list_dependency_errors(tx)
    changed = []
    for dag_pk, error in errors.items():
        if error != stand.get(dag_pk):
            row = tx.one("edges.set_error", dag_pk=dag_pk, error=error)
            if row is not None:
                changed.append((row[0], dag_pk))
    if changed:
        mailbox.send_messages(tx, [dags.dag_changed_message(group_no, dag_pk, at) for group_no, dag_pk in changed])
        notify_on_commit(tx)
    return [dag_pk for _, dag_pk in changed]


def _encode_edge(dag_pk: int, edge: Edge) -> Row:
    return dag_pk, edge.number, edge.task_id, edge.after.dag_id, _encoder.encode(edge.after).decode()


def _decode_edge(row: Row) -> DagEdge:
    dag_pk, dag_id, group_no, paused, error, number, task_id, body, is_known = row
    return DagEdge(dag_pk, dag_id, group_no, bool(paused), error, Edge(number, _decoder.decode(body), task_id), bool(is_known))
