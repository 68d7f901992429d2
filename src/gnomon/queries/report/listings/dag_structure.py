"""The tasks of one version of a DAG with their groups and edges, as a graph shows them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gnomon.model.assets import AliasKey, AllOf, AnyOf, AssetCondition, AssetKey, AssetLeaf
from gnomon.model.spec import DagSpec, collect_edges
from gnomon.queries.report.listings.run_grid import GridGroup, list_groups

EDGE_LABEL_SEPARATOR = "\x1f"


@dataclass(frozen=True, slots=True)
class OutsideNode:
    """Something outside of the DAG that its tasks wait for, or that they produce."""

    kind: str
    """`dag`, `asset` or `alias`."""
    name: str
    task_id: str | None
    """For a DAG: the task of it that is waited for; None: the run."""
    is_upstream: bool
    tasks: list[int]
    """The indexes of the tasks; empty: the whole run waits for it."""


@dataclass(frozen=True, slots=True)
class DagStructure:
    """Tasks are those of the spec, by index."""

    spec: DagSpec
    groups: list[GridGroup]
    task_groups: list[int | None]
    """For each task, the index of its group."""
    edges: list[tuple[int, int]]
    """(upstream, downstream) as indexes of tasks."""
    labels: list[tuple[int, int, str]]
    outside: list[OutsideNode]


def read_structure(spec: DagSpec) -> DagStructure:
    """The structure of one version."""
    index = {task.task_id: at for at, task in enumerate(spec.tasks)}
    groups = list_groups(spec)
    group_index = {group.group_id: at for at, group in enumerate(groups)}
    return DagStructure(
        spec,
        groups,
        [None if task.group is None else group_index.get(task.group) for task in spec.tasks],
        [
            (index[upstream], at)
            for at, task in enumerate(spec.tasks)
            for upstream in task.upstream
            if upstream in index
        ],
        _list_labels(spec, index),
        [*_list_upstream_dags(spec, index), *_list_assets(spec)],
    )


def _list_labels(spec: DagSpec, index: dict[str, int]) -> list[tuple[int, int, str]]:
    labels = []
    for edge, label in spec.edge_labels.items():
        upstream, _, downstream = edge.partition(EDGE_LABEL_SEPARATOR)
        if upstream in index and downstream in index:
            labels.append((index[upstream], index[downstream], label))
    return labels


def _list_upstream_dags(spec: DagSpec, index: dict[str, int]) -> list[OutsideNode]:
    nodes: dict[tuple[str, str | None, bool], OutsideNode] = {}
    for edge in collect_edges(spec):
        after = edge.dependency
        node = nodes.setdefault(
            (after.dag_id, after.task_id, edge.task_id is None),
            OutsideNode("dag", after.dag_id, after.task_id, True, []),
        )
        if edge.task_id is not None and index[edge.task_id] not in node.tasks:
            node.tasks.append(index[edge.task_id])
    return list(nodes.values())


def _list_assets(spec: DagSpec) -> list[OutsideNode]:
    nodes: dict[tuple[str, str, bool, bool], OutsideNode] = {}

    def add(leaf: AssetLeaf, *, is_upstream: bool, task: int | None) -> None:
        kind, name = _name_leaf(leaf)
        node = nodes.setdefault((kind, name, is_upstream, task is None), OutsideNode(kind, name, None, is_upstream, []))
        if task is not None and task not in node.tasks:
            node.tasks.append(task)

    for leaf in _list_leaves(spec.asset_condition):
        add(leaf, is_upstream=True, task=None)
    for at, task in enumerate(spec.tasks):
        for leaf in task.inlets:
            add(leaf, is_upstream=True, task=at)
        for leaf in task.outlets:
            add(leaf, is_upstream=False, task=at)
    return list(nodes.values())


def _name_leaf(leaf: AssetLeaf) -> tuple[str, str]:
    if isinstance(leaf, AliasKey):
        return "alias", leaf.name
    if isinstance(leaf, AssetKey):
        return "asset", leaf.name
    return "asset", leaf.name or leaf.uri or ""


def _list_leaves(condition: AssetCondition | None) -> Iterable[AssetLeaf]:
    if condition is None:
        return
    if isinstance(condition, AllOf | AnyOf):
        for part in condition.parts:
            yield from _list_leaves(part)
    else:
        yield condition
