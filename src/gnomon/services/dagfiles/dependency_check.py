"""Checks the dependencies between all DAGs, and their assets, together; what can never work is recorded as an error of the DAG.

The check runs after every recorded change. It reads the current version of each DAG that waits or is waited for. When a
version has changed, its spec is read, and all dependencies are checked again; otherwise nothing is done.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.model.assets import AssetKey
from gnomon.rules.assets.conflicts import Declared, find_conflicts
from gnomon.rules.dependencies.faults import errors_of
from gnomon.rules.dependencies.shape import Shape, shape_of
from gnomon.storage import store
from gnomon.storage.store import Transaction
from gnomon.storage.store.asset_records import asset_declarations
from gnomon.storage.store.cross_dag import dag_edges
from gnomon.storage.store.ownership import group_state

SPECS_PER_BATCH = 500
"""Specs read into memory at a time."""
_log = log.get_logger("dagfiles.graph")


class DependencyChecker:
    """Keeps the shapes of the DAGs that have dependencies, and of the DAGs that they wait for."""

    def __init__(self, db: store.Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock
        self._shapes: dict[str, tuple[int, Shape]] = {}
        """dag_id to version_pk and shape."""
        self._versions: dict[str, tuple[int, int]] = {}
        self._errors_by_dag: dict[str, str] = {}
        """dag_id to the error; valid for the versions in `_versions` (dag_id to dag_pk and version_pk)."""

    def update_errors(self) -> bool:
        """Make the recorded errors those of the current dependencies; returns whether any of them changed."""
        with self._db.read() as tx:
            recorded = dag_edges.list_dependency_errors(tx)
            errors = find_asset_errors(tx) | self._errors(tx)
        resolved = {dag_pk: None for dag_pk in recorded if dag_pk not in errors}
        # Every writer of several DAGs locks them in the same order, so that two writers cannot deadlock.
        changes = {
            dag_pk: error for dag_pk, error in sorted((resolved | errors).items()) if recorded.get(dag_pk) != error
        }
        if not changes:
            return False
        with self._db.write() as tx:
            dag_edges.set_dependency_errors(tx, changes, self._clock.now())
        messages = [error for error in changes.values() if error is not None]
        if messages:
            _log.warning("dependency_errors", dags=len(messages), first=messages[0])
        return True

    def _errors(self, tx: Transaction) -> dict[int, str]:
        """dag_pk to the error."""
        connected = dag_edges.list_connected_dags(tx)
        if connected != self._versions:
            self._read_shapes(tx, {dag_id: version_pk for dag_id, (_, version_pk) in connected.items()})
            self._errors_by_dag = errors_of({dag_id: shape for dag_id, (_, shape) in self._shapes.items()})
            self._versions = connected
        return {connected[dag_id][0]: error for dag_id, error in self._errors_by_dag.items()}

    def _read_shapes(self, tx: Transaction, versions: Mapping[str, int]) -> None:
        """Read the shapes of these versions (dag_id to version_pk) that are not in memory yet."""
        self._shapes = {dag_id: shape for dag_id, shape in self._shapes.items() if versions.get(dag_id) == shape[0]}
        new = {version_pk: dag_id for dag_id, version_pk in versions.items() if dag_id not in self._shapes}
        for some in _batches(list(new)):
            for version_pk, spec in group_state.load_specs(tx, some).items():
                self._shapes[new[version_pk]] = (version_pk, shape_of(spec))


def find_asset_errors(tx: Transaction) -> dict[int, str]:
    """dag_pk to the error of DAGs whose assets have the name of an older asset with another URI."""
    alike = asset_declarations.list_assets_named_alike(tx)
    if not alike:
        return {}
    declared = asset_declarations.list_declarations(tx, alike)
    return find_conflicts(
        Declared(each.declared_at, each.dag_id, each.dag_pk, each.leaf, each.place)
        for each in declared
        if isinstance(each.leaf, AssetKey)
    )


def _batches(keys: list[int]) -> Iterator[list[int]]:
    return (keys[start : start + SPECS_PER_BATCH] for start in range(0, len(keys), SPECS_PER_BATCH))
