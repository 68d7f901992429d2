"""Which DAGs may have to do with one another: those that wait for others, or that assets connect, directly or over a third."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

import msgspec

from gnomon.model.assets import AssetLeaf
from gnomon.model.records import DagRecord
from gnomon.model.spec import DagSpec, collect_edges
from gnomon.rules.assets.conditions import iter_leaves


def group_connected(
    dags: Iterable[DagRecord], list_more: Callable[[DagSpec], Iterable[str]] = lambda _spec: ()
) -> list[list[str]]:
    """The DAG ids in groups: DAGs of two groups have nothing in common but slots. `list_more`: what else a DAG shares with all others of which this names it too."""
    parents: dict[str, str] = {}
    """By node, a DAG or a name of an asset: another node of its group, which is nearer to the one that stands for all."""
    dag_ids: dict[str, None] = {}
    for dag in dags:
        dag_ids[dag.dag_id] = None
        root = _find_root(parents, f"dag {dag.dag_id}")
        for node in (*_list_neighbours(dag.spec), *list_more(dag.spec)):
            parents[_find_root(parents, node)] = root
    groups: dict[str, list[str]] = defaultdict(list)
    for dag_id in dag_ids:
        groups[_find_root(parents, f"dag {dag_id}")].append(dag_id)
    return list(groups.values())


def _find_root(parents: dict[str, str], node: str) -> str:
    above = parents.setdefault(node, node)
    while above != node:
        parents[node] = parents[above]
        node, above = above, parents[above]
    return node


def _list_neighbours(spec: DagSpec) -> Iterator[str]:
    for edge in collect_edges(spec):
        yield f"dag {edge.dependency.dag_id}"
    for leaf in () if spec.asset_condition is None else iter_leaves(spec.asset_condition):
        yield from _list_names(leaf)
    for task in spec.tasks:
        for leaf in task.outlets:
            yield from _list_names(leaf)


def _list_names(leaf: AssetLeaf) -> Iterator[str]:
    """Whatever names the asset: two leaves that share one may mean the same."""
    for value in msgspec.structs.astuple(leaf):
        yield f"asset {value}"
