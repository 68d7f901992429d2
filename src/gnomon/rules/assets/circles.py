"""Circles of assets: DAGs that schedule one another, so that one run can create the next without end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gnomon.model.assets import AssetKey, AssetLeaf
from gnomon.rules.assets.conditions import match_leaves


def find_circles(
    outlets: Mapping[str, Iterable[AssetLeaf]], schedules: Mapping[str, Iterable[AssetLeaf]]
) -> list[tuple[str, ...]]:
    """The circles of DAG ids: each DAG writes an asset, or an alias, by which the next one is scheduled, and the last one the first.

    `outlets`: what the tasks of each DAG write. `schedules`: the leaves of each DAG's condition. One circle is reported for each set of
    DAGs that reach one another; it begins with the smallest id and is as short as possible.
    """
    readers: dict[AssetLeaf, set[str]] = {}
    for dag_id, leaves in schedules.items():
        for leaf in leaves:
            readers.setdefault(leaf, set()).add(dag_id)
    following = {
        dag_id: sorted(
            {reader for leaf in leaves for written_leaf in _written(leaf) for reader in readers.get(written_leaf, ())}
        )
        for dag_id, leaves in outlets.items()
    }
    circles: list[tuple[str, ...]] = []
    reported: set[str] = set()
    for dag_id in sorted(following):
        if dag_id not in reported:
            circle = _find_shortest_circle(dag_id, following)
            if circle is not None:
                circles.append(circle)
                reported.update(circle)
    return circles


def _written(leaf: AssetLeaf) -> tuple[AssetLeaf, ...]:
    return match_leaves(leaf, ()) if isinstance(leaf, AssetKey) else (leaf,)


def _find_shortest_circle(start: str, following: Mapping[str, list[str]]) -> tuple[str, ...] | None:
    """The shortest way from a DAG back to itself, by breadth first search."""
    came_from: dict[str, str] = {}
    level = [start]
    while level:
        further = []
        for dag_id in level:
            for reader in following.get(dag_id, ()):
                if reader == start:
                    way = [dag_id]
                    while way[-1] != start:
                        way.append(came_from[way[-1]])
                    return tuple(reversed(way))
                if reader not in came_from:
                    came_from[reader] = dag_id
                    further.append(reader)
        level = further
    return None
