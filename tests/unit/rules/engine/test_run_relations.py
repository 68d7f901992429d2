"""Which instances stand above and below an instance: the same for the engine, for listings, and for a walk over single edges."""

from __future__ import annotations

import pytest

from gnomon.queries.report.listings import task_selection
from gnomon.queries.report.listings.run_list import build_instance_rows
from gnomon.rules.decide.instance_relations import InstanceRelations, Selection
from gnomon.rules.engine.lifecycle.expansions import list_awaited_upstream
from gnomon.rules.engine.state.run_relations import build_relations

from .test_random_mapping import Player, RandomDag

Edges = dict[tuple[int, int], set[tuple[int, int]]]


class Watcher(Player):
    """Compares the relations after every step."""

    compared = 0

    def _check_waiting(self) -> None:
        run = self.engine_state.runs.get(1)
        if run is None:
            return
        relations = build_relations(run)
        above: Edges = {}
        for instances in run.task_instances:
            for ti in instances.values():
                above[ti.index, ti.map_index] = {(other.index, other.map_index) for other in list_awaited_upstream(ti)}
                assert set(relations.list_directly_above(ti.index, ti.map_index)) == above[ti.index, ti.map_index], (
                    f"seed {self.dag.seed}: {ti.name()}"
                )
        self._compare_walks(relations, above)
        self._compare_listing(relations)
        self.compared += len(above)

    def _compare_walks(self, relations: InstanceRelations, above: Edges) -> None:
        below: Edges = {one: set() for one in above}
        for one, others in above.items():
            for other in others:
                below[other].add(one)
        for one in above:
            chosen = {one[0]: {one[1]}}
            assert _flatten(relations.collect_above(chosen)) == _walk(one, above), f"seed {self.dag.seed}: above {one}"
            assert _flatten(relations.collect_below(chosen)) == _walk(one, below), f"seed {self.dag.seed}: below {one}"

    def _compare_listing(self, relations: InstanceRelations) -> None:
        """Listings have the same relations from the rows alone."""
        stored = list(self.rows.values())
        rows = build_instance_rows(self.record, self.run, self.dag.spec, stored)
        listed = task_selection.build_relations(self.record, self.run, self.dag.spec, stored, rows)
        assert [set(indices) for indices in listed.indices] == [set(indices) for indices in relations.indices], (
            f"seed {self.dag.seed}"
        )
        assert (listed.shared, listed.strides) == (relations.shared, relations.strides), f"seed {self.dag.seed}"


def _flatten(selection: Selection) -> set[tuple[int, int]]:
    return {(task, index) for task, indices in selection.items() for index in indices}


def _walk(start: tuple[int, int], edges: Edges) -> set[tuple[int, int]]:
    reached: set[tuple[int, int]] = set()
    unvisited = [start]
    while unvisited:
        for other in edges[unvisited.pop()]:
            if other not in reached:
                reached.add(other)
                unvisited.append(other)
    return reached


@pytest.mark.parametrize("first", range(0, 400, 50))
def test_relations_are_those_of_the_tallies_of_listings_and_of_a_walk(first: int) -> None:
    compared = 0
    for seed in range(first, first + 50):
        watcher = Watcher(RandomDag(seed), takes_over=seed % 2 == 0)
        watcher.play()
        compared += watcher.compared
    assert compared > 1000
