"""The dependencies of all DAGs on other DAGs: `dag_edge`, the graph that is read without the specs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from gnomon.model.change_entries import DagChange
from gnomon.model.instants import Instant
from gnomon.model.spec import DagSpec, collect_edges
from gnomon.model.upstream_edges import DependencySpec, Edge
from gnomon.storage.store.change_journal import record_change
from gnomon.storage.store.coordination import mailbox
from gnomon.storage.store.dag_records import dags
from gnomon.storage.store.transaction import Row, Transaction, notify_on_commit

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(DependencySpec)


@dataclass(frozen=True, slots=True)
class DagEdge:
    """One dependency of an active DAG."""

    dag_pk: int
    dag_id: str
    group_no: int
    paused: bool
    error: str | None
    """The DAG's `dependency_error`."""
    edge: Edge
    is_known: bool
    """Whether the upstream DAG is active."""


def replace_edges(tx: Transaction, specs: Sequence[tuple[int, DagSpec]]) -> None:
    """Replace the dependencies of these DAGs, given as (dag_pk, spec), with those of the specs."""
    tx.many("dag_edges.remove", [(dag_pk,) for dag_pk, _ in specs])
    tx.many("dag_edges.add", [_encode_edge(dag_pk, edge) for dag_pk, spec in specs for edge in collect_edges(spec)])


def list_edges(tx: Transaction) -> list[DagEdge]:
    """The dependencies of all active DAGs, by DAG id."""
    return [_decode_edge(row) for row in tx.all("dag_edges.list")]


def list_edges_of(tx: Transaction, dag_id: str) -> list[DagEdge]:
    """The dependencies of this DAG, by their numbers; none for a DAG that is not active."""
    return [_decode_edge(row) for row in tx.all("dag_edges.list_of", dag_id=dag_id)]


def list_active_versions(tx: Transaction, dag_ids: Collection[str]) -> dict[str, int]:
    """The newest version_pk by id of those of these DAGs that are active."""
    return dict(tx.all("dag_edges.versions_of", dag_ids=list(dag_ids)))


def list_edges_on(tx: Transaction, dag_id: str) -> list[DagEdge]:
    """The dependencies of active DAGs on this DAG, which may not exist."""
    return [_decode_edge(row) for row in tx.all("dag_edges.list_on", dag_id=dag_id)]


def list_connected_dags(tx: Transaction) -> dict[str, tuple[int, int]]:
    """(dag_pk, newest version_pk) by id of the active DAGs that have dependencies, or on which an active DAG depends."""
    return {dag_id: (dag_pk, version_pk) for dag_id, dag_pk, version_pk in tx.all("dag_edges.connected_dags")}


def list_dependency_errors(tx: Transaction) -> dict[int, str]:
    """Why the dependencies of a DAG can never be met, by dag_pk; DAGs without such an error are left out."""
    return dict(tx.all("dag_edges.errors"))


def set_dependency_errors(tx: Transaction, errors: Mapping[int, str | None], at: Instant | None = None) -> list[int]:
    """Set the dependency errors of these DAGs (None: no error), and send mail to the owners of DAGs whose error changed.

    Returns the keys of those DAGs. A plan that was made for them before is refused. Other DAGs keep their errors.
    """
    stored = list_dependency_errors(tx)
    changed = []
    for dag_pk, error in errors.items():
        if error != stored.get(dag_pk):
            row = tx.one("dag_edges.set_error", dag_pk=dag_pk, error=error)
            if row is not None:
                changed.append((row[0], dag_pk))
    if changed:
        record_change(tx, *(DagChange(dag_pk, "updated") for _, dag_pk in changed))
        mailbox.send_messages(tx, [dags.dag_changed_message(group_no, dag_pk, at) for group_no, dag_pk in changed])
        notify_on_commit(tx)
    return [dag_pk for _, dag_pk in changed]


def _encode_edge(dag_pk: int, edge: Edge) -> Row:
    return dag_pk, edge.number, edge.task_id, edge.dependency.dag_id, _encoder.encode(edge.dependency).decode()


def _decode_edge(row: Row) -> DagEdge:
    dag_pk, dag_id, group_no, paused, error, number, task_id, body, is_known = row
    return DagEdge(
        dag_pk, dag_id, group_no, bool(paused), error, Edge(number, _decoder.decode(body), task_id), bool(is_known)
    )
