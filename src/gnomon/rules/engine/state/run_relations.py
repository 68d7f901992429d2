"""Which instances of a run stand above and below others, as the engine has them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gnomon.rules.decide.instance_relations import InstanceRelations
from gnomon.rules.engine.state.task_instance import DagRun, TaskInstance


def build_relations(run: DagRun) -> InstanceRelations:
    """The relations of all instances that the run has now."""
    mapping = run.graph.mapping
    strides = {index: expansion.strides for index, expansion in run.expansions.items()}
    return InstanceRelations(run.graph.upstream, {} if mapping is None else mapping.shared, strides, run.task_instances)


def list_instances_to_continue(run: DagRun, chosen: Iterable[TaskInstance]) -> Iterator[TaskInstance]:
    """The instances below the chosen ones, with the setups and teardowns of all these, without the chosen ones, in topological order."""
    own: dict[int, set[int]] = {}
    for ti in chosen:
        own.setdefault(ti.index, set()).add(ti.map_index)
    relations, scopes = build_relations(run), run.graph.scopes
    below = relations.collect_below(own)
    if scopes is not None:
        for inside in (own, below):
            for index, map_indices in scopes.collect_cleared(relations, inside, {}).items():
                below.setdefault(index, set()).update(map_indices)
    for index, map_indices in sorted(below.items()):
        for map_index in sorted(map_indices - own.get(index, set())):
            yield run.task_instances[index][map_index]
