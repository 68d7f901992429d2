"""Which run of one simulation is which run of another: the same slot, or the slot that a changed schedule put in its place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

from gnomon.entry.projection.run_outcomes import RunOutcome
from gnomon.model.instants import to_datetime
from gnomon.model.spec import DagSpec
from gnomon.rules.timetables.wall_clock.zones import named_zone

RunPair = tuple[RunOutcome | None, RunOutcome | None]
"""A run of the first simulation and one of the second; None: the other has no counterpart."""
_Sides = tuple[list[RunOutcome], list[RunOutcome]]
_OF_ASSETS = "asset_triggered"


def pair_runs(
    first: Iterable[RunOutcome], second: Iterable[RunOutcome], specs: Mapping[str, DagSpec]
) -> dict[str, list[RunPair]]:
    """By DAG. Runs of the same slot belong together; then, on days with as many of the remaining runs on both sides, those in the same
    order. Runs that assets trigger are due when the event comes, so only their order counts.
    """
    by_dag: dict[str, tuple[list[RunOutcome], list[RunOutcome]]] = defaultdict(lambda: ([], []))
    for side, runs in enumerate((first, second)):
        for run in sorted(runs, key=lambda run: (run.run_after, run.run_pk)):
            by_dag[run.dag_id][side].append(run)
    return {
        dag_id: _pair(*sides, specs[dag_id].local_timezone if dag_id in specs else "UTC")
        for dag_id, sides in sorted(by_dag.items())
    }


def _pair(first: Sequence[RunOutcome], second: Sequence[RunOutcome], zone: str) -> list[RunPair]:
    local = named_zone(zone)
    pairs: list[RunPair] = []
    unmatched = _split(first, second, of_assets=False)
    for key in (_get_slot, lambda run: to_datetime(run.run_after).astimezone(local).date(), _get_nothing):
        unmatched = _match(unmatched, key, pairs, must_be_equal=True)
    gone, new = _match(_split(first, second, of_assets=True), _get_nothing, pairs, must_be_equal=False)
    pairs += [(run, None) for run in (*unmatched[0], *gone)]
    pairs += [(None, run) for run in (*unmatched[1], *new)]
    return sorted(pairs, key=_sort_key)


def _split(first: Sequence[RunOutcome], second: Sequence[RunOutcome], *, of_assets: bool) -> _Sides:
    """The runs that assets trigger, or all others."""
    before, after = ([run for run in runs if (run.run_type == _OF_ASSETS) is of_assets] for runs in (first, second))
    return before, after


def _get_slot(run: RunOutcome) -> Hashable:
    return run.run_after


def _get_nothing(_run: RunOutcome) -> Hashable:
    return None


def _match(
    sides: _Sides, key: Callable[[RunOutcome], Hashable], pairs: list[RunPair], *, must_be_equal: bool
) -> _Sides:
    """Add pairs of runs with the same key, in their order, and return the rest; `must_be_equal`: only if there are as many on both sides."""
    groups: dict[Hashable, tuple[list[RunOutcome], list[RunOutcome]]] = defaultdict(lambda: ([], []))
    for side, runs in enumerate(sides):
        for run in runs:
            groups[key(run)][side].append(run)
    unmatched: _Sides = ([], [])
    for before, after in groups.values():
        most = min(len(before), len(after))
        if must_be_equal and len(before) != len(after):
            most = 0
        pairs += zip(before[:most], after[:most], strict=True)
        unmatched[0].extend(before[most:])
        unmatched[1].extend(after[most:])
    return unmatched


def _sort_key(pair: RunPair) -> tuple[int, int]:
    run = pair[1] or pair[0]
    assert run is not None
    return run.run_after, run.run_pk
