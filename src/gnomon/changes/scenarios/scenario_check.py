"""Whether a scenario about the DAGs of the database can be simulated, from the DAGs that it may name: few of many are read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gnomon.changes.scenarios.changed_dags import change_dags
from gnomon.changes.scenarios.expectation import read_expectation
from gnomon.changes.scenarios.scenario_changes import KINDS, Change, check_changes
from gnomon.model.spec import DagSpec

_PARTS_MAX = 30
"""A name with more dots is looked up by its first parts."""


def list_candidate_ids(changes: Iterable[Change]) -> set[str]:
    """The ids of the DAGs that the changes may be about: `a.b.c` may be a task of `a` or of `a.b`, or a DAG."""
    ids: set[str] = set()
    for change in changes:
        kind = KINDS[change.key].names
        if kind in ("task", "list", "dag", "text"):
            name = change.name.strip().partition(" ")[0] if kind == "text" else change.name
            parts = name.split(".")[:_PARTS_MAX]
            ids.update(".".join(parts[:length]) for length in range(1, len(parts) + 1))
            ids.add(name)
    return {dag_id for dag_id in ids if dag_id and "\0" not in dag_id}


def check_scenario(changes: Sequence[Change], specs: Mapping[str, DagSpec], pools: Iterable[str]) -> None:
    """Return if everything that is named is there. `specs`: the DAGs of `list_candidate_ids`. Raises UserError."""
    resolved = check_changes(changes, list(specs.values()), pools)
    schedules = [change for change in resolved if change.key in ("schedule", "freeze")]
    changed = {spec.dag_id: spec for spec, _ in change_dags([(spec, "") for spec in specs.values()], schedules)}
    for change in resolved:
        if change.key == "expect":
            read_expectation(change.value, changed, change.place)
