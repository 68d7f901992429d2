"""The dependencies of all DAGs on one another, one row each, with their errors."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass

import msgspec

from gnomon.dependencies.faults import errors_of
from gnomon.dependencies.shape import shape_of
from gnomon.model.spec import DagSpec, collect_edges
from gnomon.model.upstream_edges import Edge
from gnomon.report.waits.edge_wording import describe_options
from gnomon.store import Transaction
from gnomon.store.cross_dag import dag_edges


@dataclass(frozen=True, slots=True)
class EdgeRow:
    """A dependency of a DAG, or of one of its tasks, on another DAG."""

    dag_id: str
    task_id: str | None
    """The task that waits; None: the whole run waits."""
    upstream_dag_id: str
    upstream_task_id: str | None
    chosen: list[str]
    """A phrase for each option that is not the default."""
    after: dict[str, object]
    paused: bool
    unknown: bool
    """No file defines the upstream DAG."""
    error: str | None
    """Why the dependencies of the DAG can never be met; then none of its runs is created."""

    @property
    def downstream(self) -> str:
        return self.dag_id if self.task_id is None else f"{self.dag_id}.{self.task_id}"

    @property
    def upstream(self) -> str:
        return self.upstream_dag_id if self.upstream_task_id is None else f"{self.upstream_dag_id}.{self.upstream_task_id}"

    def as_line(self) -> dict[str, object]:
        """The row as a dict, with the columns of a table."""
        return {**asdict(self), "downstream": self.downstream, "waits_for": self.upstream}


def list_stored_edges(tx: Transaction) -> list[EdgeRow]:
    """The dependencies of all DAGs of the database that a file defines, by DAG."""
    return [_build_edge_row(row.dag_id, row.edge, row.paused, row.is_known, row.error) for row in dag_edges.list_edges(tx)]


def list_spec_edges(specs: Iterable[DagSpec]) -> list[EdgeRow]:
    """The dependencies of parsed DAGs that are in no database."""
    by_id = {spec.dag_id: spec for spec in specs}
    errors = errors_of({dag_id: shape_of(spec) for dag_id, spec in by_id.items()})
    return [
        _build_edge_row(dag_id, edge, False, edge.after.dag_id in by_id, errors.get(dag_id))
        for dag_id, spec in sorted(by_id.items()) for edge in collect_edges(spec)
    ]  # fmt: skip


def order_dags(rows: Iterable[EdgeRow]) -> list[str]:
    """All DAG ids of the rows: upstream DAGs before downstream ones, related DAGs together. A cycle is cut at an arbitrary place."""
    ups: defaultdict[str, dict[str, None]] = defaultdict(dict)
    downs: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for row in rows:
        if row.dag_id != row.upstream_dag_id:
            ups[row.dag_id][row.upstream_dag_id] = None
            downs[row.upstream_dag_id][row.dag_id] = None
        else:
            ups.setdefault(row.dag_id, {})
    order: dict[str, None] = {}
    for dag_id in sorted({*ups, *downs}, key=lambda down: (down in ups and bool(ups[down]), down)):
        _add_dag(dag_id, ups, downs, order)
    return list(order)


def _add_dag(first: str, ups: Mapping[str, Iterable[str]], downs: Mapping[str, Iterable[str]], order: dict[str, None]) -> None:
    """Add the DAG to the order, then each downstream DAG whose upstream DAGs are all in the order."""
    if first in order:
        return
    order[first] = None
    path = [iter(sorted(downs.get(first, ())))]
    while path:
        dag_id = next((down for down in path[-1] if down not in order and all(up in order for up in ups.get(down, ()))), None)
        if dag_id is None:
            path.pop()
        else:
            order[dag_id] = None
            path.append(iter(sorted(downs.get(dag_id, ()))))


def format_dot(rows: Iterable[EdgeRow]) -> Iterator[str]:
    """The lines of a Graphviz graph: an arrow from each upstream DAG to the DAGs that wait for it."""
    rows = list(rows)
    yield "digraph dependencies {"
    yield '  rankdir=LR; node [shape=box, fontname="sans-serif"];'
    for dag_id in order_dags(rows):
        if any(row.error for row in rows if row.dag_id == dag_id):
            yield f"  {_quote(dag_id)} [color=red];"
        elif any(row.unknown for row in rows if row.upstream_dag_id == dag_id):
            yield f"  {_quote(dag_id)} [style=dashed];"
    for row in rows:
        tasks = " to ".join(filter(None, [row.upstream_task_id, row.task_id]))
        label = ", ".join([*([tasks] if tasks else []), *row.chosen])
        yield f"  {_quote(row.upstream_dag_id)} -> {_quote(row.dag_id)}" + (f" [label={_quote(label)}];" if label else ";")
    yield "}"


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _build_edge_row(dag_id: str, edge: Edge, paused: bool, is_known: bool, error: str | None) -> EdgeRow:
    after = edge.after
    return EdgeRow(
        dag_id=dag_id, task_id=edge.task_id, upstream_dag_id=after.dag_id, upstream_task_id=after.task_id, chosen=describe_options(after),
        after=msgspec.structs.asdict(after), paused=paused, unknown=not is_known, error=error,
    )  # fmt: skip
