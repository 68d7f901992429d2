"""The dependencies of all DAGs on one another, one row each, with their errors."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass

import msgspec

from gnomon.model.spec import DagSpec, collect_edges
from gnomon.model.upstream_edges import Edge
from gnomon.queries.report.waits.edge_wording import describe_options
from gnomon.queries.report.waits.sensor_waits import AFTER, SensorEdge, list_sensor_edges
from gnomon.rules.dependencies.faults import errors_of
from gnomon.rules.dependencies.shape import shape_of
from gnomon.storage.store import Transaction
from gnomon.storage.store.cross_dag import dag_edges
from gnomon.storage.store.dag_records import dags
from gnomon.storage.store.ownership import group_state


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
    kind: str = AFTER
    """`after`, `sensor` (ExternalTaskSensor) or `marker` (ExternalTaskMarker)."""
    could_be: str | None = None
    """Of a sensor or a marker: the `depends_on=` that could take its place, and where it would stand."""

    @property
    def downstream(self) -> str:
        return self.dag_id if self.task_id is None else f"{self.dag_id}.{self.task_id}"

    @property
    def upstream(self) -> str:
        return (
            self.upstream_dag_id if self.upstream_task_id is None else f"{self.upstream_dag_id}.{self.upstream_task_id}"
        )

    def as_line(self) -> dict[str, object]:
        """The row as a dict, with the columns of a table."""
        return {**asdict(self), "downstream": self.downstream, "waits_for": self.upstream}


def list_stored_edges(tx: Transaction) -> list[EdgeRow]:
    """The dependencies of all DAGs of the database that a file defines, and the waits of their sensors and markers, by DAG."""
    rows = [
        _build_edge_row(row.dag_id, row.edge, row.paused, row.is_known, row.error) for row in dag_edges.list_edges(tx)
    ]
    active = {dag.dag_id: dag for dag in dags.list_dags(tx) if dag.active}
    specs = group_state.load_specs(tx, [dag.version_pk for dag in active.values()])
    paused = {dag.dag_id for dag in active.values() if dag.paused}
    return _sort_rows(
        [
            *rows,
            *(build_sensor_row(edge, active, paused) for spec in specs.values() for edge in list_sensor_edges(spec)),
        ]
    )


def list_spec_edges(specs: Iterable[DagSpec]) -> list[EdgeRow]:
    """The dependencies of parsed DAGs that are in no database."""
    by_id = {spec.dag_id: spec for spec in specs}
    errors = errors_of({dag_id: shape_of(spec) for dag_id, spec in by_id.items()})
    rows = [
        _build_edge_row(dag_id, edge, False, edge.dependency.dag_id in by_id, errors.get(dag_id))
        for dag_id, spec in sorted(by_id.items())
        for edge in collect_edges(spec)
    ]
    return _sort_rows(
        [*rows, *(build_sensor_row(edge, by_id, ()) for spec in by_id.values() for edge in list_sensor_edges(spec))]
    )


def build_sensor_row(edge: SensorEdge, known_dags: Collection[str], paused: Collection[str]) -> EdgeRow:
    """The row of the wait of a sensor or a marker. `known_dags`, `paused`: the DAGs that a file defines, and those that are paused.

    A template stands in the place of an id that is not known.
    """
    return EdgeRow(
        dag_id=edge.dag_id or edge.template,
        task_id=edge.task_id,
        upstream_dag_id=edge.upstream_dag_id or edge.template,
        upstream_task_id=edge.upstream_task_id,
        chosen=edge.phrases,
        after={} if edge.dependency is None else msgspec.structs.asdict(edge.dependency),
        paused=edge.dag_id in paused,
        unknown=edge.upstream_dag_id is not None and edge.upstream_dag_id not in known_dags,
        error=None,
        kind=edge.kind,
        could_be=edge.could_be,
    )


def _sort_rows(rows: list[EdgeRow]) -> list[EdgeRow]:
    """By DAG, in the order in which they are given for one DAG."""
    return sorted(rows, key=lambda row: row.dag_id)


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


def _add_dag(
    first: str, ups: Mapping[str, Iterable[str]], downs: Mapping[str, Iterable[str]], order: dict[str, None]
) -> None:
    """Add the DAG to the order, then each downstream DAG whose upstream DAGs are all in the order."""
    if first in order:
        return
    order[first] = None
    path = [iter(sorted(downs.get(first, ())))]
    while path:
        dag_id = next(
            (down for down in path[-1] if down not in order and all(up in order for up in ups.get(down, ()))), None
        )
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
        yield f"  {_quote(row.upstream_dag_id)} -> {_quote(row.dag_id)}" + (
            f" [label={_quote(label)}];" if label else ";"
        )
    yield "}"


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _build_edge_row(dag_id: str, edge: Edge, paused: bool, is_known: bool, error: str | None) -> EdgeRow:
    after = edge.dependency
    return EdgeRow(
        dag_id=dag_id,
        task_id=edge.task_id,
        upstream_dag_id=after.dag_id,
        upstream_task_id=after.task_id,
        chosen=describe_options(after),
        after=msgspec.structs.asdict(after),
        paused=paused,
        unknown=not is_known,
        error=error,
    )
