"""The dependencies of all DAGs, looked at together: which can never be met stands on the DAGs that have them.

Looked at again after every recorded change. What is read then is which versions the DAGs have that wait or are waited for.
Where one of these is another than before, its spec is read, and all of them are searched; else there is nothing to do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gnomon import log, store
from gnomon.clock import Clock
from gnomon.dependencies import Shape, errors_of, shape_of
from gnomon.store import Transaction
from gnomon.store.cross_dag import dag_edges
from gnomon.store.ownership import group_state

SPECS_PER_BATCH = 500
"""So many specs are held at a time."""
_log = log.get_logger("dagfiles.graph")


class DependencyChecker:
    """The DAGs that have dependencies, and those that they wait for."""

    def __init__(self, db: store.Database, clock: Clock) -> None:
        self._db = db
        self._clock = clock
        self._shapes: dict[str, tuple[int, Shape]] = {}
        """By DAG id, with the version that it is of."""
        self._versions: dict[str, tuple[int, int]] = {}
        self._errors_by_dag: dict[str, str] = {}
        """What is wrong, by DAG id, where these are the DAGs (dag_pk and version_pk)."""

    def update_errors(self) -> bool:
        """The errors that the store holds are those of the graph as it is now; returns whether any had to be changed."""
        with self._db.read() as tx:
            stand = dag_edges.list_dependency_errors(tx)
            news = self._errors(tx)
        gone = {dag_pk: None for dag_pk in stand if dag_pk not in news}
        # Whoever writes several DAGs takes them in one order, so that no two writers wait for each other.
        changes = {dag_pk: error for dag_pk, error in sorted((gone | news).items()) if stand.get(dag_pk) != error}
        if not changes:
            return False
        with self._db.write() as tx:
            dag_edges.set_dependency_errors(tx, changes, self._clock.now())
        wrong = [error for error in changes.values() if error is not None]
        if wrong:
            _log.warning("dependencies_wrong", dags=len(wrong), first=wrong[0])
        return True

    def _errors(self, tx: Transaction) -> dict[int, str]:
        """By dag_pk, what is wrong."""
        among = dag_edges.list_connected_dags(tx)
        if among != self._versions:
            self._read_shapes(tx, {dag_id: version_pk for dag_id, (_, version_pk) in among.items()})
            self._errors_by_dag = errors_of({dag_id: shape for dag_id, (_, shape) in self._shapes.items()})
            self._versions = among
        return {among[dag_id][0]: error for dag_id, error in self._errors_by_dag.items()}

    def _read_shapes(self, tx: Transaction, versions: Mapping[str, int]) -> None:
        """The shapes are those of these versions, by DAG id."""
        self._shapes = {dag_id: known for dag_id, known in self._shapes.items() if versions.get(dag_id) == known[0]}
        new = {version_pk: dag_id for dag_id, version_pk in versions.items() if dag_id not in self._shapes}
        for some in _batches(list(new)):
            for version_pk, spec in group_state.load_specs(tx, some).items():
                self._shapes[new[version_pk]] = (version_pk, shape_of(spec))


def _batches(keys: list[int]) -> Iterator[list[int]]:
    return (keys[start : start + SPECS_PER_BATCH] for start in range(0, len(keys), SPECS_PER_BATCH))
